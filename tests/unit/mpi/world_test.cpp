#include "mpi/world.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

TEST(World, EachRankIsToldEveryRanksValue) {
  fake_mpi::Job job(3);
  job.run([](int rank) {
    const std::vector<int> all = of_all_ranks(10 * rank, 3, MPI_COMM_WORLD);
    EXPECT_EQ(all, (std::vector<int>{0, 10, 20}));
  });
}

TEST(World, BetweenGroupsThoseOfTheOther) {
  fake_mpi::Job job(2, {.others = 1});
  job.run([](int rank) {
    MPI_Comm comm = fake_mpi::connect_worlds();
    const std::vector<int> all = of_all_ranks(rank, rank == 2 ? 2 : 1, comm);
    EXPECT_EQ(all, (rank == 2 ? std::vector<int>{0, 1} : std::vector<int>{2}));
    MPI_Comm_free(&comm);
  });
}

TEST(World, OnlyRanksWithAParentAreSpawned) {
  fake_mpi::Job job(1, {.others = 2, .others_are_children = true});
  job.run([](int rank) { EXPECT_EQ(is_spawned(), rank > 0); });
}

TEST(World, ACopyOfItHasItsRanksAndNoneOfItsMessages) {
  fake_mpi::Job job(2);
  job.run([](int rank) {
    MPI_Comm copy = copy_of_world();
    int size = 0;
    int number = -1;
    MPI_Comm_size(copy, &size);
    MPI_Comm_rank(copy, &number);
    EXPECT_EQ(size, 2);
    EXPECT_EQ(number, rank);
    int got = 0;
    if (rank == 0) {
      const int first = 1;
      const int second = 2;
      MPI_Send(&first, 1, MPI_INT, 1, 0, copy);
      MPI_Send(&second, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, 2);
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, 1);
    }
    MPI_Comm_free(&copy);
  });
}

TEST(World, RanksOfAnotherAreInNone) {
  fake_mpi::Job job(2, {.others = 1});
  job.run([](int rank) {
    MPI_Comm comm = fake_mpi::connect_worlds();
    MPI_Group mine{};
    MPI_Group theirs{};
    MPI_Comm_group(comm, &mine);
    MPI_Comm_remote_group(comm, &theirs);
    if (rank < 2) {
      EXPECT_EQ(ranks_in_world(mine), (std::vector<int>{0, 1}));
      EXPECT_EQ(ranks_in_world(theirs), (std::vector<int>{MPI_UNDEFINED}));
    } else {
      EXPECT_EQ(ranks_in_world(mine), (std::vector<int>{0}));
    }
    MPI_Group_free(&mine);
    MPI_Group_free(&theirs);
    MPI_Comm_free(&comm);
  });
}

}  // namespace
}  // namespace stretto
