// Collectives that are the MPI's go straight to it where Stretto has nothing to do but to count
// them, and only then.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "intercept/accelerate/hooks.hpp"
#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr int kBcast = 3;  // kEntryPointNames

// A broadcast by rank 0, unless that is changed.
Call broadcast(MPI_Comm comm) {
  return {.collective = Collective::bcast,
          .form = Form::blocking,
          .recvcount = 1,
          .recvtype = MPI_INT,
          .root = 0,
          .comm = comm};
}
bool is_straight(const Call& call) { return goes_straight(kBcast, call); }

// Makes a call, so that this thread has found the communicator last.
void broadcast_once(MPI_Comm comm) {
  int number = 7;
  EXPECT_EQ(MPI_Bcast(&number, 1, MPI_INT, 0, comm), MPI_SUCCESS);
}

// Of one rank alone collectives are the MPI's.
void each_for_itself(const std::function<void()>& body) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int /*rank*/) {
    broadcast_once(MPI_COMM_SELF);
    body();
  });
}

long passed_broadcasts() { return passed("MPI_Bcast", Reason::one_rank); }

TEST(Straight, AreCollectivesThatAreTheMpisAndAreCounted) {
  each_for_itself([] {
    ASSERT_EQ(std::string(kEntryPointNames[kBcast]), "MPI_Bcast");
    const long before = passed_broadcasts();
    EXPECT_TRUE(is_straight(broadcast(MPI_COMM_SELF)));
    EXPECT_EQ(passed_broadcasts(), before + 1);
    for (int i = 0; i < 3; ++i) broadcast_once(MPI_COMM_SELF);
    EXPECT_EQ(passed_broadcasts(), before + 4);
    broadcast_once(MPI_COMM_WORLD);
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_WORLD)));
    EXPECT_EQ(passed_broadcasts(), before + 4);
    EXPECT_EQ(handled("MPI_Bcast"), 1);
  });
}

TEST(Straight, AreNoneOnAnotherCommunicatorThanTheLast) {
  each_for_itself([] {
    MPI_Comm other{};
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_SELF)));  // handles may have come to mean others
    EXPECT_FALSE(is_straight(broadcast(other)));
    broadcast_once(other);
    EXPECT_TRUE(is_straight(broadcast(other)));
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_SELF)));
    const MPI_Comm freed = other;
    MPI_Comm_free(&other);
    EXPECT_FALSE(is_straight(broadcast(freed)));
    broadcast_once(MPI_COMM_SELF);
    EXPECT_TRUE(is_straight(broadcast(MPI_COMM_SELF)));
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_NULL)));
  });
}

TEST(Straight, AreNoneWhileSomethingNeedsAttention) {
  each_for_itself([] {
    MPI_Request request{};
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    broadcast_once(MPI_COMM_SELF);
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_SELF)));
    MPI_Request_free(&request);
  });
}

TEST(Straight, AreNoneWithinAnotherCall) {
  each_for_itself([] {
    const Inside inside;
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_SELF)));
  });
}

TEST(Straight, AreNoneThatTakeLongVectors) {
  each_for_itself([] {
    Call sum = broadcast(MPI_COMM_SELF);
    sum.collective = Collective::allreduce;
    EXPECT_TRUE(is_straight(sum));
    sum.recvcount = 20'000;
    EXPECT_FALSE(is_straight(sum));
  });
}

// All ranks have to listen to what the root says.
TEST(Straight, AreNoneWhoseRootMaySayWhatComes) {
  each_for_itself([] {
    auto& by_root =
        communicators::find(MPI_COMM_SELF)->by_root[static_cast<std::size_t>(Collective::bcast)];
    by_root = find_algorithm(Collective::bcast, "linear");
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_SELF)));
    by_root = nullptr;
    EXPECT_TRUE(is_straight(broadcast(MPI_COMM_SELF)));
  });
}

TEST(Straight, AreNoneThatMayBeOnDevices) {
  each_for_itself([] {
    bool& device_buffers = communicators::find(MPI_COMM_SELF)->around.device_buffers;
    device_buffers = true;
    EXPECT_FALSE(is_straight(broadcast(MPI_COMM_SELF)));
    device_buffers = false;
  });
}

int wrappers = -1;
void note_wrappers(MPI_Comm* /*comm*/, int* /*error*/, ...) { wrappers = this_thread.wrappers; }

// What the MPI calls within them is its own, as within any other.
TEST(Straight, AreWrappers) {
  Program program(1);
  run_program(program, MPI_THREAD_SINGLE, [](int /*rank*/) {
    MPI_Errhandler handler{};
    MPI_Comm_create_errhandler(note_wrappers, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    broadcast_once(MPI_COMM_SELF);
    EXPECT_TRUE(is_straight(broadcast(MPI_COMM_SELF)));
    int number = 0;
    EXPECT_NE(MPI_Bcast(&number, 1, MPI_INT, 5, MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(wrappers, 1);
    MPI_Errhandler_free(&handler);
  });
}

}  // namespace
}  // namespace stretto::intercept::accelerate
