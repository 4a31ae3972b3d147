// What the progress thread does, and when it keeps out.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;

TEST(ProgressThread, MovesAnOperationAlongWithoutACallOfTheProgram) {
  Job job(3);
  run_with_stretto(job, [&](int rank) {
    int sum = 0;
    Operation* const operation =
        Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1), true, {});
    fake_mpi::eventually([&] { return operation->done(); });
    EXPECT_EQ(sum, 3);
    Engine::release(operation);
  });
}

// One late rank delays nobody that does not need its data.
TEST(ProgressThread, ForwardsForARankThatComputes) {
  Job job(4);
  run_with_stretto(job, [&](int rank) {
    int data = rank == 0 ? 9 : 0;
    Operation* const operation =
        Engine::get().start(bcast(attached(MPI_COMM_WORLD), &data, 1, 0), true, {});
    if (rank == 2) {
      // Its child in the tree waits for what it forwards; it itself makes no call.
      int done = 0;
      MPI_Recv(&done, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      Engine::get().wait(*operation);
      EXPECT_EQ(data, 9);
      if (rank == 3) MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    Engine::get().wait(*operation);
    EXPECT_EQ(data, 9);
    Engine::release(operation);
  });
}

TEST(ProgressThread, SleepsWhileNothingIsPending) {
  Job job(1);
  run_with_stretto(job, [](int /*rank*/) {
    const long wakeups = Engine::get().progress_wakeups();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(Engine::get().progress_wakeups(), wakeups);
  });
}

// Then that thread drives, and two would take turns with the lock.
TEST(ProgressThread, KeepsOutWhileAThreadOfTheProgramWaits) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    Engine& engine = Engine::get();
    int sum = 0;
    if (rank == 0) job.hold([](const fake_mpi::Envelope& each) { return each.from != each.to; });
    MPI_Barrier(MPI_COMM_WORLD);
    Operation* const operation =
        engine.start(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1), true, {});
    std::atomic<long> before{-1};
    std::atomic<long> after{-1};
    RankContext& here = RankContext::current();
    std::thread waits([&] {
      const Running running(here);
      int asked = 0;  // the first time before it waits
      engine.wait_until([&] {
        if (++asked == 2) {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it may be on its way
          before = engine.progress_wakeups();
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
          after = engine.progress_wakeups();
        }
        return operation->done();
      });
    });
    fake_mpi::eventually([&] { return after >= 0; });
    EXPECT_LE(after - before, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release();
    waits.join();
    EXPECT_EQ(sum, 1);
    Engine::release(operation);
  });
}

// Any call that looks for messages moves the MPI's own along.
TEST(ProgressThread, LooksForTheMpisOwnWhereOnlyThoseArePending) {
  Job job(1);
  run_with_stretto(job, [&](int /*rank*/) {
    const long before = job.calls(0, "Iprobe");
    Engine::get().add_background(1);
    fake_mpi::eventually([&] { return job.calls(0, "Iprobe") > before + 2; });
    Engine::get().add_background(-1);
  });
}

TEST(ProgressThread, CanBeEndedBeforeTheRest) {
  Job job(2);
  run_with_stretto(job, [](int rank) {
    Engine::get().stop_thread();
    EXPECT_FALSE(Engine::get().has_progress_thread());
    Engine::get().stop_thread();
    int sum = 0;
    Operation* const operation =
        Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1), true, {});
    Engine::get().wait(*operation);
    EXPECT_EQ(sum, 1);
    Engine::release(operation);
  });
}

}  // namespace
}  // namespace stretto
