// Linear scatter: the root sends every rank its block.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// For long blocks, which no rank then carries for another, and for few ranks. Any
// p, any root.
// Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Count n = shape.count;
  const Span own{0, n};
  if (me != shape.root) {
    step.recv(shape.root, step.output(own));
    return step.finish();
  }
  with_all_others({shape.size, me}, [&](Rank rank, const After& free) {
    return step.send(rank, step.input({rank * n, n}), free);
  });
  if (!shape.in_place) step.copy(step.input({me * n, n}), step.output(own));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return fan_out(network, shape.size, shape.count);
}

}  // namespace

extern const Algorithm scatter_linear;
const Algorithm scatter_linear{.collective = Collective::scatter,
                               .name = "linear",
                               .build = build,
                               .time = time,
                               .single_blocks = true};

}  // namespace stretto
