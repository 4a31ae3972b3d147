// Recursive-halving reduce-scatter: the ranks swap halves of what they still have, adding
// up as they go, until each has its own block.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + (p-1) n beta + (p-1) n gamma.
// For short blocks: few messages. An operation that does not commute takes another message
// and n elements, as the blocks then end up with each other's owners. With any other p, the ranks
// in excess of a power of two first hand their vector to a neighbour and get their block back in
// the end, for two more messages and pn + n elements. Keeps rank order: partial results always come
// from consecutive ranks. Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/halved.hpp"
#include "collectives/partial.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

// A survivor's block is those of the ranks it stands for.
struct SurvivorsBlocks {
  const Fold& fold;
  Count block;

  [[nodiscard]] Span run(int first, int number) const {
    const Count begin = fold.first_rank_of(first) * block;
    return {begin, fold.first_rank_of(first + number) * block - begin};
  }
};

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Fold fold = Fold::to_power_of_two(shape.size, me);
  const Count n = shape.count;
  const Span all{0, shape.size * n};
  const Region result = step.output({0, n});
  if (!fold.survives()) {
    const StepId sent = step.send(fold.partner(), step.input(all));
    step.recv(fold.partner(), result, after(sent));
    return step.finish();
  }

  const SurvivorsBlocks blocks{fold, n};
  const auto rounds = shape.commutative ? homing_rounds(fold.survivors(), fold.number())
                                        : halving_rounds(fold.survivors(), fold.number());
  Partial partial{step, all.count, false, Partial::order_of(shape)};
  const Halved halved = reduce_by_halving(step, fold, rounds, blocks, me, partial);

  // In rank order another survivor's block is left, and ours with that one.
  const Span mine = blocks.run(fold.number(), 1);
  Region own = partial.at(mine);
  StepId ready = halved.done;
  std::vector<StepId> over = halved.given;
  if (const int left = own_block(rounds); left != fold.number()) {
    const Rank owner = fold.rank_of(left);
    over.push_back(step.send(owner, partial.at(blocks.run(left, 1)), after(halved.done)));
    own = step.scratch({2 * all.count, mine.count});
    ready = step.recv(owner, own, after(halved.done));
  }
  const auto block_of = [&](Rank rank) {
    return Region{own.buffer, {own.span.offset + rank * n - mine.offset, n}};
  };
  if (fold.has_partner()) step.send(fold.partner(), block_of(fold.partner()), after(ready));
  // In place the result lies where the input was.
  over.push_back(ready);
  step.copy(block_of(me), result, after(over));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  Exchanges rounds(network, shape.size);
  const Count all = shape.count * shape.size;
  if (survivors < shape.size) folded(rounds, network, all, network.reduce(all));
  for (int distance = survivors / 2; distance > 0; distance /= 2) {
    const Count bytes = all / survivors * distance;
    rounds.across(shape.commutative ? distance : survivors / 2 / distance, bytes);
    rounds.work(network.reduce(bytes));
  }
  if (!shape.commutative) rounds.across(survivors - 1, shape.count);
  // Who is far from others is later than those that give a block back, where they are few.
  const bool few = shape.size - survivors <= survivors / 2 && network.nearest().ranks < shape.size;
  if (survivors < shape.size && !few) folded(rounds, network, shape.count, 0);
  rounds.work(network.copy(shape.count));
  return rounds.end();
}

}  // namespace

extern const Algorithm reduce_scatter_recursive_halving;
const Algorithm reduce_scatter_recursive_halving{.collective = Collective::reduce_scatter,
                                                 .name = "recursive_halving",
                                                 .build = build,
                                                 .time = time};

}  // namespace stretto
