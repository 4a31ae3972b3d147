#include "selection/between_hosts.hpp"

#include "base/byte_units.hpp"
#include "selection/rules.hpp"

namespace stretto {
namespace {

// Between hosts: short messages by fewest rounds, long ones by fewest bytes over a link.
constexpr Rule kBarrier[] = {{.algorithm = "dissemination"}};
constexpr Rule kBcast[] = {
    {.most_bytes = 16 * kKiB, .algorithm = "binomial"},
    {.algorithm = "chain", .segment_bytes = 32 * kKiB},
};
constexpr Rule kReduce[] = {
    {.most_bytes = 16 * kKiB, .algorithm = "binomial"},
    {.any_order = false, .algorithm = "rabenseifner"},
    {.algorithm = "binomial"},
};
constexpr Rule kAllreduce[] = {
    {.most_bytes = 16 * kKiB, .algorithm = "recursive_doubling"},
    {.any_order = false, .algorithm = "ring", .segment_bytes = 32 * kKiB},
    {.algorithm = "recursive_doubling"},
};
constexpr Rule kGather[] = {
    {.most_bytes = 2 * kKiB, .fewest_ranks = 8, .algorithm = "binomial"},
    {.algorithm = "linear"},
};
constexpr Rule kScatter[] = {
    {.most_bytes = 2 * kKiB, .fewest_ranks = 8, .algorithm = "binomial"},
    {.algorithm = "linear"},
};
constexpr Rule kAllgather[] = {
    {.most_bytes = 4 * kKiB, .algorithm = "bruck"},
    {.algorithm = "ring"},
};
constexpr Rule kAlltoall[] = {
    {.most_bytes = 256, .fewest_ranks = 8, .algorithm = "bruck"},
    {.most_bytes = 32 * kKiB, .algorithm = "linear"},
    {.algorithm = "pairwise"},
};

constexpr Rule kReduceScatter[] = {
    {.most_bytes = 4 * kKiB, .fewest_ranks = 4, .algorithm = "recursive_halving"},
    {.most_ranks = 16, .algorithm = "linear"},
    {.algorithm = "recursive_halving"},
};
constexpr Rule kScan[] = {
    {.most_bytes = 32 * kKiB, .algorithm = "recursive_doubling"},
    {.algorithm = "linear", .segment_bytes = 32 * kKiB},
};

constexpr Rule kNeighborhood[] = {{.fewest_ranks = 1, .algorithm = "linear"}};

// On intercommunicators.
constexpr Rule kReduceTwoGroups[] = {{.algorithm = "local_reduce_remote_send"}};
constexpr Rule kAllreduceTwoGroups[] = {{.algorithm = "reduce_exchange_bcast"}};

// Blocks of sizes only their own ranks know.
constexpr Rule kGatherUneven[] = {{.algorithm = "linear"}};
constexpr Rule kScatterUneven[] = {{.algorithm = "linear"}};
constexpr Rule kAllgatherUneven[] = {{.algorithm = "ring"}};
constexpr Rule kReduceScatterUneven[] = {{.algorithm = "linear"}};
constexpr Rule kAlltoallUneven[] = {
    {.most_ranks = 16, .algorithm = "linear"},
    {.algorithm = "pairwise"},
};

std::span<const Rule> rules_for_uneven(Collective collective) {
  if (collective == Collective::gather) return kGatherUneven;
  if (collective == Collective::scatter) return kScatterUneven;
  if (collective == Collective::allgather) return kAllgatherUneven;
  if (collective == Collective::reduce_scatter) return kReduceScatterUneven;
  if (is_neighborhood(collective)) return kNeighborhood;
  return kAlltoallUneven;
}

std::span<const Rule> rules_for(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return kBarrier;
    case Collective::bcast:
      return kBcast;
    case Collective::reduce:
      return kReduce;
    case Collective::allreduce:
      return kAllreduce;
    case Collective::gather:
      return kGather;
    case Collective::scatter:
      return kScatter;
    case Collective::allgather:
      return kAllgather;
    case Collective::alltoall:
      return kAlltoall;
    case Collective::reduce_scatter:
      return kReduceScatter;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return kNeighborhood;
    case Collective::scan:
    case Collective::exscan:
      break;
  }
  return kScan;
}

std::span<const Rule> rules_for(const Query& query) {
  if (query.two_groups && reduces(query.collective)) {
    if (query.collective == Collective::reduce) return kReduceTwoGroups;
    return kAllreduceTwoGroups;
  }
  return query.uneven ? rules_for_uneven(query.collective) : rules_for(query.collective);
}

}  // namespace

Choice choose_between_hosts(const Query& query) {
  const Choice choice = by_rules(rules_for(query), query, Basis::few_ranks);
  return choice.algorithm != nullptr ? choice : Choice{.reason = Reason::native_faster};
}

}  // namespace stretto
