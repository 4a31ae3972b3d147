#include "intercept/profile/under_way.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_mpi/job.hpp"

namespace stretto::intercept::profile {
namespace {

constexpr MPI_Request kFirst = 101;
constexpr MPI_Request kSecond = 102;

// Calls of one rank's, one after the other.
class Calls {
 public:
  // From `enter` to `leave`, at that call site.
  template <std::size_t size>
  void call(RequestEffect effect, std::array<MPI_Request, size> requests, int call_site,
            std::int64_t enter, std::int64_t leave) {
    under_way.begin(enter);
    under_way.end({effect, requests}, call_site, enter, leave);
  }
  MessageRecorder messages;
  UnderWay under_way{messages};
};

using One = std::array<MPI_Request, 1>;
using Two = std::array<MPI_Request, 2>;

TEST(UnderWay, WhatIsComputedBeforeAWaitCouldHaveHiddenIt) {
  Calls calls;
  calls.call(RequestEffect::starts, One{kFirst}, 0, 0, 10);
  calls.call(RequestEffect::completes, One{kFirst}, 1, 110,
             150);  // 100 of computing, 40 of waiting
  const Overlap overlap = calls.under_way.at(0);
  EXPECT_EQ(overlap.started, 1);
  EXPECT_EQ(overlap.completed, 1);
  EXPECT_DOUBLE_EQ(overlap.computed, 100);
  EXPECT_DOUBLE_EQ(overlap.waited, 40);
  EXPECT_DOUBLE_EQ(overlap.hideable, 40);
  EXPECT_EQ(calls.under_way.at(1).started, 0);
  EXPECT_EQ(calls.under_way.at(7).started, 0);
}

TEST(UnderWay, NoMoreIsHideableThanWasComputed) {
  Calls calls;
  calls.call(RequestEffect::starts, One{kFirst}, 0, 0, 10);
  calls.call(RequestEffect::completes, One{kFirst}, 0, 15, 115);
  EXPECT_DOUBLE_EQ(calls.under_way.at(0).hideable, 5);
}

TEST(UnderWay, WhatSeveralShareEachHasItsPartOf) {
  Calls calls;
  calls.call(RequestEffect::starts, One{kFirst}, 0, 0, 0);
  calls.call(RequestEffect::starts, One{kSecond}, 1, 60, 60);
  calls.call(RequestEffect::completes, Two{kFirst, kSecond}, 2, 160, 180);
  EXPECT_DOUBLE_EQ(calls.under_way.at(0).computed, 60 + 50);
  EXPECT_DOUBLE_EQ(calls.under_way.at(1).computed, 50);
  EXPECT_DOUBLE_EQ(calls.under_way.at(0).waited, 10);
  EXPECT_DOUBLE_EQ(calls.under_way.at(1).waited, 10);
}

TEST(UnderWay, ATestThatFindsNothingIsWaiting) {
  Calls calls;
  calls.call(RequestEffect::starts, One{kFirst}, 0, 0, 0);
  calls.call(RequestEffect::polls, One{kFirst}, 1, 100, 130);
  calls.call(RequestEffect::completes, One{kFirst}, 1, 130, 140);
  EXPECT_DOUBLE_EQ(calls.under_way.at(0).waited, 40);
  EXPECT_DOUBLE_EQ(calls.under_way.at(0).computed, 100);
}

// Of many each in its turn.
TEST(UnderWay, TestsOfSeveralTakeTurns) {
  Calls calls;
  calls.call(RequestEffect::starts, One{kFirst}, 0, 0, 0);
  calls.call(RequestEffect::starts, One{kSecond}, 1, 0, 0);
  for (int i = 0; i < 4; ++i) {
    calls.call(RequestEffect::polls, std::array<MPI_Request, 3>{kFirst, MPI_REQUEST_NULL, kSecond},
               2, i * 10, i * 10 + 10);
  }
  calls.call(RequestEffect::completes, Two{kFirst, kSecond}, 2, 40, 40);
  EXPECT_DOUBLE_EQ(calls.under_way.at(0).waited + calls.under_way.at(1).waited, 40);
  EXPECT_GE(calls.under_way.at(0).waited, 10);
  EXPECT_GE(calls.under_way.at(1).waited, 10);
}

TEST(UnderWay, APersistentOneBeginsAnewAndAFreedOneIsForgotten) {
  Calls calls;
  calls.call(RequestEffect::starts_again, One{kFirst}, 0, 0, 0);
  calls.call(RequestEffect::starts_again, One{kFirst}, 0, 50,
             50);  // it was complete without our knowing
  calls.call(RequestEffect::completes, One{kFirst}, 0, 70, 70);
  EXPECT_EQ(calls.under_way.at(0).started, 2);
  EXPECT_EQ(calls.under_way.at(0).completed, 1);
  EXPECT_DOUBLE_EQ(calls.under_way.at(0).computed, 20);
  calls.call(RequestEffect::starts, One{kSecond}, 1, 80, 80);
  calls.call(RequestEffect::frees, One{kSecond}, 1, 90, 90);
  calls.call(RequestEffect::frees, One{kSecond}, 1, 90, 90);
  calls.call(RequestEffect::completes, One{kSecond}, 1, 100, 100);
  EXPECT_EQ(calls.under_way.at(1).completed, 0);
}

// MPICH has one handle for all sends that were complete at once.
TEST(UnderWay, RequestsOfOneHandleAreCountedApart) {
  Calls calls;
  for (int i = 0; i < 3; ++i) calls.call(RequestEffect::starts, One{kFirst}, 0, i, i);
  calls.call(RequestEffect::completes, Two{kFirst, kFirst}, 0, 10, 10);
  EXPECT_EQ(calls.under_way.at(0).started, 3);
  EXPECT_EQ(calls.under_way.at(0).completed, 2);
}

TEST(UnderWay, NullAndUnknownRequestsAreNone) {
  Calls calls;
  calls.call(RequestEffect::starts, One{MPI_REQUEST_NULL}, 0, 0, 0);
  calls.call(RequestEffect::completes, One{kSecond}, 0, 10, 20);
  calls.call(RequestEffect::none, One{kSecond}, 0, 10, 20);
  EXPECT_EQ(calls.under_way.at(0).started, 0);
  EXPECT_EQ(calls.under_way.at(0).completed, 0);
}

}  // namespace
}  // namespace stretto::intercept::profile
