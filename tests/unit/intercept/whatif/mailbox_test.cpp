// Clock messages through shared memory: between threads, and between processes.

#include "intercept/whatif/mailbox.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "base/clock.hpp"
#include "fake_mpi/job.hpp"
#include "intercept/whatif/host_memory.hpp"

namespace stretto::intercept::whatif {
namespace {

constexpr int kMessages = 2000;
constexpr std::int64_t kLong = 100'000'000'000;

ClockMessage numbered(std::int64_t number, std::int32_t sender) {
  ClockMessage message{.number = number, .order = 3 * number, .sender = sender};
  message.times[0] = static_cast<double>(number) + 0.5;
  return message;
}

// Sends all to the other of two ranks, as far as there is room, and takes in as many of its.
// Returns how many were not as they should be.
int exchange(HostMemory& memory, int me) {
  const int other = 1 - me;
  int wrong = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  while (sent < kMessages || received < kMessages) {
    const std::uint32_t seen = memory.doorbell(me);
    bool moved = false;
    if (sent < kMessages) {
      const ClockMessage message = numbered(sent, me);
      if (memory.put(other, message, message.sent_bytes(1))) {
        ++sent;
        moved = true;
        memory.ring_doorbell(other);
      }
    }
    if (const ClockMessage* const message = memory.front(other)) {
      const bool right = message->number == received && message->order == 3 * received &&
                         message->sender == other &&
                         message->times[0] == static_cast<double>(received) + 0.5;
      wrong += right ? 0 : 1;
      memory.drop(other);
      memory.ring_doorbell(other);  // there is room
      ++received;
      moved = true;
    }
    if (!moved) memory.sleep(me, seen, 1'000'000);
  }
  return wrong;
}

TEST(HostMemory, CarriesMessagesBetweenTwoThreads) {
  HostMemory first;
  const std::string name = first.create(2, 2);
  ASSERT_FALSE(name.empty());
  int wrong = -1;
  std::thread second([&] {
    HostMemory memory;
    ASSERT_TRUE(memory.open(name, 1, 2));
    wrong = exchange(memory, 1);
  });
  EXPECT_EQ(exchange(first, 0), 0);
  second.join();
  EXPECT_EQ(wrong, 0);
  HostMemory::forget_name(name);
}

TEST(HostMemory, CarriesMessagesBetweenTwoProcesses) {
  HostMemory first;
  const std::string name = first.create(2, 2);
  ASSERT_FALSE(name.empty());
  const pid_t child = ::fork();
  if (child == 0) {
    HostMemory memory;
    ::_exit(memory.open(name, 1, 2) && exchange(memory, 1) == 0 ? 0 : 1);
  }
  EXPECT_EQ(exchange(first, 0), 0);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  HostMemory::forget_name(name);
}

TEST(HostMemory, ARingThatIsFullTakesNoMore) {
  HostMemory memory;
  const std::string name = memory.create(1, 1);
  int room = 0;
  const ClockMessage message = numbered(0, 0);
  while (memory.put(0, message, sizeof message)) ++room;
  EXPECT_GT(room, 0);
  memory.drop(0);
  EXPECT_TRUE(memory.put(0, message, sizeof message));
  EXPECT_FALSE(memory.put(0, message, sizeof message));
  HostMemory::forget_name(name);
}

TEST(HostMemory, ATokenIsOneRanksAtATime) {
  HostMemory memory;
  const std::string name = memory.create(2, 1);
  EXPECT_TRUE(memory.take_token(kLong));
  EXPECT_FALSE(memory.take_token(1'000'000));
  std::atomic<bool> has{false};
  std::thread other([&] {
    EXPECT_TRUE(memory.take_token(kLong));
    has = true;
    memory.give_token();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(has);
  memory.give_token();
  other.join();
  EXPECT_TRUE(memory.take_token(kLong));
  HostMemory::forget_name(name);
}

TEST(HostMemory, ADoorbellWakesWhoSleepsAndOneThatRangBeforeKeepsItAwake) {
  HostMemory memory;
  const std::string name = memory.create(2, 1);
  const std::uint32_t seen = memory.doorbell(0);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    memory.ring_doorbell(0);
  });
  memory.sleep(0, seen, kLong);
  other.join();
  EXPECT_NE(memory.doorbell(0), seen);
  memory.sleep(0, seen, kLong);  // at once
  HostMemory::forget_name(name);
}

TEST(HostMemory, WhatIsNotThereCannotBeOpened) {
  HostMemory memory;
  EXPECT_FALSE(memory.open("/stretto-nonesuch", 0, 2));
  EXPECT_FALSE(memory.is_open());
}

// -- on top of it

class MailboxTest : public testing::TestWithParam<int> {};

// By whichever way they come, through rings that are full as well: each once, in order.
TEST_P(MailboxTest, MessagesOfARankComeInOrder) {
  constexpr int kEach = 300;
  constexpr int kRanks = 3;
  fake_mpi::Job job(kRanks, {.ranks_per_host = GetParam()});
  job.run([](int /*rank*/) {
    MPI_Comm own{};
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    Mailbox mailbox;
    mailbox.open(own, 1);
    std::array<std::int64_t, kRanks> arrivals{};
    mailbox.on_other([&](const ClockMessage& message) {
      auto& next = arrivals[static_cast<std::size_t>(message.sender)];
      EXPECT_EQ(message.order, next++);
    });
    for (int i = 0; i < kEach; ++i) {
      for (int to = 0; to < kRanks; ++to) {
        ClockMessage message{.order = i, .kind = ClockMessageKind::arrival};
        message.times[0] = i;
        mailbox.send(to, message);
        message.kind = ClockMessageKind::message;
        mailbox.send(to, message);
      }
    }
    int times = 0;
    const auto all_have_come = [&] {
      for (int from = 0; from < kRanks; ++from) {
        if (mailbox.messages_from(from).size() < kEach) return false;
        if (arrivals[static_cast<std::size_t>(from)] < kEach) return false;
      }
      return true;
    };
    while (!all_have_come()) {
      const std::uint32_t seen = mailbox.doorbell();
      if (!mailbox.poll()) mailbox.back_off(times, seen);
    }
    for (int from = 0; from < kRanks; ++from) {
      std::int64_t order = 0;
      auto& messages = mailbox.messages_from(from);
      while (!messages.empty()) {
        EXPECT_EQ(messages.front().order, order);
        EXPECT_DOUBLE_EQ(messages.front().times[0], static_cast<double>(order++));
        mailbox.take(from, messages.begin());
      }
    }
    MPI_Barrier(own);
    mailbox.close();
    MPI_Comm_free(&own);
  });
}

// Rank 1 does not receive for long; that neither keeps what is sent to rank 2 nor makes each
// message to it the dearer the more there are to rank 1.
TEST(Mailbox, WhatIsDoneIsForgottenBesideWhatIsNot) {
  constexpr int kStuck = 100;
  constexpr int kOthers = 1000;
  fake_mpi::Job job(3, {.eager_bytes = 0, .ranks_per_host = 1});
  job.run([&](int rank) {
    MPI_Comm own{};
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    Mailbox mailbox;
    mailbox.open(own, 1);
    const ClockMessage message{.kind = ClockMessageKind::message};
    const auto receive = [&](std::size_t number) {
      while (mailbox.messages_from(0).size() < number) mailbox.poll();
    };
    if (rank == 0) {
      const long before = job.calls(0, "Test");
      for (int i = 0; i < kStuck; ++i) mailbox.send(1, message);
      for (int i = 0; i < kOthers; ++i) mailbox.send(2, message);
      EXPECT_LT(job.calls(0, "Test") - before, 10 * (kStuck + kOthers));
    }
    if (rank == 2) receive(kOthers);
    MPI_Barrier(own);
    if (rank == 0) {
      for (int i = 0; i < kOthers; ++i) mailbox.poll();
      EXPECT_NE(job.left(0).find(", " + std::to_string(kStuck) + " requests"), std::string::npos)
          << job.left(0);
    }
    MPI_Barrier(own);
    if (rank == 1) receive(kStuck);
    MPI_Barrier(own);
    mailbox.close();
    MPI_Comm_free(&own);
  });
}

INSTANTIATE_TEST_SUITE_P(RanksPerHost, MailboxTest, testing::Values(0, 1, 2));

}  // namespace
}  // namespace stretto::intercept::whatif
