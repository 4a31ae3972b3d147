// Sums advance while the program computes where the MPI allows one thread alone: by one that calls
// nothing of it, or the fake MPI would tell.

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr int kLength = 300'000;

// As MPICH is on one host: it is asked for no more than the program asks for.
struct OneHost {
  explicit OneHost(int ranks) : ranks_(std::to_string(ranks)) {}

  void run(const std::function<void(int rank)>& body) {
    Program program(std::stoi(ranks_), {.thread_level = MPI_THREAD_SINGLE});
    run_session(program, MPI_THREAD_SINGLE, [&](int rank) {
      EXPECT_FALSE(Engine::get().has_progress_thread());
      body(rank);
    });
  }

 private:
  std::string ranks_;
  Setting run_{"STRETTO_RUN_ALL_RANKS", "trust"};
  Setting never_native_{"STRETTO_SELECTION", "stretto"};
  Setting here_{"MPI_LOCALNRANKS", ranks_.c_str()};
  Setting all_{"PMI_SIZE", ranks_.c_str()};
};

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
  for (const int count : {16'384, kLength}) {
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
    const std::vector<int> data = numbers(rank, kLength);
    std::vector<int> result(data.size());
    std::vector<int> sent = data;
    MPI_Request requests[2] = {};
    MPI_Ibcast(sent.data(), kLength, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(data.data(), result.data(), kLength, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                   &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(result[9], 10);
    MPI_Iallreduce(data.data(), result.data(), 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                   &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT_EQ(result[9], 19);
    EXPECT_EQ(passed("MPI_Ibcast", Reason::no_progress_thread), 1);
    EXPECT_EQ(passed("MPI_Iallreduce", Reason::no_progress_thread), 2);
  });
}

// The thread has done all that it may, and the program asks later.
TEST(ProgressInMemory, IsFoundByWhoeverAsks) {
  OneHost(2).run([](int rank) {
    const std::vector<int> mine = numbers(rank, kLength);
    std::vector<int> sums(mine.size());
    for (int i = 0; i < 20; ++i) {
      MPI_Request request{};
      MPI_Iallreduce(mine.data(), sums.data(), kLength, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      expect_sums(sums, 2);
    }
  });
}

TEST(ProgressInMemory, SleepsWhenAllIsDoneThoughNobodyHasAsked) {
  OneHost(2).run([](int rank) {
    const std::vector<int> mine = numbers(rank, kLength);
    std::vector<int> sums(mine.size());
    MPI_Request request{};
    MPI_Iallreduce(mine.data(), sums.data(), kLength, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
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
    std::vector<double> mine(kLength, 1.5 * rank);
    const void* const from = rank == 2 ? MPI_IN_PLACE : mine.data();
    MPI_Request request{};
    MPI_Ireduce(from, mine.data(), kLength, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2) {
      EXPECT_EQ(mine, decltype(mine)(kLength, 4.5));
    }
    EXPECT_EQ(passed("MPI_Ireduce", Reason::no_progress_thread), 0);

    const int counts[] = {2 * kLength, 0, kLength};
    const std::vector<int> given(3 * std::size_t{kLength}, rank == 0 ? -1 : 1);
    std::vector<int> taken(2 * std::size_t{kLength}, 7);
    MPI_Ireduce_scatter(given.data(), taken.data(), counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                        &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(taken[0], rank == 1 ? 7 : 1);
    EXPECT_EQ(passed("MPI_Ireduce_scatter", Reason::no_progress_thread), 1);
  });
}

TEST(ProgressInMemory, BesideBlockingCallsThatNeedTheMpi) {
  OneHost(3).run([](int rank) {
    const std::vector<int> mine = numbers(rank, kLength);
    std::vector<int> sums(mine.size());
    MPI_Datatype gaps{};
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    for (int i = 0; i < 10; ++i) {
      MPI_Request request{};
      MPI_Iallreduce(mine.data(), sums.data(), kLength, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
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
  std::vector<int> sums(2 * std::size_t{kLength});
  std::vector<std::vector<int>> mine = {numbers(0, kLength), numbers(1, kLength)};
  OneHost(2).run([&](int rank) {
    MPI_Request request{};
    const auto at = static_cast<std::size_t>(rank);
    MPI_Iallreduce(mine[at].data(), sums.data() + at * kLength, kLength, MPI_INT, MPI_SUM,
                   MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  });
  for (const std::size_t at : {std::size_t{0}, std::size_t{kLength}}) EXPECT_EQ(sums[at], 1);
}

}  // namespace
}  // namespace stretto::intercept::accelerate
