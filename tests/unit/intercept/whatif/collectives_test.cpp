// Virtual time of collectives and of communicators.

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "intercept/whatif/program.hpp"

namespace stretto::intercept::whatif {
namespace {

// All ranks' clocks, as they leave.
template <std::size_t ranks>
struct Clocks {
  std::array<double, ranks> sim{};
  std::array<double, ranks> zero{};
  void note(int rank) {
    sim[static_cast<std::size_t>(rank)] = clock_of(kSim);
    zero[static_cast<std::size_t>(rank)] = clock_of(kZero);
  }
};

TEST(WhatifCollectives, EndWhenTheirScheduleDoesAndWithoutCostWhenTheLastHasCome) {
  Program program(2);
  Clocks<2> clocks;
  run_program(program, [&](int rank) {
    int sum = 0;
    int value = 0;
    // Rank 1 is later by a message.
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 1);
    clocks.note(rank);
  });
  const double late = one_way(4) + kRecv;
  EXPECT_DOUBLE_EQ(clocks.zero[0], late);  // it needs rank 1's data
  EXPECT_DOUBLE_EQ(clocks.zero[1], late);
  EXPECT_DOUBLE_EQ(clocks.sim[0], late + one_way(4) + kRecv);
  EXPECT_GT(clocks.sim[1], late);
}

TEST(WhatifCollectives, ARootedOneMakesNobodyWaitForWhomItNeedNot) {
  Program program(3);
  Clocks<3> clocks;
  run_program(program, [&](int rank) {
    int value = rank;
    // The last rank of a broadcast comes late.
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    clocks.note(rank);
  });
  EXPECT_DOUBLE_EQ(clocks.zero[0], kSend);
  EXPECT_LT(clocks.zero[1], clocks.zero[2]);
  EXPECT_LE(clocks.sim[1], 3 * kSend + one_way(4) + kRecv);
}

TEST(WhatifCollectives, NonblockingOnesArePaidForWhereTheyAreWaitedFor) {
  Program program(2);
  run_program(program, [](int rank) {
    int sum = 0;
    MPI_Request request{};
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    const double begun = clock_of(kSim);
    EXPECT_LT(begun, kLatency);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_GT(clock_of(kSim), kLatency);
    EXPECT_EQ(sum, 1);
  });
}

TEST(WhatifCollectives, PersistentOnesTakeTheirTimeEachTime) {
  Program program(2);
  run_program(program, [](int rank) {
    int sum = 0;
    MPI_Request request{};
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    EXPECT_DOUBLE_EQ(clock_of(kSim), 0);
    double before = 0;
    for (int i = 0; i < 3; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_GE(clock_of(kSim), before + one_way(4));
      before = clock_of(kSim);
      EXPECT_EQ(sum, 1);
    }
    MPI_Request_free(&request);
  });
}

// All kinds, blocks that differ in size included: every rank ends at some time that is no earlier
// than without cost, and the results are the MPI's.
TEST(WhatifCollectives, OfEveryKind) {
  Program program(3);
  run_program(program, [](int rank) {
    std::array<int, 3> in{rank, rank + 1, rank + 2};
    std::array<int, 9> out{};
    const std::array<int, 3> counts{1, 1, 1};
    const std::array<int, 3> displs{0, 1, 2};
    const std::array<MPI_Datatype, 3> types{MPI_INT, MPI_INT, MPI_INT};
    const std::array<int, 3> bytes{0, 4, 8};
    const MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Barrier(comm);
    MPI_Bcast(in.data(), 3, MPI_INT, 1, comm);
    MPI_Reduce(in.data(), out.data(), 3, MPI_INT, MPI_SUM, 2, comm);
    MPI_Gather(in.data(), 3, MPI_INT, out.data(), 3, MPI_INT, 0, comm);
    MPI_Scatter(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, 0, comm);
    MPI_Allgather(in.data(), 3, MPI_INT, out.data(), 3, MPI_INT, comm);
    MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, comm);
    MPI_Reduce_scatter_block(in.data(), out.data(), 1, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, comm);
    MPI_Scan(in.data(), out.data(), 3, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(in.data(), out.data(), 3, MPI_INT, MPI_SUM, comm);
    MPI_Gatherv(in.data(), 1, MPI_INT, out.data(), counts.data(), displs.data(), MPI_INT, 1, comm);
    MPI_Scatterv(out.data(), counts.data(), displs.data(), MPI_INT, in.data(), 1, MPI_INT, 1, comm);
    MPI_Allgatherv(in.data(), 1, MPI_INT, out.data(), counts.data(), displs.data(), MPI_INT, comm);
    MPI_Alltoallv(in.data(), counts.data(), displs.data(), MPI_INT, out.data(), counts.data(),
                  displs.data(), MPI_INT, comm);
    MPI_Alltoallw(in.data(), counts.data(), bytes.data(), types.data(), out.data(), counts.data(),
                  bytes.data(), types.data(), comm);
    EXPECT_GT(clock_of(kSim), 0);
    EXPECT_LE(clock_of(kZero), clock_of(kSim));
    EXPECT_EQ(Process::get().virtual_time.call_sites().size(), 16U);
  });
}

TEST(WhatifCollectives, NeighborsExchangeWithNobodyElse) {
  Program program(3);
  run_program(program, [](int rank) {
    MPI_Comm line{};
    const int size = 3;
    const int open_ended = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_ended, 0, &line);
    const double before = clock_of(kSim);
    std::array<int, 2> got{-1, -1};
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got.data(), 1, MPI_INT, line);
    EXPECT_EQ(got[0], rank == 0 ? -1 : rank - 1);
    EXPECT_EQ(got[1], rank == 2 ? -1 : rank + 1);
    EXPECT_GT(clock_of(kSim), before + kLatency);
    MPI_Request request{};
    MPI_Ineighbor_alltoall(got.data(), 1, MPI_INT, got.data(), 1, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
  });
}

TEST(WhatifCollectives, NewCommunicatorsAreFollowed) {
  Program program(4);
  run_program(program, [](int rank) {
    MPI_Comm pair{};
    MPI_Comm copy{};
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    EXPECT_GT(clock_of(kSim), 0);  // making them is a collective, too
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, pair);
    EXPECT_EQ(sum, rank < 2 ? 1 : 5);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(Process::get().flags.not_followed, 0);
    MPI_Comm inter{};
    MPI_Intercomm_create(pair, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 3, &inter);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    EXPECT_EQ(sum, rank < 2 ? 5 : 1);
    EXPECT_GE(Process::get().flags.not_followed, 1);  // two groups are not
    for (MPI_Comm* comm : {&inter, &copy, &pair}) MPI_Comm_free(comm);
  });
}

// Who has no part in it is not waited for.
TEST(WhatifCollectives, OnPartOfTheRanksTheOthersGoOn) {
  Program program(3);
  Clocks<3> clocks;
  run_program(program, [&](int rank) {
    MPI_Comm pair{};
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &pair);
    if (rank < 2) {
      for (int i = 0; i < 5; ++i) MPI_Barrier(pair);
      MPI_Comm_free(&pair);
    }
    clocks.note(rank);
  });
  EXPECT_GT(clocks.sim[0], clocks.sim[2] + 5 * kLatency);
}

TEST(WhatifCollectives, WhatNobodyModelsTakesTheTimeThatItTakes) {
  Program program(1);
  run_program(program, [](int /*rank*/) {
    MPI_Win win{};
    MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_File file{};
    MPI_File_open(MPI_COMM_SELF, "nothing", 0, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    EXPECT_FALSE(Process::get().unmodelled.empty());
  });
}

// -- the program's clocks

TEST(WhatifTime, MpiWtimeIsVirtual) {
  Program program(2);
  run_program(program, [](int rank) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < 1000; ++i) {
      int got = 0;
      MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    EXPECT_NEAR(MPI_Wtime() - begin, 1000 * (one_way(4) + kRecv) * 1e-9, 1e-9);
    EXPECT_EQ(Process::get().flags.clock_reads, 2);
  });
}

TEST(WhatifTime, OtherThreadsAreNotCounted) {
  Program program(1);
  run_program(
      program,
      [](int /*rank*/) {
        RankContext& here = RankContext::current();
        std::thread other([&here] {
          const Running running(here);
          MPI_Barrier(MPI_COMM_SELF);
        });
        other.join();
        EXPECT_GE(Process::get().flags.other_threads, 1);
      },
      MPI_THREAD_MULTIPLE);
}

}  // namespace
}  // namespace stretto::intercept::whatif
