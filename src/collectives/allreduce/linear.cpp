// Linear allreduce: every rank sends every other its part of the vector there, all at once, adds
// up what comes for itself, and sends the sum to all.
//
// Cost, p ranks, n elements: 2(p-1) alpha + 2n(p-1)/p beta + n(p-1)/p gamma.
// For long vectors of ranks that share a host, where a message costs little and waiting for the
// one before it costs most: two rounds, whatever p, where ring takes 2(p-1). Any p, any count.
// Each part is added up once, so all ranks have the same bits. One vector of scratch.
// Keeps rank order: the parts are added from the last rank's down, or, where the operation
// commutes, to this rank's own.
// Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and
// experience", CCPE 19(13), 2007, for the composition; the reduce-scatter is Iannello's.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/times.hpp"
#include "patterns/blocks.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Blocks blocks{shape.count, shape.size};
  const Span mine = blocks[me];
  const Region home = step.output(mine);
  // The right operand is where the sum goes: the last rank's, unless any will do.
  const Rank last = shape.commutative ? me : shape.size - 1;
  const bool is_last = last == me;
  const Region sum =
      is_last || !shape.in_place ? home : step.scratch({last * mine.count, mine.count});

  const auto landing = [&](Rank from) {
    return from == last ? sum : step.scratch({from * mine.count, mine.count});
  };
  Windows window;
  auto [arrived, sent] = exchange_with_all_others(step, ring, window, {}, landing,
                                                  [&](Rank to) { return step.input(blocks[to]); });
  StepId added =
      is_last ? step.copy(step.input(mine), sum) : arrived[static_cast<std::size_t>(last)];
  for (Rank rank = shape.size; rank-- > 0;) {
    if (rank == last) continue;
    const bool is_own = rank == me;
    const StepId left = arrived[static_cast<std::size_t>(rank)];
    added = step.reduce(is_own ? step.input(mine) : landing(rank), sum, after(left, added));
  }
  added = step.copy(sum, home, after(added));

  // In place what is sent lies where the others' sums go.
  sent.push_back(added);
  const StepId read = shape.in_place ? step.join(after(sent)) : kNoStep;
  exchange_with_all_others(
      step, ring, window, {.to_receive = read, .to_send = added},
      [&](Rank from) { return step.output(blocks[from]); }, [&](Rank) { return home; });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const Count block = blocks_of(shape);
  return network.all_at_once(shape.size, block, network.reduce(block)) +
         network.all_at_once(shape.size, block, 0);
}

}  // namespace

extern const Algorithm allreduce_linear;
const Algorithm allreduce_linear{.collective = Collective::allreduce,
                                 .name = "linear",
                                 .build = build,
                                 .time = time,
                                 .divides = true};

}  // namespace stretto
