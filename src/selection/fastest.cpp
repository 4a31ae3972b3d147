#include "selection/fastest.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/byte_units.hpp"
#include "selection/classics.hpp"

namespace stretto {
namespace {

constexpr Count kSegments[] = {2 * kKiB, 8 * kKiB, 32 * kKiB, 128 * kKiB};
constexpr Count kMostSegments = 16 * kKiB;
constexpr std::array kRadixes{2, 4, 8, 16};

// Of shorter ones it takes no time that a block has one more than others.
constexpr Count kLongElement = kKiB;

// Where only their own ranks know the sizes of blocks: where they are short, or many are empty, a
// wrong choice costs most.
constexpr Count kUnevenBytes = 4;

// Whatever the sizes of its blocks and the number of ranks.
bool computes(const Algorithm& algorithm, const Query& query) {
  const bool two_groups = query.two_groups && reduces(query.collective);
  return algorithm.collective == query.collective && algorithm.two_groups == two_groups &&
         (query.commutative || algorithm.keeps_rank_order) &&
         !(algorithm.divides && is_indivisible(query));
}

// Flat trees of radix 2 are algorithms of their own.
std::span<const int> radixes_of(const Algorithm& algorithm) {
  const std::span<const int> all(kRadixes);
  if (!algorithm.uses_radix) return all.first(1);
  return algorithm.uses_layout ? all : all.subspan(1);
}

}  // namespace

bool may_run(const Algorithm& algorithm, const Query& query) {
  return computes(algorithm, query) && query.size <= algorithm.most_ranks &&
         query.bytes <= algorithm.most_bytes / query.size &&
         (!query.uneven || algorithm.single_blocks);
}

Count segment_for(Count wanted, Count bytes, Count element_bytes) {
  const Count least = std::max(wanted, (bytes + kMostSegments - 1) / kMostSegments);
  const Count segment = (least + element_bytes - 1) / element_bytes * element_bytes;
  return segment < bytes ? segment : 0;
}

bool is_indivisible(const Query& query) {
  return query.collective != Collective::reduce_scatter && query.element_bytes > kLongElement &&
         query.bytes / query.element_bytes < query.size;
}

std::vector<Choice> options(const Query& query, int hosts) {
  const bool has_levels = hosts > 1 && hosts < query.size && !query.two_groups;
  std::vector<Choice> found;
  for (const Algorithm* algorithm : algorithms()) {
    if (!may_run(*algorithm, query) || algorithm->on_one_host) continue;
    if (algorithm->uses_layout && !has_levels) continue;
    for (const int radix : radixes_of(*algorithm)) {
      found.push_back({.algorithm = algorithm, .radix = radix});
      if (!algorithm->uses_segment) continue;
      for (const Count each : kSegments) {
        const Count segment = segment_for(each, query.bytes, query.element_bytes);
        if (segment == 0) break;
        if (segment == found.back().segment_bytes) continue;
        found.push_back({.algorithm = algorithm, .segment_bytes = segment, .radix = radix});
      }
    }
  }
  return found;
}

double time_of(const Choice& choice, const Query& query, const Network& network) {
  const Shape shape{.collective = query.collective,
                    .size = query.size,
                    .count = query.uneven && query.bytes == 0 ? kUnevenBytes : query.bytes,
                    .segment = choice.segment_bytes,
                    .radix = choice.radix,
                    .commutative = query.commutative};
  return choice.algorithm->time(shape, network);
}

Choice fastest(const Query& query, const Machine& machine, int hosts) {
  const Network network(machine, query.size, hosts);
  Choice best{.reason = Reason::native_faster};
  double best_time = std::numeric_limits<double>::infinity();
  for (const Choice& choice : options(query, hosts)) {
    const bool is_alone = choice.algorithm->time == nullptr;
    const double time = is_alone ? 0 : time_of(choice, query, network);
    if (time >= best_time) continue;
    best = choice;
    best.basis = Basis::times;
    best_time = time;
  }
  return best;
}

bool has_better_elsewhere(const Query& query, const Choice& choice, const Machine& machine) {
  // Of other collectives not all ranks know the blocks.
  const bool is_known = query.collective == Collective::allgather ||
                        query.collective == Collective::reduce_scatter ||
                        (query.collective == Collective::alltoall && !query.uneven);
  if (query.two_groups || !is_known || choice.algorithm == nullptr) return false;
  const Choice theirs = classic(query);
  if (!computes(*theirs.algorithm, query) || may_run(*theirs.algorithm, query)) return false;
  const Network network(machine, query.size);
  return time_of(theirs, query, network) < time_of(choice, query, network);
}

}  // namespace stretto
