// Calls that test or wait go straight to the MPI where nothing of Stretto's needs them, and only
// then.

#include "engine/attention.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

// A program that holds no request asks about none.
bool is_over() {
  int flag = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  EXPECT_EQ(MPI_Test(&none, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  return needs_no_attention();
}

void each_ends_it(Program& program, const std::function<void(int rank)>& body) {
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    fake_mpi::eventually(is_over);
    body(rank);
    fake_mpi::eventually(is_over);
  });
}
void each_ends_it(const std::function<void(int rank)>& body) {
  Program program(2);
  each_ends_it(program, body);
}

// In how many wrappers the MPI is when it asks the program about a request of the program's own.
int wrappers_of_a_wait() {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Wait(&none, MPI_STATUS_IGNORE);  // the first one finds out where the MPI's function is
  int wrappers = -1;
  const auto query = [](void* to, MPI_Status* status) {
    *static_cast<int*>(to) = this_thread.wrappers;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
  };
  MPI_Request request{};
  MPI_Grequest_start(
      query, [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, &wrappers,
      &request);
  MPI_Grequest_complete(request);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  return wrappers;
}

TEST(Attention, WithoutItCallsGoStraightToTheMpi) {
  each_ends_it([](int rank) {
    EXPECT_EQ(wrappers_of_a_wait(), 0);
    MPI_Request request{};
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    EXPECT_EQ(wrappers_of_a_wait(), 1);
    MPI_Request_free(&request);
    fake_mpi::eventually(is_over);
    EXPECT_EQ(wrappers_of_a_wait(), 0) << rank;
  });
}

TEST(Attention, GoesToARequestUntilTheMpiHasFreedIt) {
  each_ends_it([](int rank) {
    int sum = 0;
    MPI_Request request{};
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    EXPECT_FALSE(needs_no_attention());
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
  });
}

TEST(Attention, GoesToWhatIsPendingWhenItsRequestHasBeenFreed) {
  Program program(2);
  each_ends_it(program, [&](int rank) {
    if (rank == 0)
      program.hold([](const fake_mpi::Envelope& each) { return each.from != each.to; });
    native().Barrier(MPI_COMM_WORLD);
    static std::array<int, 2> sums{};
    static std::array<int, 2> ranks{0, 1};
    const auto me = static_cast<std::size_t>(rank);
    MPI_Request request{};
    MPI_Iallreduce(&ranks[me], &sums[me], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    EXPECT_FALSE(needs_no_attention());
    EXPECT_FALSE(is_over());
    native().Barrier(MPI_COMM_WORLD);
    if (rank == 0) program.release();
    fake_mpi::eventually(is_over);
    EXPECT_EQ(sums[me], 1);
  });
}

TEST(Attention, GoesToPersistentCollectivesUntilTheyAreFreed) {
  each_ends_it([](int rank) {
    int most = -1;
    MPI_Request request{};
    MPI_Allreduce_init(&rank, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(needs_no_attention());
      MPI_Start(&request);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(most, 1);
    }
    MPI_Request_free(&request);
  });
}

TEST(Attention, GoesToTypesThatAreFreedLater) {
  each_ends_it([](int rank) {
    MPI_Datatype pair{};
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    std::array<int, 2> data{rank, rank};
    MPI_Request request{};
    MPI_Ibcast(data.data(), 1, pair, 1, MPI_COMM_WORLD, &request);
    MPI_Type_free(&pair);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(data[1], 1);
  });
}

}  // namespace
}  // namespace stretto::intercept::accelerate
