// What a rank says that waits for long.

#include <gtest/gtest.h>

#include <string>

#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;

// By its number in MPI_COMM_WORLD, whatever the communicator calls it.
TEST(Stall, NamesWhoIsWaitedForAndInWhat) {
  const Setting soon("STRETTO_STALL_SECONDS", "1");
  Job job(3);
  testing::internal::CaptureStderr();
  fake_mpi::run_with_stretto(job, [](int rank) {
    MPI_Comm reversed{};
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    ASSERT_TRUE(communicators::attach(reversed));
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1600));
    int data = 0;
    EXPECT_EQ(run_blocking(bcast(attached(reversed), &data, 1, 2)), MPI_SUCCESS);
    MPI_Comm_free(&reversed);
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("has waited 1 s for rank 0 in bcast on 3 ranks"), std::string::npos) << said;
}

TEST(Stall, IsNotSaidWhereItIsOff) {
  const Setting never("STRETTO_STALL_SECONDS", "0");
  Job job(2);
  testing::internal::CaptureStderr();
  fake_mpi::run_with_stretto(job, [](int rank) {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    EXPECT_EQ(run_blocking(barrier(attached(MPI_COMM_WORLD))), MPI_SUCCESS);
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// A wait for a message of the MPI's own is none of Stretto's.
TEST(Stall, IsNotSaidOfTheMpisOwn) {
  const Setting soon("STRETTO_STALL_SECONDS", "1");
  Job job(1);
  testing::internal::CaptureStderr();
  fake_mpi::run_with_stretto(job, [](int /*rank*/) {
    const std::int64_t until = now_ns() + 1'300'000'000;
    Engine::get().wait_until([until] { return now_ns() > until; });
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace stretto
