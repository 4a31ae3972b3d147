// Linear gather: every rank sends its block straight to the root.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// For long blocks, which no rank then carries for another, and for few ranks; no
// rank but the root waits for anybody. Any p, any root.
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
  const Region own = step.input({0, n});
  if (me != shape.root) {
    step.send(shape.root, own);
    return step.finish();
  }
  step.copy(own, step.output({me * n, n}));
  with_all_others({shape.size, me}, [&](Rank rank, const After& free) {
    return step.recv(rank, step.output({rank * n, n}), free);
  });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return fan_in(network, shape.size, shape.count);
}

}  // namespace

extern const Algorithm gather_linear;
const Algorithm gather_linear{.collective = Collective::gather,
                              .name = "linear",
                              .build = build,
                              .time = time,
                              .single_blocks = true};

}  // namespace stretto
