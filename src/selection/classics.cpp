#include "selection/classics.hpp"

#include <bit>

#include "base/byte_units.hpp"

namespace stretto {
namespace {

// By MPICH's limits (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005); Open MPI's differ little.
const char* name_of_classic(const Query& query) {
  const Count all = query.bytes * query.size;
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(query.size));
  switch (query.collective) {
    case Collective::barrier:
      return "dissemination";
    case Collective::bcast:
      return query.bytes < 12 * kKiB || query.size < 8 ? "binomial" : "scatter_allgather";
    case Collective::reduce:
      return query.bytes <= 2 * kKiB ? "binomial" : "rabenseifner";
    case Collective::allreduce:
      return query.bytes <= 2 * kKiB ? "recursive_doubling" : "rabenseifner";
    case Collective::gather:
    case Collective::scatter:
      return query.uneven ? "linear" : "binomial";
    case Collective::allgather:
      if (all >= 512 * kKiB) return "ring";
      if (power_of_two) return "recursive_doubling";
      return all < 80 * kKiB ? "bruck" : "ring";
    case Collective::alltoall:
      if (query.uneven) return "linear";
      if (query.bytes <= 256 && query.size >= 8) return "bruck";
      return query.bytes <= 32 * kKiB ? "linear" : "pairwise";
    case Collective::reduce_scatter:
      return all >= 512 * kKiB ? "pairwise" : "recursive_halving";
    default:
      return "recursive_doubling";
  }
}

}  // namespace

Choice classic(const Query& query) {
  return {.algorithm = find_algorithm(query.collective, name_of_classic(query)),
          .basis = Basis::classic};
}

}  // namespace stretto
