// Nonblocking calls that are made again and again: as if each were the first.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "adding.hpp"
#include "engine/ready_calls.hpp"
#include "in_a_process.hpp"
#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

// Operations that are under way, or were not given back.
int attached_operations(MPI_Comm comm) { return communicators::find(comm)->operations; }

void take_most(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  auto* const most = static_cast<int*>(inout);
  for (int i = 0; i < *length; ++i) most[i] = std::max(most[i], static_cast<const int*>(in)[i]);
}

// Of numbers of one digit.
void append(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  auto* const digits = static_cast<int*>(inout);
  for (int i = 0; i < *length; ++i) {
    const int first = static_cast<const int*>(in)[i];
    int shift = 10;
    while (shift <= digits[i]) shift *= 10;
    digits[i] += first * shift;
  }
}

int sum_of(int value, MPI_Op op = MPI_SUM, MPI_Comm comm = MPI_COMM_WORLD) {
  int sum = 0;
  MPI_Request request{};
  EXPECT_EQ(MPI_Iallreduce(&value, &sum, 1, MPI_INT, op, comm, &request), MPI_SUCCESS);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  return sum;
}

// What rank 1 has, on a rank that has asked for `count` of `type`.
std::array<int, 6> broadcast(int rank, int count, MPI_Datatype type) {
  std::array<int, 6> data{};
  if (rank == 1) data = {1, 2, 3, 4, 5, 6};
  MPI_Request request{};
  EXPECT_EQ(MPI_Ibcast(data.data(), count, type, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  return data;
}

TEST(Ready, AskTheMpiNothingMoreAboutTheirArguments) {
  Program program(3);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    EXPECT_EQ(sum_of(rank), 3);
    const long asked = program.calls(rank, "Type_size_x");
    for (int i = 1; i < 20; ++i) EXPECT_EQ(sum_of(i * rank), 3 * i);
    EXPECT_EQ(program.calls(rank, "Type_size_x"), asked);
    EXPECT_EQ(handled("MPI_Iallreduce"), 20);
    const PlanCache::Counts plans = Engine::get().plans().counts();
    EXPECT_EQ(plans.built + plans.reused, 20);
    EXPECT_EQ(attached_operations(MPI_COMM_WORLD), 0);
  });
}

TEST(Ready, DifferByTheirBuffersAlone) {
  Program program(3);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    for (int round = 0; round < 4; ++round) {
      for (int count = 1; count <= 4; ++count) {
        std::array<int, 4> in_place{rank, rank + 1, rank + 2, rank + 3};
        std::array<int, 4> sums{};
        std::array<int, 4> most{};
        std::array<MPI_Request, 3> requests{};
        MPI_Iallreduce(in_place.data(), most.data(), count, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                       &requests[0]);
        MPI_Iallreduce(in_place.data(), sums.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                       &requests[1]);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
        MPI_Iallreduce(MPI_IN_PLACE, in_place.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                       &requests[2]);
        MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
        for (int i = 0; i < 4; ++i) {
          const auto at = static_cast<std::size_t>(i);
          EXPECT_EQ(sums[at], i < count ? 3 + 3 * i : 0);
          EXPECT_EQ(most[at], i < count ? 2 + i : 0);
          EXPECT_EQ(in_place[at], i < count ? 3 + 3 * i : rank + i);
        }
      }
      for (int root = 0; root < 3; ++root) {
        std::array<int, 3> all{-1, -1, -1};
        MPI_Request request{};
        MPI_Igather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        const std::array<int, 3> expected =
            rank == root ? std::array<int, 3>{0, 1, 2} : std::array<int, 3>{-1, -1, -1};
        EXPECT_EQ(all, expected);
      }
    }
  });
}

TEST(Ready, MayBeUnderWayAtTheSameTime) {
  constexpr std::size_t kMany = 9;
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    for (int round = 0; round < 5; ++round) {
      std::array<int, kMany> values{};
      std::array<int, kMany> sums{};
      std::array<MPI_Request, kMany> requests{};
      for (std::size_t i = 0; i < kMany; ++i) {
        values[i] = static_cast<int>(i) + rank;
        MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
      }
      MPI_Waitall(kMany, requests.data(), MPI_STATUSES_IGNORE);
      for (std::size_t i = 0; i < kMany; ++i) EXPECT_EQ(sums[i], 2 * static_cast<int>(i) + 1);
    }
    EXPECT_EQ(attached_operations(MPI_COMM_WORLD), 0);
  });
}

TEST(Ready, AreNotThoseWhoseTypeHasBeenFreed) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    MPI_Datatype first{};
    for (int size = 1; size <= 6; ++size) {
      MPI_Datatype type{};
      MPI_Type_contiguous(size, MPI_INT, &type);
      MPI_Type_commit(&type);
      if (size == 1) first = type;
      EXPECT_EQ(type, first);  // what this is about
      std::array<int, 6> expected{1, 2, 3, 4, 5, 6};
      std::fill(expected.begin() + (rank == 1 ? 6 : size), expected.end(), 0);
      EXPECT_EQ(broadcast(rank, 1, type), expected);
      MPI_Type_free(&type);
    }
  });
}

TEST(Ready, AreNotThoseWhoseOperationHasBeenFreed) {
  Program program(2);
  run_program(program, MPI_THREAD_MULTIPLE, [](int rank) {
    MPI_Op first{};
    for (int round = 0; round < 6; ++round) {
      MPI_Op op{};
      MPI_Op_create(round % 2 == 0 ? add : take_most, round % 3 == 0 ? 1 : 0, &op);
      if (round == 0) first = op;
      EXPECT_EQ(op, first);
      EXPECT_EQ(sum_of(rank + 1, op), round % 2 == 0 ? 3 : 2);
      MPI_Op_free(&op);
    }
    EXPECT_EQ(handled("MPI_Iallreduce"), 6);
  });
}

// A ring does not add in the order of the ranks.
TEST(ReadyDeathTest, AreNotThoseOfAnOperationThatWasCommutative) {
  expect_in_a_process([] {
    const Setting ring("STRETTO_SELECTION_ALLREDUCE", "ring");
    Program program(3);
    run_program(program, MPI_THREAD_MULTIPLE, [](int rank) {
      MPI_Op first{};
      for (int round = 0; round < 6; ++round) {
        const bool commutative = round % 2 == 0;
        MPI_Op op{};
        MPI_Op_create(commutative ? add : append, commutative ? 1 : 0, &op);
        if (round == 0) first = op;
        EXPECT_EQ(op, first);
        EXPECT_EQ(sum_of(rank + 1, op), commutative ? 6 : 123);
        MPI_Op_free(&op);
      }
      EXPECT_EQ(handled("MPI_Iallreduce"), 3);
      EXPECT_EQ(passed("MPI_Iallreduce", Reason::changes_rank_order), 3);
    });
  });
}

TEST(Ready, AreNotThoseOfACommunicatorThatHasBeenFreed) {
  Program program(3);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    MPI_Comm first{};
    for (int round = 0; round < 6; ++round) {
      MPI_Comm comm{};
      // All three, or two and one.
      MPI_Comm_split(MPI_COMM_WORLD, round % 2 == 0 || rank < 2 ? 0 : 1, -rank, &comm);
      if (round == 0) first = comm;
      EXPECT_EQ(comm, first);
      const int of_two = rank < 2 ? 1 : 2;
      for (int call = 0; call < 3; ++call) {
        EXPECT_EQ(sum_of(rank, MPI_SUM, comm), round % 2 == 0 ? 3 : of_two);
      }
      MPI_Comm_free(&comm);
    }
  });
}

TEST(Ready, RunAgainAfterOneHasFailed) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(sum_of(rank), 1);
    EXPECT_EQ(sum_of(rank), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) program.fail(0, "Reduce_local", 1, MPI_ERR_NO_MEM);
    int sum = 0;
    MPI_Request request{};
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), rank == 0 ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(sum_of(i + rank), 2 * i + 1);
    EXPECT_EQ(attached_operations(MPI_COMM_WORLD), 0);
  });
}

TEST(Ready, AreRefusedWhereTheirArgumentsAreWrong) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(broadcast(rank, 6, MPI_INT), (std::array<int, 6>{1, 2, 3, 4, 5, 6}));
    std::array<int, 6> data{};
    MPI_Request request{};
    EXPECT_NE(MPI_Ibcast(data.data(), 6, MPI_INT, 2, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    EXPECT_EQ(broadcast(rank, 6, MPI_INT), (std::array<int, 6>{1, 2, 3, 4, 5, 6}));
  });
}

// More kinds than there are places for.
TEST(Ready, GiveWayToOthers) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    std::array<int, 300> mine{};
    std::array<int, 300> sums{};
    for (int round = 0; round < 3; ++round) {
      for (int count = 1; count <= 300; ++count) {
        mine.fill(rank + count);
        sums.fill(0);
        MPI_Request request{};
        MPI_Iallreduce(mine.data(), sums.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(std::count(sums.begin(), sums.end(), 2 * count + 1), count);
      }
    }
    // And what is repeated is known again.
    EXPECT_EQ(sum_of(rank), 1);
    const long asked = program.calls(rank, "Type_size_x");
    EXPECT_EQ(sum_of(rank), 1);
    EXPECT_EQ(program.calls(rank, "Type_size_x"), asked);
  });
}

}  // namespace
}  // namespace stretto::intercept::accelerate
