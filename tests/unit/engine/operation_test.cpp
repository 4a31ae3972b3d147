// Operations that fail, at each place where one can.

#include "engine/operation.hpp"

#include <gtest/gtest.h>

#include <array>

#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"
#include "transport/fake_transport.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::NeverNative;
using fake_mpi::run_with_stretto;
using fake_mpi::WithStretto;
using Fails = FakeNetwork::Fails;

class CopiesTest : public testing::Test {
 protected:
  // A broadcast on one rank, of elements with gaps: packed before, unpacked after.
  int run() {
    int error = MPI_SUCCESS;
    run_with_stretto(job, [&](int /*rank*/) {
      MPI_Datatype gapped{};
      MPI_Type_vector(3, 1, 2, MPI_INT, &gapped);
      std::array<int, 5> from{1, 2, 3, 4, 5};
      std::array<int, 3> packed{};
      Task task = bcast(attached(MPI_COMM_SELF), packed.data(), 3, 0);
      const Piece outside = Block{from.data(), Element::of(gapped)}.piece({0, 1});
      const Piece inside = Block{packed.data(), Element::of(MPI_INT)}.piece({0, 3});
      const Piece back = Block{to.data(), Element::of(gapped)}.piece({0, 1});
      task.binding.before = {outside, inside};
      task.binding.after = {inside, back};
      error = run_blocking(std::move(task));
      MPI_Type_free(&gapped);
    });
    return error;
  }
  Job job{1};
  std::array<int, 5> to{};
};

TEST_F(CopiesTest, AreMadeBeforeTheFirstStepAndAfterTheLast) {
  EXPECT_EQ(run(), MPI_SUCCESS);
  EXPECT_EQ(to, (std::array<int, 5>{1, 0, 3, 0, 5}));
}

TEST_F(CopiesTest, OneThatFailsBeforeIsTheOperationsError) {
  job.fail(0, "Pack", 1, MPI_ERR_NO_MEM);
  EXPECT_EQ(run(), MPI_ERR_NO_MEM);
  EXPECT_EQ(to, (std::array<int, 5>{}));
}

TEST_F(CopiesTest, OneThatFailsAfterIsToo) {
  job.fail(0, "Unpack", 1, MPI_ERR_NO_MEM);
  EXPECT_EQ(run(), MPI_ERR_NO_MEM);
}

// Whether they are posted under the lock, where that may be, or without.
class FailedMessages : public testing::TestWithParam<bool> {};

// The other rank would wait for what is never sent, and so does not begin.
TEST_P(FailedMessages, ASendThatIsNotPostedEndsItAndItsReceivesAreGivenUp) {
  const NeverNative never_native;
  Job job(2);
  const auto network = std::make_shared<FakeNetwork>();
  job.run([&](int rank) {
    Transports transports;
    transports.push_back(
        std::make_unique<FakeTransport>(network, [](int, int) { return true; }, GetParam()));
    transports.push_back(std::make_unique<MpiTransport>());
    const WithStretto stretto(std::move(transports));
    if (rank == 1) return;
    network->fail_next(Fails::send, MPI_ERR_NO_MEM);
    int sum = 0;
    Communicator& world = attached(MPI_COMM_WORLD);
    EXPECT_EQ(run_blocking(allreduce(world, &rank, &sum, 1)), MPI_ERR_NO_MEM);
    EXPECT_EQ(world.operations, 0);
  });
}

TEST_P(FailedMessages, OneThatArrivesAsAnErrorEndsTheOperationThatReceivesIt) {
  const NeverNative never_native;
  Job job(2);
  const auto network = std::make_shared<FakeNetwork>();
  std::array<int, 2> errors{};
  job.run([&](int rank) {
    Transports transports;
    transports.push_back(
        std::make_unique<FakeTransport>(network, [](int, int) { return true; }, GetParam()));
    transports.push_back(std::make_unique<MpiTransport>());
    const WithStretto stretto(std::move(transports));
    Communicator& world = attached(MPI_COMM_WORLD);
    network->fail_next(Fails::arrival, MPI_ERR_TRUNCATE);
    MPI_Barrier(MPI_COMM_WORLD);
    int data = rank;
    errors[static_cast<std::size_t>(rank)] = run_blocking(bcast(world, &data, 1, 0));
    // Those that follow are none the worse.
    for (int i = 0; i < 3; ++i) {
      int sum = 0;
      EXPECT_EQ(run_blocking(allreduce(world, &rank, &sum, 1)), MPI_SUCCESS);
      EXPECT_EQ(sum, 1);
    }
  });
  EXPECT_EQ(errors, (std::array<int, 2>{MPI_SUCCESS, MPI_ERR_TRUNCATE}));
}

// Numbers that a failed operation gives up are not waited for by those that follow, however few
// tags there are.
TEST_P(FailedMessages, WhatItNeverPostsKeepsNobodyWaiting) {
  const NeverNative never_native;
  const Setting few("STRETTO_TAG_BITS", "13");
  Job job(2);
  const auto network = std::make_shared<FakeNetwork>();
  job.run([&](int rank) {
    Transports transports;
    transports.push_back(
        std::make_unique<FakeTransport>(network, [](int, int) { return true; }, GetParam()));
    transports.push_back(std::make_unique<MpiTransport>());
    const WithStretto stretto(std::move(transports));
    Communicator& world = attached(MPI_COMM_WORLD);
    std::vector<int> in(1000, 1);
    std::vector<int> out(1000);
    MPI_Op bad = MPI_MAXLOC;  // is not defined for ints
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(run_blocking(allreduce(world, in.data(), out.data(), 1000, bad)), MPI_ERR_OP);
    }
    EXPECT_EQ(run_blocking(allreduce(world, in.data(), out.data(), 1000)), MPI_SUCCESS);
    EXPECT_EQ(out[999], 2);
    EXPECT_EQ(rank, world.rank);
  });
}

INSTANTIATE_TEST_SUITE_P(AtOnceOrNot, FailedMessages, testing::Bool());

TEST(Operation, BlocksWithoutDataAreNotSent) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    Communicator& world = attached(MPI_COMM_WORLD);
    MPI_Datatype empty{};
    MPI_Type_contiguous(0, MPI_INT, &empty);
    const long sent = job.calls(rank, "Isend");
    int data = 0;
    EXPECT_EQ(run_blocking(bcast(world, &data, 5, 0, empty)), MPI_SUCCESS);
    EXPECT_EQ(job.calls(rank, "Isend"), sent);
    EXPECT_EQ(run_blocking(barrier(world)), MPI_SUCCESS);  // a signal is
    EXPECT_GT(job.calls(rank, "Isend"), sent);
    MPI_Type_free(&empty);
  });
}

Task sum_of(const double& mine, double& sum) {
  Binding binding;
  binding.send = {const_cast<double*>(&mine), Element::of(MPI_DOUBLE)};
  binding.recv = {&sum, Element::of(MPI_DOUBLE)};
  binding.scratch = Element::of(MPI_DOUBLE);
  binding.op = MPI_SUM;
  return task_of(attached(MPI_COMM_WORLD), Collective::allreduce, "recursive_doubling",
                 {.count = 1}, std::move(binding));
}

// What it reduces on the progress thread is rounded as the program has set it for its own.
TEST(Operation, RoundsAsTheThreadThatBeganIt) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    std::fesetround(FE_UPWARD);
    const double mine = rank == 0 ? 1.0 : 1e-30;
    double sum = 0;
    Operation* const operation = Engine::get().start(sum_of(mine, sum), true, {});
    fake_mpi::eventually([&] { return operation->done(); });
    std::fesetround(FE_TONEAREST);
    EXPECT_GT(sum, 1.0);
    Engine::release(operation);
  });
}

// Whoever waits computes, and may round otherwise by then: the ranks' results would differ.
TEST(Operation, RoundsAsItsThreadDidWhenItBegan) {
  Job job(2, {.thread_level = MPI_THREAD_SERIALIZED});
  run_with_stretto(job, [&](int rank) {
    ASSERT_FALSE(Engine::get().has_progress_thread());
    std::fesetround(FE_UPWARD);
    const double mine = rank == 0 ? 1.0 : 1e-30;
    double sum = 0;
    Operation* const operation = Engine::get().start(sum_of(mine, sum), false, {});
    std::fesetround(FE_TONEAREST);
    Engine::get().wait(*operation);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_GT(sum, 1.0);
    Engine::release(operation);
  });
}

TEST(Operation, KnowsWhatItUses) {
  Job job(1);
  job.run([](int /*rank*/) {
    Binding binding;
    binding.send.element = Element::bytes_of(1);
    binding.scratch = Element::of(MPI_DOUBLE);
    binding.recv.parts = {Piece{.type = opaque(MPI_INT)}, Piece{.type = opaque(MPI_CHAR)}};
    binding.after = {Piece{.type = opaque(MPI_LONG)}, Piece{.type = opaque(MPI_SHORT)}};
    for (const MPI_Datatype type : {MPI_BYTE, MPI_DOUBLE, MPI_INT, MPI_CHAR, MPI_LONG, MPI_SHORT}) {
      EXPECT_TRUE(uses_type(binding, type));
    }
    EXPECT_FALSE(uses_type(binding, MPI_FLOAT));
  });
}

}  // namespace
}  // namespace stretto
