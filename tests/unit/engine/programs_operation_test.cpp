// Operations of the program's: who runs them, and what goes on meanwhile.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;

std::atomic<std::thread::id> ran_on;
std::atomic<int> runs{0};
void add_and_note(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  ran_on = std::this_thread::get_id();
  ++runs;
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

class ProgramsOperation : public testing::Test {
 protected:
  // Each of two ranks has an allreduce by it pending, started by a program of that level.
  template <class Body>
  void run(int level, const Body& body) {
    const fake_mpi::NeverNative never_native;
    runs = 0;
    job.run([&](int rank) {
      ASSERT_TRUE(Engine::get().open(level, true));
      communicators::expect_world();
      ASSERT_TRUE(communicators::attach(MPI_COMM_WORLD));
      MPI_Op op{};
      MPI_Op_create(add_and_note, 1, &op);
      int sum = 0;
      Operation* const operation =
          Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1, op), true, {});
      body(rank, *operation);
      Engine::get().wait(*operation);
      EXPECT_EQ(sum, 1);
      Engine::release(operation);
      MPI_Op_free(&op);
      stretto_finalize();
    });
  }
  Job job{2};
};

TEST_F(ProgramsOperation, RunsOnTheProgressThreadOfAProgramThatHasThreads) {
  run(MPI_THREAD_MULTIPLE, [](int /*rank*/, const Operation& operation) {
    fake_mpi::eventually([&] { return operation.done(); });
    EXPECT_NE(ran_on.load(), std::this_thread::get_id());
  });
  EXPECT_EQ(runs, 2);
}

// It has never asked for a function of its own to run beside it.
TEST_F(ProgramsOperation, WaitsForTheProgramsCallOtherwise) {
  run(MPI_THREAD_SINGLE, [](int /*rank*/, const Operation& operation) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(operation.done());
  });
  EXPECT_EQ(runs, 2);
}

// What it does for one operation another thread does not wait for.
std::atomic<bool> may_end{true};
void wait_to_add(void* in, void* inout, int* length, MPI_Datatype* type) {
  while (!may_end) std::this_thread::yield();
  add_and_note(in, inout, length, type);
}

TEST(ProgressThreadBeside, AnotherThreadsWaitIsNotHeldUpByAFunctionOfTheProgram) {
  Job job(2);
  may_end = false;
  run_with_stretto(job, [](int rank) {
    MPI_Op op{};
    MPI_Op_create(wait_to_add, 1, &op);
    MPI_Comm other{};
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    ASSERT_TRUE(communicators::attach(other));
    int slow = 0;
    Operation* const operation =
        Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &rank, &slow, 1, op), true, {});
    for (int i = 0; i < 5; ++i) {
      int sum = 0;
      EXPECT_EQ(run_blocking(allreduce(attached(other), &rank, &sum, 1)), MPI_SUCCESS);
      EXPECT_EQ(sum, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    may_end = true;
    Engine::get().wait(*operation);
    EXPECT_EQ(slow, 1);
    Engine::release(operation);
    MPI_Comm_free(&other);
    MPI_Op_free(&op);
  });
}

// Who holds a lock of the program's that such a function needs may begin an operation with it.
thread_local bool is_programs = false;
std::atomic<int> ran_on_programs{0};
void note_thread(void* in, void* inout, int* length, MPI_Datatype* type) {
  if (is_programs) ++ran_on_programs;
  add_and_note(in, inout, length, type);
}

TEST(ProgressThreadBeside, WhoBeginsAnOperationDoesNotRunItsFunction) {
  Job job(2);
  job.delay("Pack", std::chrono::milliseconds(50));  // meanwhile all messages come to rank 1
  ran_on_programs = 0;
  run_with_stretto(job, [](int rank) {
    is_programs = true;
    MPI_Op op{};
    MPI_Op_create(note_thread, 1, &op);
    MPI_Datatype packed{};  // when it is copied
    MPI_Type_vector(1, 1, 1, MPI_INT, &packed);
    int sum = 0;
    if (rank == 1) MPI_Barrier(MPI_COMM_WORLD);
    Operation* const operation = Engine::get().start(
        allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1, op, packed), true, {});
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    fake_mpi::eventually([&] { return operation->done(); });
    EXPECT_EQ(sum, 1);
    Engine::release(operation);
    MPI_Type_free(&packed);
    MPI_Op_free(&op);
  });
  EXPECT_EQ(ran_on_programs, 0);
}

// Without the thread, as where the MPI is to be finalized by the thread that began it.
TEST(ProgressThreadBeside, WhatIsPendingInTheEndRunsItsFunctionWithoutTheThread) {
  Job job(2);
  std::array<int, 2> sums{};
  const std::array<int, 2> in{2, 3};
  run_with_stretto(job, [&](int rank) {
    const auto me = static_cast<std::size_t>(rank);
    MPI_Op op{};
    MPI_Op_create(add_and_note, 1, &op);
    Engine::get().stop_thread();
    Engine::release(Engine::get().start(
        allreduce(attached(MPI_COMM_WORLD), &in[me], &sums[me], 1, op), true, {}));
    stretto_finalize();
    MPI_Op_free(&op);
  });
  EXPECT_EQ(sums, (std::array<int, 2>{5, 5}));
}

// Reaches nobody, and notes whether its rank says that it polls all the time.
class Listener final : public Transport {
 public:
  explicit Listener(std::atomic<bool>& attends) : attends_(attends) {}
  [[nodiscard]] Joined join(const Group& /*group*/) override { return {}; }
  void leave(Opaque /*group*/) override {}
  int post_send(const Piece& /*data*/, const Endpoint& /*to*/, Token /*token*/) override {
    return MPI_ERR_OTHER;
  }
  int post_recv(const Piece& /*data*/, const Endpoint& /*from*/, Token /*token*/) override {
    return MPI_ERR_OTHER;
  }
  [[nodiscard]] bool idle() const override { return true; }
  const std::vector<Completed>& poll() override { return none_; }
  void attend(bool polls) override { attends_ = polls; }
  [[nodiscard]] std::vector<Token> in_flight() const override { return {}; }
  void cancel_receives(const void* /*owner*/) override {}

 private:
  std::atomic<bool>& attends_;
  std::vector<Completed> none_;
};

std::array<std::atomic<bool>, 2> attends;  // by rank

std::atomic<bool>& my_attention() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return attends[static_cast<std::size_t>(rank)];
}

Transports with_listener() {
  Transports transports = fake_mpi::by_the_mpi();
  transports.insert(transports.begin(), std::make_unique<Listener>(my_attention()));
  return transports;
}

void wait_elsewhere(void* in, void* inout, int* length, MPI_Datatype* type) {
  RankContext& here = RankContext::current();
  std::thread([&] {
    const Running running(here);
    int asked = 0;
    Engine::get().wait_until([&] { return ++asked == 2; });
  }).join();
  add_and_note(in, inout, length, type);
}

TEST(ProgressThreadBeside, AWaitDuringAFunctionOfTheProgramDoesNotEndTheOther) {
  Job job(2);
  const auto program = [](int rank) {
    MPI_Op op{};
    MPI_Op_create(wait_elsewhere, 1, &op);
    Engine::get().stop_thread();
    int sum = 0;
    Operation* const operation =
        Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1, op), true, {});
    const AwaitedAll all;
    bool attended = false;
    Engine::get().wait_until([&] {
      attended = my_attention();
      return operation->done();
    });
    EXPECT_TRUE(attended);
    EXPECT_FALSE(my_attention());
    EXPECT_EQ(sum, 1);
    Engine::release(operation);
    MPI_Op_free(&op);
  };
  run_with_stretto(job, program, with_listener);
}

// A function of the program's may call MPI, and so come to the engine again.
void call_back(void* in, void* inout, int* length, MPI_Datatype* type) {
  int sum = 0;
  const int one = 1;
  EXPECT_EQ(run_blocking(allreduce(attached(MPI_COMM_SELF), &one, &sum, 1)), MPI_SUCCESS);
  EXPECT_EQ(sum, 1);
  Engine::get().progress();
  add_and_note(in, inout, length, type);
}

TEST(ProgressThreadBeside, AFunctionOfTheProgramMayCallStretto) {
  Job job(3);
  run_with_stretto(job, [](int rank) {
    MPI_Op op{};
    MPI_Op_create(call_back, 1, &op);
    for (const bool background : {false, true}) {
      int sum = 0;
      Operation* const operation = Engine::get().start(
          allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1, op), background, {});
      Engine::get().wait(*operation);
      EXPECT_EQ(sum, 3);
      Engine::release(operation);
    }
    MPI_Op_free(&op);
  });
}

}  // namespace
}  // namespace stretto
