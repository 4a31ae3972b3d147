#include "selection/in_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "base/byte_units.hpp"
#include "selection/fastest.hpp"
#include "selection/rules.hpp"
#include "selection/tuned.hpp"

// Measured with 4, 8 and 16 ranks on 16 cores, Open MPI 4.1 and MPICH 5, calls one after the other
// and each behind a barrier; the linear broadcast with Open MPI alone
// (docs/decisions/0031-shared-memory.md).

namespace stretto {
namespace {

constexpr Count kNoLimit = kSomeBytes;

// Two ranks exchange one message whatever the algorithm. More than were measured do what these do,
// but for what takes a message, or a hop, for each of them; beyond that nothing is known.
constexpr int kFewestRanks = 3;
constexpr int kMeasuredRanks = 16;
constexpr int kMostRanks = 64;

// A message costs a microsecond, so short ones go by few rounds; what is long is cut up once, by
// ranks, and no further, as a rank's part in its cache is read faster than a segment is waited for.
// What a root sends to all in a blocking call it copies once, as far as its send buffer holds it
// (transport/shm), and nobody waits for a rank that would pass it on.
constexpr Rule kBcast[] = {
    {.most_bytes = 32 * kKiB - 1, .algorithm = "knomial", .radix = 4},
    {.most_bytes = 1 * kMiB - 1,
     .most_ranks = kMeasuredRanks,
     .any_form = false,
     .algorithm = "linear"},
    {.most_bytes = 256 * kKiB - 1, .algorithm = "knomial", .radix = 4},
    {.most_ranks = kMeasuredRanks, .algorithm = "chain", .segment_bytes = 128 * kKiB},
    {.algorithm = "scatter_allgather"},
};
constexpr Rule kReduce[] = {
    {.most_bytes = 16 * kKiB - 1, .algorithm = "binomial"},
    {.algorithm = "rabenseifner"},
};
constexpr Rule kAllreduce[] = {
    {.most_bytes = 16 * kKiB - 1, .algorithm = "recursive_doubling"},
    {.most_bytes = 64 * kKiB - 1, .algorithm = "rabenseifner"},
    {.most_ranks = 8, .any_number = false, .algorithm = "rabenseifner"},
    {.most_bytes = 2 * kMiB - 1, .any_number = false, .algorithm = "rabenseifner"},
    {.most_ranks = kMeasuredRanks, .algorithm = "linear"},
    {.algorithm = "rabenseifner"},
};
constexpr Rule kRooted[] = {
    {.most_bytes = 2 * kKiB - 1, .fewest_ranks = kMeasuredRanks + 1, .algorithm = "binomial"},
    {.algorithm = "linear"},
};
constexpr Rule kAlltoall[] = {
    {.most_bytes = 256 - 1, .fewest_ranks = kMeasuredRanks + 1, .algorithm = "bruck"},
    {.algorithm = "linear"},
};
constexpr Rule kAllgather[] = {
    {.most_bytes = 32 * kKiB - 1, .any_number = false, .algorithm = "recursive_doubling"},
    {.most_bytes = 32 * kKiB - 1, .algorithm = "bruck"},
    {.algorithm = "linear"},
};
constexpr Rule kReduceScatter[] = {
    {.most_bytes = 16 * kKiB - 1, .algorithm = "recursive_halving"},
    {.most_bytes = 128 * kKiB - 1, .any_number = false, .algorithm = "recursive_halving"},
    {.algorithm = "linear"},
};

std::span<const Rule> rules_for(Collective collective) {
  switch (collective) {
    case Collective::bcast:
      return kBcast;
    case Collective::reduce:
      return kReduce;
    case Collective::allreduce:
      return kAllreduce;
    case Collective::gather:
    case Collective::scatter:
      return kRooted;
    case Collective::alltoall:
      return kAlltoall;
    case Collective::allgather:
      return kAllgather;
    case Collective::reduce_scatter:
      return kReduceScatter;
    case Collective::barrier:
    case Collective::scan:
    case Collective::exscan:
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      break;
  }
  return {};
}

// Of calls of these sizes Stretto's are faster.
struct Sizes {
  Collective collective{};
  Count least = 0;
  Count below = kNoLimit;
  int most_ranks = kMostRanks;
};
constexpr Sizes kFaster[] = {
    {.collective = Collective::bcast, .least = 32 * kKiB, .below = 256 * kKiB},
    {.collective = Collective::bcast,
     .least = 256 * kKiB,
     .below = 1 * kMiB,
     .most_ranks = kMeasuredRanks},
    {.collective = Collective::bcast, .least = 1 * kMiB, .most_ranks = 8},
    {.collective = Collective::reduce, .least = 16 * kKiB},
    {.collective = Collective::allreduce, .least = 16 * kKiB},
    {.collective = Collective::gather, .least = 4 * kKiB},
    {.collective = Collective::scatter, .least = 4 * kKiB},
    {.collective = Collective::allgather, .least = 4 * kKiB, .below = 32 * kKiB},
    {.collective = Collective::allgather, .least = 32 * kKiB, .below = 256 * kKiB, .most_ranks = 8},
    {.collective = Collective::alltoall, .least = 4 * kKiB, .below = 128 * kKiB},
    {.collective = Collective::reduce_scatter, .least = 4 * kKiB},
};

// Between two ranks, whose algorithms are the MPI's, too, and the data all that counts.
constexpr int kTwo = 2;
constexpr Count kLeastOfTwo = 32 * kKiB;

bool are_two_fast(const Query& query, const Surroundings& around) {
  const Count below =
      sends_anew(query.collective) ? around.beats_kernel_anew_below : around.beats_kernel_below;
  if (query.bytes == kSomeBytes) return below > kLeastOfTwo;
  return query.bytes >= kLeastOfTwo && query.bytes < below;
}

// A function of the program's reduces nothing before all of it has come.
constexpr Count kMostWhole = 512 * kKiB;

// Where the data of two ranks go through a ring in pieces anyway, and are reduced as they come,
// segments would only add messages, and a copy of its own before the sum would keep that from
// following. Short reduces go through the ring in any case. nullptr: by times.
const char* name_of_following(const Query& query, const Surroundings& around) {
  if (query.size != kTwo || query.two_groups || query.bytes == kSomeBytes) return nullptr;
  const Count copied_below = around.beats_kernel_anew_below;
  if (query.collective == Collective::reduce) {
    if (!query.commutative) return nullptr;  // the sum is not the root's, but rank 0's
    const Count most = query.calls_program ? kMostWhole : kNoLimit;
    return query.bytes < std::clamp(copied_below, kLeastOfTwo, most) ? "binomial" : nullptr;
  }
  const bool is_copied = query.bytes >= kLeastOfTwo && query.bytes < copied_below;
  const bool follows = query.collective == Collective::allreduce && !query.calls_program;
  return is_copied && follows ? "rabenseifner" : nullptr;
}

bool is_measured(const Query& query) {
  return !query.uneven && query.collective != Collective::barrier &&
         query.collective != Collective::scan && query.collective != Collective::exscan;
}

bool has_rules(const Query& query) {
  return is_measured(query) && !query.two_groups && query.size >= kFewestRanks &&
         query.size <= kMostRanks && !rules_for(query.collective).empty();
}

// A rank's block is shorter than that: less than what shared blocks hold, and a power of two.
constexpr Count kSharedBlock = 1 * kKiB;
constexpr Count kLongSharedBlock = 8 * kKiB;
// Of all ranks together, as each rank reads all their blocks. Where they have cores of their own
// other algorithms share that work among them; where they share cores a round costs more than it.
// Measured with two ranks on two cores, and with eight.
constexpr Count kSharedByAll = 16 * kKiB;
constexpr Count kSharedByAllCrowded = 64 * kKiB;

Count shared_block_below(const Query& query, const Surroundings& around) {
  if (!around.has_long_blocks) return kSharedBlock;
  const Count all = around.has_cores ? kSharedByAll : kSharedByAllCrowded;
  const auto ranks = static_cast<Count>(std::bit_ceil(static_cast<std::uint64_t>(query.size)));
  return std::clamp(all / ranks, kSharedBlock, kLongSharedBlock);
}

// Of collectives that all ranks begin with as many bytes each. Others MPIs let pass where a rank
// says another number, as where it does not know how short a text is that it is sent.
const char* name_in_shared_blocks(Collective collective) {
  switch (collective) {
    case Collective::barrier:
    case Collective::reduce:
    case Collective::allreduce:
      return "flat";
    case Collective::allgather:
    case Collective::alltoall:
      return "linear";
    default:
      return nullptr;
  }
}

bool fits_in_shared_blocks(const Query& query, const Surroundings& around) {
  if (query.collective == Collective::barrier || query.bytes == kSomeBytes) return true;
  const bool one_for_each = query.collective == Collective::alltoall;
  const auto blocks = std::bit_ceil(static_cast<std::uint64_t>(one_for_each ? query.size : 1));
  return query.bytes > 0 &&
         query.bytes < shared_block_below(query, around) / static_cast<Count>(blocks);
}

}  // namespace

Choice choose_in_shared_blocks(const Query& query, const Surroundings& around) {
  const char* const name = name_in_shared_blocks(query.collective);
  const bool may = around.has_shared_blocks && query.form == Form::blocking && !query.uneven &&
                   !query.calls_program && query.size > 1 && name != nullptr &&
                   fits_in_shared_blocks(query, around);
  if (!may) return {};
  return {.algorithm = find_algorithm(query.collective, name), .basis = Basis::shared_blocks};
}

const Algorithm* algorithm_by_root(Collective collective, int ranks, const Surroundings& around) {
  const bool has = collective == Collective::bcast || collective == Collective::scatter;
  const bool may = has && around.has_shared_blocks && !around.has_cores && ranks > 1;
  return may ? find_algorithm(collective, "linear") : nullptr;
}

bool is_better_by_rule(const Query& query, const Surroundings& around, const Algorithm& by_root) {
  const TunedRule* const rule =
      around.rules == nullptr ? nullptr : around.rules->find(query, around.hosts);
  return rule != nullptr && rule->algorithm != &by_root;
}

Choice choose_by_root(const Query& query, const Surroundings& around) {
  const Count blocks = query.collective == Collective::scatter ? query.size : 1;
  const bool may = !query.uneven && query.form == Form::blocking && !query.two_groups &&
                   query.bytes > 0 && query.bytes <= kMostByRoot / blocks;
  const Algorithm* const algorithm = algorithm_by_root(query.collective, query.size, around);
  if (!may || algorithm == nullptr || is_better_by_rule(query, around, *algorithm)) return {};
  return {.algorithm = algorithm, .basis = Basis::shared_blocks};
}

bool is_fast_in_memory(const Query& query, const Surroundings& around) {
  if (choose_in_shared_blocks(query, around).algorithm != nullptr) return true;
  if (!around.shares_memory || !around.has_cores || !is_measured(query)) return false;
  if (!has_rules(query)) return query.size < kFewestRanks && are_two_fast(query, around);
  return std::ranges::any_of(kFaster, [&](const Sizes& sizes) {
    const bool fits =
        query.bytes == kSomeBytes || (query.bytes >= sizes.least && query.bytes < sizes.below);
    return sizes.collective == query.collective && query.size <= sizes.most_ranks && fits;
  });
}

Choice choose_in_memory(const Query& query, const Surroundings& around) {
  if (around.hosts > 1 || !around.shares_memory || !around.has_cores) return {};
  const auto that_may_run = [&query](const Choice& choice) {
    return choice.algorithm != nullptr && may_run(*choice.algorithm, query) ? choice : Choice{};
  };
  if (const char* const name = name_of_following(query, around); name != nullptr) {
    return that_may_run(
        {.algorithm = find_algorithm(query.collective, name), .basis = Basis::in_memory});
  }
  if (!has_rules(query)) return {};
  return that_may_run(by_rules(rules_for(query.collective), query, Basis::in_memory));
}

}  // namespace stretto
