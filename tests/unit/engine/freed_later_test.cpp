// Datatypes and operations that the program frees while something uses them.

#include <gtest/gtest.h>

#include "adding.hpp"
#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;

// With the messages of two ranks held back until `body` has run on both.
template <class Body>
void with_messages_held(const Body& body) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    if (rank == 0) job.hold([](const fake_mpi::Envelope& each) { return each.from != each.to; });
    MPI_Barrier(MPI_COMM_WORLD);
    body(rank, [&] {
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) job.release();
    });
  });
}

TEST(FreedLater, WhatNothingUsesIsFreedAtOnce) {
  Job job(1);
  run_with_stretto(job, [](int /*rank*/) {
    EXPECT_FALSE(Engine::get().free_type_later(MPI_INT));
    EXPECT_FALSE(Engine::get().free_op_later(MPI_SUM));
  });
}

TEST(FreedLater, ATypeAndAnOperationLiveAsLongAsWhatUsesThem) {
  with_messages_held([](int rank, const auto& release) {
    MPI_Op op{};
    MPI_Op_create(add, 1, &op);
    MPI_Datatype type{};
    MPI_Type_contiguous(1, MPI_INT, &type);
    Communicator& world = attached(MPI_COMM_WORLD);
    int sum = 0;
    int data = rank == 0 ? 5 : 0;
    Operation* const sums = Engine::get().start(allreduce(world, &rank, &sum, 1, op), true, {});
    Operation* const copies = Engine::get().start(bcast(world, &data, 1, 0, type), true, {});
    // The root's messages may be on their way, with nothing more to do for it.
    if (!Engine::get().free_type_later(type)) {
      EXPECT_EQ(rank, 0);
      MPI_Type_free(&type);
    }
    EXPECT_TRUE(Engine::get().free_op_later(op));
    EXPECT_FALSE(Engine::get().free_type_later(MPI_DOUBLE));
    release();
    Engine::get().wait(*sums);
    Engine::get().wait(*copies);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(data, 5);
    Engine::release(sums);
    Engine::release(copies);
  });  // nothing is left
}

// Two use it: it is freed with the second.
TEST(FreedLater, TheLastThatUsesItFreesIt) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    MPI_Datatype type{};
    MPI_Type_contiguous(1, MPI_INT, &type);
    Communicator& world = attached(MPI_COMM_WORLD);
    int first = rank == 0 ? 1 : 0;
    int second = rank == 0 ? 2 : 0;
    if (rank == 0) job.hold([](const fake_mpi::Envelope& each) { return each.from != each.to; });
    MPI_Barrier(MPI_COMM_WORLD);
    Operation* const one = Engine::get().start(bcast(world, &first, 1, 0, type), true, {});
    Operation* const other = Engine::get().start(bcast(world, &second, 1, 0, type), true, {});
    // The root's short messages may be gone, and nothing uses it any more there.
    const bool later = Engine::get().free_type_later(type);
    EXPECT_TRUE(later || rank == 0);
    if (!later) MPI_Type_free(&type);
    fake_mpi::eventually([&] { return rank == 1 || job.held() == 2; });
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release(1);
    Engine::get().wait(*one);
    if (rank == 1) {
      EXPECT_EQ(job.calls(rank, "Type_free"), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release();
    Engine::get().wait(*other);
    Engine::get().free_released();
    EXPECT_EQ(job.calls(rank, "Type_free"), 1);
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 2);
    Engine::release(one);
    Engine::release(other);
  });
}

TEST(FreedLater, APersistentOperationHoldsItUntilItIsFreed) {
  Job job(1);
  run_with_stretto(job, [&](int /*rank*/) {
    MPI_Datatype type{};
    MPI_Type_contiguous(1, MPI_INT, &type);
    int data = 0;
    const Task task = bcast(attached(MPI_COMM_SELF), &data, 1, 0, type);
    Engine::get().hold(task);
    EXPECT_TRUE(Engine::get().free_type_later(type));
    Engine::get().progress();
    EXPECT_EQ(job.calls(0, "Type_free"), 0);
    EXPECT_TRUE(needs_no_attention());
    Engine::get().let_go(task);
    EXPECT_FALSE(needs_no_attention());
    Engine::get().progress();
    EXPECT_EQ(job.calls(0, "Type_free"), 1);
  });
}

}  // namespace
}  // namespace stretto
