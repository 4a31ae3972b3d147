// The sum of what ranks have, to one of them, in halves: Rabenseifner's reduction among the ranks
// that a builder's peers are.
#pragma once

#include <vector>

#include "collectives/halved.hpp"

namespace stretto {

// This is rank `me` of `size`. At the root the sum of all `count` elements is home in the end, when
// what it returns is done; elsewhere what this rank had may be overwritten then.
inline After sum_up_by_halves(Builder& step, int size, int me, int root, Partial& partial,
                              Count count) {
  const Fold fold = Fold::to_power_of_two(size, me, root);
  if (!fold.survives()) return after(step.send(fold.partner(), partial.at({0, count})));

  const Blocks blocks{count, fold.survivors()};
  const auto rounds = halving_rounds(fold.survivors(), fold.number());
  const Halved halved = reduce_by_halving(step, fold, rounds, blocks, me, partial);

  StepId own = halved.done;
  if (me == root) own = partial.settle(blocks[own_block(rounds)], after(own));
  std::vector<StepId> gathered{own};

  const int away = fold.number() ^ fold.number_of(root);
  for (std::size_t i = rounds.size(); i-- > 0;) {
    const HalvingRound& round = rounds[i];
    const Rank peer = fold.rank_of(round.peer);
    if ((away >> i & 1) != 0) {
      const Region left = partial.at(blocks.run(round.keep, round.blocks));
      gathered = {step.send(peer, left, after(gathered))};
      gathered.insert(gathered.end(), halved.given.begin(), halved.given.end());
      break;
    }
    const Region theirs = partial.room(blocks.run(round.give, round.blocks));
    // It may lie where the half given away did.
    gathered.push_back(step.recv(peer, theirs, after(halved.given[i])));
  }
  return after(gathered);
}

}  // namespace stretto
