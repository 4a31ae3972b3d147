// Messages that programs send and receive under the mode profile, as both sides number them.

#include "intercept/profile/messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "fake_mpi/job.hpp"
#include "intercept/profile/call_recorder.hpp"
#include "settings.hpp"

namespace stretto::intercept::profile {
namespace {

using Role = ProfiledMessage::Role;

// `body` on each of two ranks under profile, and what it is to see then.
void run_program(const std::function<void(int rank)>& body,
                 const std::function<void(int rank, const MessageRecorder&)>& check) {
  const Setting all("STRETTO_RUN_ALL_RANKS", "trust");
  fake_mpi::Options options;
  options.initialized = false;
  fake_mpi::Job job(2, options);
  job.run([&](int rank) {
    int provided = 0;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    body(rank);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    check(rank, CallRecorder::get().messages());
  });
}

std::vector<MessageRow> rows_of(const MessageRecorder& messages, Role role) {
  std::vector<MessageRow> found;
  std::ranges::copy_if(messages.rows(), std::back_inserter(found), [&](const MessageRow& row) {
    return row.role == static_cast<std::int32_t>(role);
  });
  return found;
}

ProfiledCallSite site_of(const std::string& function) {
  for (const ProfiledCallSite& call_site : CallRecorder::get().call_sites()) {
    if (kFunctions[call_site.function].name == function) return call_site;
  }
  return {};
}

TEST(MessageRecorder, BothSidesNumberThemAlikeAndAWildcardIsWhoseItWas) {
  run_program(
      [](int rank) {
        int value = rank;
        for (int i = 0; i < 3; ++i) {
          if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
          } else {
            const int source = i == 1 ? MPI_ANY_SOURCE : 0;
            MPI_Recv(&value, 1, MPI_INT, source, i == 2 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
          }
        }
      },
      [](int rank, const MessageRecorder& messages) {
        const auto rows = rows_of(messages, rank == 0 ? Role::sent : Role::received);
        ASSERT_EQ(rows.size(), 3U);
        for (int i = 0; i < 3; ++i) {
          const MessageRow& row = rows[static_cast<std::size_t>(i)];
          EXPECT_EQ(row.number, i);
          EXPECT_EQ(row.peer, 1 - rank);
          EXPECT_EQ(row.tag, 5);
          EXPECT_EQ(row.messages, 1);
        }
        ASSERT_EQ(messages.channels().size(), 1U);
        EXPECT_EQ(messages.channels().front().messages, 3);
        EXPECT_EQ(messages.channels().front().bytes, 12);
        const ProfiledCallSite site = site_of(rank == 0 ? "MPI_Send" : "MPI_Recv");
        EXPECT_EQ(site.message_time, site.time);
      });
}

TEST(MessageRecorder, OneCallCompletesManyAndShowsTheirBytes) {
  run_program(
      [](int rank) {
        std::array<int, 4> got{};
        const std::array<int, 2> sent{};
        std::array<MPI_Request, 4> requests{};
        MPI_Irecv(got.data(), 2, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, requests.data());
        MPI_Irecv(&got[2], 2, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(sent.data(), 2, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(sent.data(), 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[3]);
        MPI_Send(sent.data(), 2, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
        MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
      },
      [](int rank, const MessageRecorder& messages) {
        const auto received = rows_of(messages, Role::received);
        ASSERT_EQ(received.size(), 2U);
        EXPECT_EQ(received[0].number, 0);
        EXPECT_EQ(received[1].number, 1);
        EXPECT_LE(received[0].begin, received[1].begin);
        EXPECT_EQ(received[1].peer, 1 - rank);
        EXPECT_EQ(received[1].messages, 3);
        EXPECT_EQ(received[0].call, received[1].call);
        const auto sent = rows_of(messages, Role::sent);
        ASSERT_EQ(sent.size(), 2U);
        EXPECT_EQ(sent[0].number, 1);  // the blocking one ended first
        EXPECT_EQ(sent[1].call, received[0].call);
        EXPECT_EQ(site_of("MPI_Waitall").bytes, 3 * 2 * 4);
        EXPECT_EQ(site_of("MPI_Waitall").message_time, site_of("MPI_Waitall").time);
      });
}

TEST(MessageRecorder, PersistentOnesCountAsOftenAsTheyStart) {
  run_program(
      [](int rank) {
        int got = 0;
        std::array<MPI_Request, 2> requests{};
        MPI_Recv_init(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests.data());
        MPI_Send_init(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        for (int i = 0; i < 2; ++i) {
          MPI_Startall(2, requests.data());
          MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
        }
        for (MPI_Request& request : requests) MPI_Request_free(&request);
      },
      [](int /*rank*/, const MessageRecorder& messages) {
        EXPECT_EQ(rows_of(messages, Role::sent).size(), 2U);
        EXPECT_EQ(rows_of(messages, Role::received).back().number, 1);
        EXPECT_EQ(site_of("MPI_Waitall").bytes, 2 * 2 * 4);
      });
}

// What nobody waits for is known as sent still, and what a collective's request shares a wait with
// is not for messages alone.
TEST(MessageRecorder, FreedSendsAreSentAndOthersRequestsAreNone) {
  run_program(
      [](int rank) {
        int got = 0;
        std::array<MPI_Request, 2> requests{};
        MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests.data());
        MPI_Request_free(requests.data());
        MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests.data());
        MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      },
      [](int /*rank*/, const MessageRecorder& messages) {
        const auto sent = rows_of(messages, Role::sent);
        ASSERT_EQ(sent.size(), 1U);
        EXPECT_EQ(sent[0].call, -1);
        EXPECT_EQ(sent[0].call_site, -1);
        EXPECT_EQ(rows_of(messages, Role::received).front().messages, 2);
        EXPECT_EQ(site_of("MPI_Waitall").message_time, 0);
      });
}

TEST(MessageRecorder, AccessesToAWindowAreCountedByTarget) {
  run_program(
      [](int rank) {
        MPI_Win win{};
        MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
        MPI_Put(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
        MPI_Win_free(&win);
      },
      [](int rank, const MessageRecorder& messages) {
        ASSERT_EQ(messages.channels().size(), 1U);
        const ChannelRow row = messages.channels().front();
        EXPECT_EQ(row.role, static_cast<std::int32_t>(Role::accessed));
        EXPECT_EQ(row.peer, 1 - rank);
        EXPECT_EQ(row.messages, 1);
        EXPECT_EQ(row.bytes, 4);
        EXPECT_EQ(site_of("MPI_Put").message_time, 0);
      });
}

TEST(MessageRecorder, OfVeryManyBothSidesKeepTheSame) {
  std::array<MessageRecorder, 2> sides;
  sides[0].open(100);
  sides[1].open(50);
  for (int i = 0; i < 1000; ++i) {
    for (auto& side : sides) {
      ProfiledMessage message{.role = Role::sent, .comm = 0, .peer = 1, .tag = 2, .bytes = 1};
      const std::int64_t number = side.number(message);
      side.complete({.message = message, .number = number});
      EXPECT_TRUE(side.end_call(i, i + 1, 0, 0));
    }
  }
  EXPECT_LT(sides[0].rows().size(), 100U);
  EXPECT_GT(sides[1].rows().size(), 5U);
  for (const MessageRow& row : sides[1].rows()) {
    EXPECT_TRUE(std::ranges::any_of(
        sides[0].rows(), [&](const MessageRow& other) { return other.number == row.number; }));
  }
}

// Each is the first of its channel.
TEST(MessageRecorder, OfMessagesWithATagEachSomeAreKept) {
  MessageRecorder messages;
  messages.open(100);
  for (int tag = 0; tag < 1000; ++tag) {
    const ProfiledMessage message{.role = Role::sent, .comm = 0, .peer = 1, .tag = tag, .bytes = 1};
    messages.complete({.message = message, .number = messages.number(message)});
    EXPECT_TRUE(messages.end_call(tag, tag + 1, 0, 0));
  }
  EXPECT_LT(messages.rows().size(), 100U);
  EXPECT_GT(messages.rows().size(), 25U);
}

TEST(MessageRecorder, OfVeryManyTagsTheRestIsCountedTogether) {
  MessageRecorder messages;
  messages.open(10);
  constexpr int kTags = 70'000;
  for (int tag = 0; tag < kTags; ++tag) {
    static_cast<void>(
        messages.number({.role = Role::sent, .comm = 0, .peer = 1, .tag = tag, .bytes = 1}));
  }
  EXPECT_LT(messages.channels().size(), 66'000U);
  std::int64_t all = 0;
  for (const ChannelRow& row : messages.channels()) all += row.messages;
  EXPECT_EQ(all, kTags);
}

}  // namespace
}  // namespace stretto::intercept::profile
