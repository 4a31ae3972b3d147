// Long collectives advance while the program computes where the MPI allows one thread alone: by one
// that calls nothing of it, or the fake MPI would tell. Here sums.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "intercept/accelerate/one_host.hpp"

namespace stretto::intercept::accelerate {
namespace {

std::vector<int> numbers(int rank, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), rank);
  return all;
}

void expect_sums(const std::vector<int>& sums, int ranks) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const int others = ranks * (ranks - 1) / 2;
    ASSERT_EQ(sums[i], ranks * static_cast<int>(i) + others);
  }
}

// Who waits for the message makes no call that Stretto would drive anything in.
TEST(ProgressInMemory, WhileARankIsInACallOfTheMpis) {
  for (const int count : {16'384, kLongCount}) {
    OneHost(3).run([count](int rank) {
      const std::vector<int> mine = numbers(rank, count);
      std::vector<int> sums(mine.size());
      MPI_Request request{};
      MPI_Iallreduce(mine.data(), sums.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      if (rank == 1) {
        int done = 0;
        native().Recv(&done, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect_sums(sums, 3);
      if (rank == 0) native().Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      EXPECT_EQ(passed("MPI_Iallreduce", Reason::no_progress_thread), 0);
    });
  }
}

TEST(ProgressInMemory, OfNothingElse) {
  OneHost(2).run([](int rank) {
    const std::vector<int> data = numbers(rank, kLongCount);
    std::vector<int> result(data.size());
    MPI_Request requests[3] = {};
    // What is short, and what nobody else knows the length of; twice, as then it is known.
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<int> sent = data;
      const int counts[] = {kLongCount / 2, 0};
      const int places[] = {0, 0};
      std::vector<int> gathered(data.size());
      MPI_Ibcast(sent.data(), 1000, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Iallreduce(data.data(), result.data(), 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                     &requests[1]);
      MPI_Iallgatherv(data.data(), counts[rank], MPI_INT, gathered.data(), counts, places, MPI_INT,
                      MPI_COMM_WORLD, &requests[2]);
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(sent[9], 9);
      EXPECT_EQ(result[9], 19);
      EXPECT_EQ(gathered[9], 9);
    }
    MPI_Iallreduce(data.data(), result.data(), kLongCount, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                   &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT_EQ(result[9], 10);
    EXPECT_EQ(passed("MPI_Ibcast", Reason::no_progress_thread), 2);
    EXPECT_EQ(passed("MPI_Iallreduce", Reason::no_progress_thread), 3);
    EXPECT_EQ(passed("MPI_Iallgatherv", Reason::no_progress_thread), 2);
  });
}

// The thread has done all that it may, and the program asks later.
TEST(ProgressInMemory, IsFoundByWhoeverAsks) {
  OneHost(2).run([](int rank) {
    const std::vector<int> mine = numbers(rank, kLongCount);
    std::vector<int> sums(mine.size());
    for (int i = 0; i < 20; ++i) {
      MPI_Request request{};
      MPI_Iallreduce(mine.data(), sums.data(), kLongCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                     &request);
      for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      expect_sums(sums, 2);
    }
  });
}

TEST(ProgressInMemory, SleepsWhenAllIsDoneThoughNobodyHasAsked) {
  OneHost(2).run([](int rank) {
    const std::vector<int> mine = numbers(rank, kLongCount);
    std::vector<int> sums(mine.size());
    MPI_Request request{};
    MPI_Iallreduce(mine.data(), sums.data(), kLongCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                   &request);
    fake_mpi::eventually([&] {
      const long wakeups = Engine::get().progress_wakeups();
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      return wakeups > 0 && Engine::get().progress_wakeups() == wakeups;
    });
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_sums(sums, 2);
  });
}

// To a root, in place there; and what is summed in blocks that differ is
// the MPI's.
TEST(ProgressInMemory, OfAnyNumbersToARoot) {
  OneHost(3).run([](int rank) {
    std::vector<double> mine(kLongCount, 1.5 * rank);
    const void* const from = rank == 2 ? MPI_IN_PLACE : mine.data();
    MPI_Request request{};
    MPI_Ireduce(from, mine.data(), kLongCount, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2) {
      EXPECT_EQ(mine, decltype(mine)(kLongCount, 4.5));
    }
    EXPECT_EQ(passed("MPI_Ireduce", Reason::no_progress_thread), 0);

    const int counts[] = {2 * kLongCount, 0, kLongCount};
    const std::vector<int> given(3 * std::size_t{kLongCount}, rank == 0 ? -1 : 1);
    std::vector<int> taken(2 * std::size_t{kLongCount}, 7);
    MPI_Ireduce_scatter(given.data(), taken.data(), counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                        &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(taken[0], rank == 1 ? 7 : 1);
    EXPECT_EQ(passed("MPI_Ireduce_scatter", Reason::no_progress_thread), 1);
  });
}

TEST(ProgressInMemory, OfEqualBlocks) {
  OneHost(3).run([](int rank) {
    const std::vector<int> mine = numbers(rank, 3 * kLongCount);
    std::vector<int> sums(kLongCount);
    MPI_Request request{};
    MPI_Ireduce_scatter_block(mine.data(), sums.data(), kLongCount, MPI_INT, MPI_SUM,
                              MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sums[1], 3 * (rank * kLongCount + 1) + 3);
    EXPECT_EQ(passed("MPI_Ireduce_scatter_block", Reason::no_progress_thread), 0);
  });
}

// Also where the program may call the MPI from many threads.
TEST(ProgressInMemory, AmongOtherRequests) {
  for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE}) {
    OneHost(2, level).run([](int rank) {
      const std::vector<int> mine = numbers(rank, kLongCount);
      std::vector<int> sums(mine.size());
      const auto sums_up = [&](const auto& complete) {
        std::ranges::fill(sums, 0);
        int sent = rank;
        int received = -1;
        MPI_Request requests[3] = {};
        MPI_Irecv(&received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Iallreduce(mine.data(), sums.data(), kLongCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                       &requests[1]);
        MPI_Isend(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[2]);
        complete(requests);
        expect_sums(sums, 2);
        EXPECT_EQ(received, 1 - rank);
        for (const MPI_Request each : requests) EXPECT_EQ(each, MPI_REQUEST_NULL);
      };
      sums_up([](MPI_Request* requests) {
        int at = -1;
        for (int i = 0; i < 3; ++i) MPI_Waitany(3, requests, &at, MPI_STATUS_IGNORE);
      });
      sums_up([](MPI_Request* requests) {
        int places[3];
        for (int left = 3, some = 0; left > 0; left -= some) {
          MPI_Waitsome(3, requests, &some, places, MPI_STATUSES_IGNORE);
        }
      });
      sums_up([](MPI_Request* requests) {
        for (int all = 0; all == 0;) MPI_Testall(3, requests, &all, MPI_STATUSES_IGNORE);
      });
      sums_up([](MPI_Request* requests) {
        for (int done = 0; done == 0;) {
          MPI_Request_get_status(requests[1], &done, MPI_STATUS_IGNORE);
        }
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
      });
      EXPECT_EQ(passed("MPI_Iallreduce", Reason::no_progress_thread), 0);
    });
  }
}

TEST(ProgressInMemory, BesideBlockingCallsThatNeedTheMpi) {
  OneHost(3).run([](int rank) {
    const std::vector<int> mine = numbers(rank, kLongCount);
    std::vector<int> sums(mine.size());
    MPI_Datatype gaps{};
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    for (int i = 0; i < 10; ++i) {
      MPI_Request request{};
      MPI_Iallreduce(mine.data(), sums.data(), kLongCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                     &request);
      int sparse[3] = {rank, -1, rank};
      std::vector<int> all(6);
      MPI_Allgather(sparse, 1, gaps, all.data(), 2, MPI_INT, MPI_COMM_WORLD);
      EXPECT_EQ(all, std::vector<int>({0, 0, 1, 1, 2, 2}));
      int most = 0;
      MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      EXPECT_EQ(most, 2);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect_sums(sums, 3);
    }
    MPI_Type_free(&gaps);
  });
}

TEST(ProgressInMemory, ARequestThatIsFreedIsDoneBeforeTheEnd) {
  std::vector<int> sums(2 * std::size_t{kLongCount});
  std::vector<std::vector<int>> mine = {numbers(0, kLongCount), numbers(1, kLongCount)};
  OneHost(2).run([&](int rank) {
    MPI_Request request{};
    const auto at = static_cast<std::size_t>(rank);
    MPI_Iallreduce(mine[at].data(), sums.data() + at * kLongCount, kLongCount, MPI_INT, MPI_SUM,
                   MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  });
  for (const std::size_t at : {std::size_t{0}, std::size_t{kLongCount}}) EXPECT_EQ(sums[at], 1);
}

}  // namespace
}  // namespace stretto::intercept::accelerate
