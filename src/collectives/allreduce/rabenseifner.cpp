// Rabenseifner's allreduce: a reduce-scatter by recursive halving leaves each rank with one block
// of the result, then an allgather by recursive doubling hands the blocks back the way the halves
// went.
//
// Cost, p = 2^k ranks, n elements: 2 lg(p) alpha + 2n(p-1)/p beta + n(p-1)/p gamma.
// For long vectors: as little traffic as ring in far fewer messages. With any other
// p, the ranks in excess of a power of two first hand their vector to a neighbour
// and get the result back in the end, for another 2 alpha + 2n beta + n gamma.
// Keeps rank order: partial results always come from consecutive ranks.
// Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/folded.hpp"
#include "collectives/allreduce/folded.hpp"
#include "collectives/halved.hpp"
#include "collectives/partial.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Fold fold = Fold::to_power_of_two(shape.size, me);
  const Span all{0, shape.count};
  Partial partial{step, shape, true, Partial::order_of(shape)};
  if (!fold.survives()) {
    leave_to_partner(step, fold, partial, all);
    return step.finish();
  }
  const Blocks blocks{shape.count, fold.survivors()};
  const auto rounds = halving_rounds(fold.survivors(), fold.number());
  const Halved halved = reduce_by_halving(step, fold, rounds, blocks, me, partial);

  // The last round is undone first.
  const auto last = rounds.size() - 1;
  const auto round_back = [&](std::size_t i) { return undone(rounds[last - i]); };
  const auto run = [&](int first, int number) { return step.output(blocks.run(first, number)); };
  // The half given away may have been sent from there.
  const auto given = [&](std::size_t i) { return halved.given[last - i]; };
  const int own = own_block(rounds);
  AllArrivals here(partial.settle(blocks[own], after(halved.done)));
  swap_blocks(step, fold, rounds.size(), round_back, run, given, here);
  if (fold.has_partner()) step.send(fold.partner(), step.output(all), here.of_all());
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  // Of few bytes most blocks are empty: what is sent goes up a tree, and down again, so that who is
  // alone on a host is waited for once each way.
  const bool is_folded = survivors < shape.size;
  const bool is_tree = is_folded && network.is_alone() && 4 * shape.count <= survivors;
  Exchanges rounds = is_tree ? Exchanges(network) : Exchanges(network, shape.size);
  if (is_tree) rounds.work(2 * network.hop(shape.size - 1, shape.count));
  Count bytes = reduced_by_halving(rounds, network, shape);
  rounds.work(network.copy(bytes));
  rounds.turn();
  for (int distance = survivors / 2; distance > 0; distance /= 2, bytes *= 2) {
    rounds.across(distance, bytes);
  }
  if (is_folded) folded(rounds, network, shape.count, 0);
  return rounds.end();
}

}  // namespace

extern const Algorithm allreduce_rabenseifner;
const Algorithm allreduce_rabenseifner{.collective = Collective::allreduce,
                                       .name = "rabenseifner",
                                       .build = build,
                                       .time = time,
                                       .divides = true};

}  // namespace stretto
