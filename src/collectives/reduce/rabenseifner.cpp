// Rabenseifner's reduce: recursive halving leaves each rank with one block of the
// result, then the blocks are gathered back the way the halves went.
//
// Cost, p = 2^k ranks, n elements: 2 lg(p) alpha + 2n(p-1)/p beta + n(p-1)/p gamma.
// For long vectors: the additions are shared out among all ranks. Any root; with
// any other p, the ranks in excess of a power of two first hand their vector to a
// neighbour, for another alpha + n beta + n gamma.
// Keeps rank order: partial results always come from consecutive ranks.
// Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/halved.hpp"
#include "collectives/partial.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Fold fold = Fold::to_power_of_two(shape.size, me, shape.root);
  if (!fold.survives()) {
    step.send(fold.partner(), step.input({0, shape.count}));
    return step.finish();
  }

  const Blocks blocks{shape.count, fold.survivors()};
  Partial partial{step, shape, me == shape.root, Partial::order_of(shape)};
  const auto rounds = halving_rounds(fold.survivors(), fold.number());
  const Halved halved = reduce_by_halving(step, fold, rounds, blocks, me, partial);

  StepId own = halved.done;
  if (me == shape.root) own = partial.settle(blocks[own_block(rounds)], after(own));
  std::vector<StepId> gathered{own};

  const int away = fold.number() ^ fold.number_of(shape.root);
  for (std::size_t i = rounds.size(); i-- > 0;) {
    const HalvingRound& round = rounds[i];
    const Rank peer = fold.rank_of(round.peer);
    if ((away >> i & 1) != 0) {
      step.send(peer, partial.at(blocks.run(round.keep, round.blocks)), after(gathered));
      break;
    }
    const Region theirs = partial.room(blocks.run(round.give, round.blocks));
    // It may lie where the half given away did.
    gathered.push_back(step.recv(peer, theirs, after(halved.given[i])));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  Exchanges rounds(network, shape.size);
  Count bytes = reduced_by_halving(rounds, network, shape);
  rounds.work(network.copy(bytes));
  for (int distance = survivors / 2; distance > 0; distance /= 2, bytes *= 2) {
    rounds.to_first(distance, bytes);
  }
  return rounds.end();
}

}  // namespace

extern const Algorithm reduce_rabenseifner;
const Algorithm reduce_rabenseifner{.collective = Collective::reduce,
                                    .name = "rabenseifner",
                                    .build = build,
                                    .time = time,
                                    .divides = true};

}  // namespace stretto
