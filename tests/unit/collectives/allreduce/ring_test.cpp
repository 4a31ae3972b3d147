#include <gtest/gtest.h>

#include "collectives/allgather/around_ring.hpp"
#include "collectives/built.hpp"
#include "collectives/reduce_scatter/around_ring.hpp"

namespace stretto {
namespace {

TEST(AllreduceRing, EveryRankSendsTwoTimesPMinusOneBlocksWhateverP) {
  for (const int size : {1, 2, 3, 8, 13}) {
    const Cost counted = cost(
        built("ring", {.collective = Collective::allreduce, .size = size, .count = 10 * size}));
    EXPECT_EQ(counted.max_messages, 2 * (size - 1));
    EXPECT_EQ(counted.max_sent, 2 * (size - 1) * 10);
  }
}

TEST(AllreduceRing, DeclaresItselfCommutativeOnly) {
  EXPECT_FALSE(algorithm(Collective::allreduce, "ring").keeps_rank_order);
}

TEST(AllreduceRing, NeedsNeitherCopiesNorScratchUnlessInPlace) {
  Shape shape{.collective = Collective::allreduce, .size = 5, .count = 50};
  for (const Schedule& rank : built("ring", shape)) {
    EXPECT_EQ(number_of(rank, StepKind::copy), 0);
    EXPECT_EQ(rank.scratch, 0);
  }
  shape.in_place = true;
  EXPECT_EQ(cost(built("ring", shape)).max_scratch, 50);
}

// Those of rounds that have nothing to do are not asked for, however many ranks there are.
TEST(AllreduceRing, OfFewElementsLooksAtNoOtherBlocks) {
  const Shape shape{.collective = Collective::allreduce, .size = 1000, .count = 1};
  const Blocks blocks{shape.count, shape.size};
  ASSERT_EQ(blocks.first_empty(), 1);
  int looked = 0;
  for (Rank me = 0; me < shape.size; ++me) {
    Builder step(shape, me);
    const Ring ring{shape.size, me};
    Windows window;
    const auto segments = [&](int block) {
      ++looked;
      return Segments{blocks[block], shape.segment};
    };
    const auto pieces = [&](int block) {
      ++looked;
      return Pieces{step.output(blocks[block]), shape.segment};
    };
    const RingSums sums =
        add_round(step, ring, blocks.first_empty(), window, shape.in_place, segments);
    pass_round(step, ring, Ring{shape.size, ring.next()}, blocks.first_empty(), window, kNoStep,
               sums.ready, pieces, pieces, [](int, Count) { return kNoStep; });
  }
  // A rank asks for its own block, and for the two of each of its rounds: it sends the one block
  // in one of them and gets it in another, both while it is added and while it goes on.
  EXPECT_LE(looked, (1 + 4 + 4) * shape.size);
}

TEST(AllreduceRing, TalksToNeighboursOnly) {
  for (const Schedule& rank :
       built("ring", {.collective = Collective::allreduce, .size = 5, .count = 50})) {
    for (const Step& step : steps_of(rank, StepKind::send)) {
      EXPECT_EQ(step.peer, (rank.rank + 1) % 5);
    }
  }
}

}  // namespace
}  // namespace stretto
