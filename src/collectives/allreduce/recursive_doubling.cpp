// Recursive-doubling allreduce: in each round every rank swaps its partial result
// with the rank across the next dimension of a hypercube, so that the number of
// ranks in a partial result doubles.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + lg(p) n beta + lg(p) n gamma.
// Good for short messages: fewest rounds. With any other p, the ranks in excess of
// a power of two first hand their vector to a neighbour and get the result back in
// the end, for two more messages on the path.
// Keeps rank order even where the operation commutes: then all ranks compute the
// same expression, and floating-point results are equal to the last bit.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/folded.hpp"
#include "collectives/partial.hpp"
#include "collectives/times.hpp"
#include "patterns/exchange.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  const Fold fold = Fold::to_power_of_two(shape.size, me);
  const Span all{0, shape.count};
  if (!fold.survives()) return leave_to_partner(step, fold, all);

  Partial partial{step, shape, true, Partial::Order::rank};
  StepId ready = kNoStep;
  if (fold.has_partner()) {
    const StepId received = step.recv(fold.partner(), partial.landing(all));
    ready = partial.combine(all, fold.partner() < me, after(received));
  }
  for (const auto& round : doubling_rounds(fold.survivors(), fold.number())) {
    const Rank peer = fold.rank_of(round.peer);
    const StepId sent = step.send(peer, partial.at(all), after(ready));
    const StepId received = step.recv(peer, partial.landing(all), after(ready));
    ready = partial.combine(all, peer < me, after(sent, received));
  }
  ready = partial.settle(all, after(ready));
  if (fold.has_partner()) step.send(fold.partner(), step.output(all), after(ready));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  const double reduce = network.reduce(shape.count);
  Exchanges rounds(network, shape.size);
  if (survivors < shape.size) folded(rounds, network, shape.count, reduce);
  for (int distance = 1; distance < survivors; distance *= 2) {
    rounds.across(distance, shape.count);
    rounds.work(reduce);
  }
  rounds.work(network.copy(shape.count));
  if (survivors < shape.size) given_back(rounds, network, shape.size, shape.count);
  return rounds.end();
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling;
const Algorithm allreduce_recursive_doubling{.collective = Collective::allreduce,
                                             .name = "recursive_doubling",
                                             .build = build,
                                             .time = time};

}  // namespace stretto
