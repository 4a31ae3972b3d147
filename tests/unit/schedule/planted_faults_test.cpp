// Each test breaks a correct schedule in one way and expects the verifier to
// blame the right step in the right words.
#include <gtest/gtest.h>

#include <utility>

#include "schedule/small_schedules.hpp"

namespace stretto::testing {
namespace {

void expect_says(const Fault& fault, const std::string& part) {
  EXPECT_NE(fault.message.find(part), std::string::npos)
      << "expected: " << part << "\nmessage:  " << fault.message;
}

class Planted {
 public:
  Planted(Build build, Shape shape) : shape_(shape), ranks_(build_all(build, shape)) {
    const auto fault = verify("planted", shape_, ranks_);
    EXPECT_FALSE(fault) << "faulty before anything was planted: " << fault->message;
  }

  [[nodiscard]] Schedule& rank(Rank rank) { return ranks_.at(static_cast<std::size_t>(rank)); }
  [[nodiscard]] Step& step(Rank of, StepId id) {
    return rank(of).steps.at(static_cast<std::size_t>(id));
  }
  void swap_ranks(std::vector<Schedule> others) { ranks_ = std::move(others); }

  void expect_fault(Rank rank, StepId step, const std::vector<std::string>& parts) const {
    const auto fault = verify("planted", shape_, ranks_);
    ASSERT_TRUE(fault) << "the fault was not found";
    EXPECT_EQ(fault->rank, rank) << fault->message;
    EXPECT_EQ(fault->step, step) << fault->message;
    for (const std::string& part : parts) expect_says(*fault, part);
  }

 private:
  Shape shape_;
  std::vector<Schedule> ranks_;
};

Shape bcast_shape() { return {.collective = Collective::bcast, .size = 4, .count = 6}; }
Shape gather_shape() { return {.collective = Collective::gather, .size = 3, .count = 2}; }
Shape reduce_shape() { return {.collective = Collective::reduce, .size = 3, .count = 4}; }
Shape pair_shape() {
  return {.collective = Collective::allreduce, .size = 2, .count = 4, .commutative = false};
}
Shape barrier_shape() { return {.collective = Collective::barrier, .size = 3}; }

TEST(PlantedFaults, SwappedPeer) {
  Planted planted(chain_bcast, bcast_shape());
  planted.step(1, 1).peer = 3;
  planted.expect_fault(1, 1,
                       {"bcast planted, 4 ranks, count 6, root 0, rank 1, step 1",
                        "send recv[0,6) to rank 3", "rank 3 never receives this message"});
}

TEST(PlantedFaults, PeerThatDoesNotExist) {
  Planted planted(chain_bcast, bcast_shape());
  planted.step(2, 1).peer = 4;
  planted.expect_fault(2, 1, {"there is no rank 4"});
}

// Rank 1 answers the second message, and the first waits for that answer.
Schedule overtaking(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  if (me == 0) {
    const StepId answer = step.await(1);
    step.signal(1, after(answer));
    step.signal(1);
  } else {
    step.await(0);
    const StepId second = step.await(0);
    step.signal(0, after(second));
  }
  return step.finish();
}

TEST(PlantedFaults, MessageThatHasToOvertakeAnother) {
  const Shape shape{.collective = Collective::barrier, .size = 2};
  const auto fault = verify("planted", shape, build_all(overtaking, shape));
  ASSERT_TRUE(fault);
  expect_says(*fault, "deadlock");
}

TEST(PlantedFaults, WrongOffset) {
  Planted planted(linear_gather, gather_shape());
  planted.step(0, 1).to.span.offset = 4;
  planted.step(0, 2).to.span.offset = 2;
  planted.expect_fault(0, 2,
                       {"recv from rank 2 into recv[2,4)",
                        "recv[2] ends up with element 0 of rank 2 instead of element 0 of "
                        "rank 1"});
}

TEST(PlantedFaults, RegionOutsideTheBuffer) {
  Planted planted(linear_gather, gather_shape());
  planted.step(0, 2).to.span.offset = 5;
  planted.expect_fault(0, 2, {"recv[5,7) reaches outside the recv buffer of 6 elements"});
}

TEST(PlantedFaults, MissingDependency) {
  Planted planted(chain_bcast, bcast_shape());
  planted.step(2, 1).waits = 0;
  planted.expect_fault(2, 1,
                       {"may read recv[0,6) while step 0 (recv from rank 1 into recv[0,6)) "
                        "still writes it",
                        "does not wait"});
}

TEST(PlantedFaults, BufferThatMeansNothingOnThisRank) {
  Planted planted(chain_reduce, reduce_shape());
  planted.step(1, 1).to.buffer = Buffer::recv;
  planted.expect_fault(1, 1, {"touches recv[0,4), but rank 1 has no recv buffer here"});
}

TEST(PlantedFaults, SwappedOperandsOfANonCommutativeOperation) {
  Planted planted(pair_allreduce, pair_shape());
  Step& reduce = planted.step(1, 3);
  std::swap(reduce.from, reduce.to);
  planted.expect_fault(1, 3,
                       {"not commutative",
                        "breaks rank order: the left operand holds rank "
                        "1, the right rank 0"});
}

TEST(PlantedFaults, DroppedReceive) {
  Planted planted(chain_bcast, bcast_shape());
  planted.rank(3).steps.clear();
  planted.expect_fault(2, 1, {"rank 3 never receives this message"});
}

TEST(PlantedFaults, DroppedReduction) {
  Planted planted(chain_reduce, reduce_shape());
  planted.rank(0).steps.pop_back();
  planted.expect_fault(0, 0,
                       {"recv[0] ends up with element 0 of ranks 1-2 instead of element 0 "
                        "of ranks 0-2"});
}

TEST(PlantedFaults, DuplicatedMessage) {
  Planted planted(chain_bcast, bcast_shape());
  Step again = planted.step(1, 1);
  ++again.ordinal;
  planted.rank(1).steps.push_back(again);
  planted.expect_fault(1, 2, {"rank 2 never receives this message", "number 1 from rank 1"});
}

TEST(PlantedFaults, WrongOrdinal) {
  Planted planted(chain_bcast, bcast_shape());
  planted.step(1, 1).ordinal = 1;
  planted.expect_fault(1, 1, {"is message 0 to rank 2, but its ordinal is 1"});
}

TEST(PlantedFaults, WrongCount) {
  Planted planted(chain_bcast, bcast_shape());
  planted.step(0, 0).from.span.count = 5;
  planted.expect_fault(0, 0,
                       {"sends 5 elements, but rank 1, step 0 (recv from rank 0 into "
                        "recv[0,6)), expects 6"});
}

TEST(PlantedFaults, WrongRoot) {
  Planted planted(linear_gather, gather_shape());
  Shape other = gather_shape();
  other.root = 1;
  planted.swap_ranks(build_all(linear_gather, other));
  planted.expect_fault(1, 0, {"rank 1 has no recv buffer here"});
}

TEST(PlantedFaults, PrematureSendOfWhatWasNeverWritten) {
  Planted planted(chain_reduce, reduce_shape());
  Schedule& rank = planted.rank(1);
  rank.scratch = 8;
  planted.step(1, 2).from.span.offset = 4;
  planted.expect_fault(1, 2, {"reads scratch[4] of rank 1, which nothing has written"});
}

TEST(PlantedFaults, WriteToTheUsersSendBuffer) {
  Planted planted(pair_allreduce, pair_shape());
  planted.step(1, 2).to.buffer = Buffer::send;
  planted.expect_fault(1, 2, {"writes send[0,4), which is the user's and only to be read"});
}

TEST(PlantedFaults, WriteToTheRootsBroadcastBuffer) {
  Planted planted(chain_bcast, bcast_shape());
  planted.step(0, 0) = {.kind = StepKind::recv, .peer = 3, .to = {Buffer::recv, {0, 6}}};
  planted.expect_fault(0, 0, {"writes recv[0,6), which is the user's and only to be read"});
}

TEST(PlantedFaults, DeadlockAcrossRanks) {
  Planted planted(pair_allreduce, pair_shape());
  // Both now send before they receive, which a long message does not survive.
  const auto receive_after = [&](Rank rank, StepId recv, StepId send) {
    Step& step = planted.step(rank, recv);
    step.first_wait = static_cast<std::int32_t>(planted.rank(rank).waits.size());
    step.waits = 1;
    planted.rank(rank).waits.push_back(send);
  };
  receive_after(0, 1, 0);
  receive_after(1, 2, 1);
  planted.expect_fault(
      0, 0,
      {"deadlock: never completes, because it needs rank 1, step 2", "which needs rank 1, step 1",
       "which needs rank 0, step 1", "which needs this step"});
}

TEST(PlantedFaults, WaitForALaterStep) {
  Planted planted(chain_bcast, bcast_shape());
  planted.rank(1).waits.at(0) = 1;
  planted.expect_fault(1, 1, {"waits for step 1, which does not come before it"});
}

TEST(PlantedFaults, ScratchUsedTwiceAtOnce) {
  const Shape shape = gather_shape();
  Planted planted(
      // The root receives into scratch and copies out.
      [](const Shape& of, const Layout& layout, Rank me) {
        Schedule schedule = linear_gather(of, layout, me);
        if (me != of.root) return schedule;
        Builder step(of, me);
        step.copy(step.input({0, of.count}), step.output({0, of.count}));
        for (Rank rank = 1; rank < of.size; ++rank) {
          const Region place = step.scratch({rank * of.count, of.count});
          const StepId got = step.recv(rank, place);
          step.copy(place, step.output(place.span), after(got));
        }
        return step.finish();
      },
      shape);
  planted.step(0, 3).to.span.offset = 2;
  planted.step(0, 4).from.span.offset = 2;
  planted.expect_fault(0, 3,
                       {"may write scratch[2,4) while step 1 (recv from rank 1 into "
                        "scratch[2,4)) still writes it"});
}

TEST(PlantedFaults, ContributionCountedTwice) {
  Planted planted(chain_reduce, reduce_shape());
  Schedule& root = planted.rank(0);
  Step again = planted.step(0, 1);
  again.first_wait = static_cast<std::int32_t>(root.waits.size());
  again.waits = 1;
  root.waits.push_back(1);
  root.steps.push_back(again);
  planted.expect_fault(0, 2,
                       {"counts rank 0 twice: the left operand holds rank 0, the right "
                        "ranks 0-2"});
}

TEST(PlantedFaults, ElementsCombinedWithTheWrongOnes) {
  Planted planted(chain_reduce, reduce_shape());
  planted.step(0, 1).from.span = {1, 3};
  planted.step(0, 1).to.span = {0, 3};
  planted.expect_fault(0, 1, {"combines element 1 of rank 0 with element 0 of ranks 1-2"});
}

TEST(PlantedFaults, ReductionInACollectiveThatHasNone) {
  Planted planted(linear_gather, gather_shape());
  planted.step(0, 0).kind = StepKind::reduce;
  planted.expect_fault(0, 0, {"gather has no operation to reduce with"});
}

TEST(PlantedFaults, BarrierThatLetsARankLeaveEarly) {
  Planted planted(central_barrier, barrier_shape());
  planted.step(0, 3).waits = 0;  // the signal to rank 1 no longer waits for rank 2
  planted.expect_fault(1, 1, {"rank 1 can leave before rank 2 has entered"});
}

TEST(PlantedFaults, InPlaceForgottenWhereInputAndOutputAreOne) {
  Shape shape = pair_shape();
  shape.in_place = true;
  const auto ranks = build_all(pair_allreduce, shape);  // rank 0 receives over its input
  const auto fault = verify("planted", shape, ranks);
  ASSERT_TRUE(fault);
  expect_says(*fault, "in place");
  expect_says(*fault, "rank 0, step 2 (reduce recv[0,4) into recv[0,4)): its two regions overlap");
}

}  // namespace
}  // namespace stretto::testing
