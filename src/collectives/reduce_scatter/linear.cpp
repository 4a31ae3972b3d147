// Linear reduce-scatter: every rank sends every other its part of the sum there, all at
// once, and adds up what comes for itself.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta + (p-1) n gamma.
// For long blocks and few ranks: no element travels twice, and a late rank delays only the
// last addition of the others; but p blocks of scratch. Any p.
// Keeps rank order: the blocks are added from the last rank's down.
// Iannello, "Efficient algorithms for the reduce-scatter operation in LogGP", IEEE TPDS
// 8(9), 1997.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Count n = shape.count;
  const auto block = [n](Rank rank) { return Span{rank * n, n}; };

  // What is sent are the steps, up to now, that need the input.
  auto [arrived, read] = exchange_with_all_others(
      step, {shape.size, me}, {}, [&](Rank from) { return step.scratch(block(from)); },
      [&](Rank to) { return step.input(block(to)); });
  const StepId own = step.copy(step.input(block(me)), step.scratch(block(me)));
  arrived[static_cast<std::size_t>(me)] = own;
  read.push_back(own);

  // The right operand is where the sum goes, so the last rank's block takes it all in.
  const Region sum = step.scratch(block(shape.size - 1));
  StepId added = arrived.back();
  for (Rank rank = shape.size - 1; rank-- > 0;) {
    const StepId left = arrived[static_cast<std::size_t>(rank)];
    added = step.reduce(step.scratch(block(rank)), sum, after(left, added));
  }
  read.push_back(added);
  step.copy(sum, step.output({0, n}), after(read));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.all_at_once(shape.size, shape.count, network.reduce(shape.count));
}

}  // namespace

extern const Algorithm reduce_scatter_linear;
const Algorithm reduce_scatter_linear{.collective = Collective::reduce_scatter,
                                      .name = "linear",
                                      .build = build,
                                      .time = time,
                                      .single_blocks = true};

}  // namespace stretto
