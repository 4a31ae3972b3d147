// Linear broadcast: the root sends every rank the vector.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// Where a rank may come late: none passes anything on, so it keeps nobody waiting. On a host whose
// ranks share memory a long vector is copied there once, and each takes it from there by itself.
// Any p, any root.
// Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Region all = step.output({0, shape.count});
  if (me != shape.root) {
    step.recv(shape.root, all);
    return step.finish();
  }
  with_all_others({shape.size, me},
                  [&](Rank rank, const After& free) { return step.send(rank, all, free); });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return fan_out(network, shape.size, shape.count);
}

}  // namespace

extern const Algorithm bcast_linear;
const Algorithm bcast_linear{
    .collective = Collective::bcast, .name = "linear", .build = build, .time = time};

}  // namespace stretto
