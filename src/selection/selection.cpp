#include "selection/selection.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/byte_units.hpp"
#include "base/rank_context.hpp"
#include "selection/assumed.hpp"
#include "selection/between_hosts.hpp"
#include "selection/classics.hpp"
#include "selection/fastest.hpp"
#include "selection/in_memory.hpp"
#include "selection/tuned.hpp"

namespace stretto {
namespace {

constexpr Count kAny = INT64_MAX;

// Up to so many ranks on several hosts rules decide that were measured; among more what the
// algorithms' times say (docs/decisions/0022-selection-by-times.md).
constexpr int kMeasuredBetweenHosts = 16;

// On two groups, or a graph.
bool has_one_algorithm(const Query& query) {
  return is_neighborhood(query.collective) || (query.two_groups && reduces(query.collective));
}

// The rules were measured with two ranks a host. With four, on 4 hosts with cores for all, these
// collectives took 1.1 to 1.6 times as long by them as Open MPI's, and their times say so, too.
bool takes_long_by_rules(Collective collective) {
  return collective == Collective::barrier || collective == Collective::allreduce ||
         collective == Collective::allgather;
}

// Measured were vectors that can be cut anywhere. `by_layout`: algorithms that go by it may run the
// call.
bool has_measured_rules(const Query& query, int hosts, bool by_layout) {
  const bool is_slow =
      by_layout && !query.uneven && query.size > 2 * hosts && takes_long_by_rules(query.collective);
  const bool was_measured =
      hosts > 1 && query.size <= kMeasuredBetweenHosts && !is_slow && !is_indivisible(query);
  return was_measured || has_one_algorithm(query);
}

// In short blocks that differ, say, where Stretto's algorithms send a message for each. A
// nonblocking one of the MPI's would not advance by itself.
bool is_better_native(const Query& query, const Choice& choice, const Machine& machine) {
  return query.form == Form::blocking && has_better_elsewhere(query, choice, machine);
}

// Working it out takes a microsecond or more, and programs repeat their calls. It is not the
// thread's own: a library that may be loaded later has hardly any room for such.
struct Chosen {
  struct Known {
    Query query{};
    int hosts = 0;
    bool by_layout = false;
    bool never_native = false;
    Choice choice{};
  };
  std::mutex mutex;
  std::array<Known, 64> all{};
};

// `by_layout`: it may be an algorithm that goes by it.
Choice by_times(const Query& query, int hosts, bool by_layout, bool never_native) {
  auto& [mutex, all] = of_rank<Chosen>();
  const auto bytes = static_cast<std::uint64_t>(query.bytes + query.element_bytes - 1);
  const auto mixed =
      (bytes * 13 + static_cast<std::uint64_t>(query.collective)) * 0x9E3779B97F4A7C15U ^
      static_cast<std::uint64_t>(query.size);
  const std::lock_guard lock(mutex);
  Chosen::Known& known = all[(mixed >> 32 ^ mixed) % all.size()];
  const bool is_known = known.hosts == hosts && known.by_layout == by_layout &&
                        known.never_native == never_native && known.query == query;
  if (!is_known) {
    const int ranks_per_host = (query.size + hosts - 1) / hosts;
    const Machine machine = with_hosts_of(assumed_machine(), ranks_per_host);
    Choice choice = has_measured_rules(query, hosts, by_layout)
                        ? choose_between_hosts(query)
                        : fastest(query, machine, by_layout ? hosts : 0);
    if (!never_native && is_better_native(query, choice, machine)) {
      choice = {.reason = Reason::native_faster, .basis = Basis::better_elsewhere};
    }
    known = {query, hosts, by_layout, never_native, choice};
  }
  return known.choice;
}

// Open MPI's nonblocking neighbourhood collectives are wrong on one rank and on short rings
// (tests/mpi/dropin_neighbors.c).
bool trusts_native(const Query& query) {
  return query.form == Form::blocking || !is_neighborhood(query.collective);
}

// From how many bytes on Stretto's collectives were faster than those of Open MPI and MPICH, both
// yielding, between hosts whose ranks share cores (docs/decisions/0026-crowded.md).
Count least_between_crowded(const Query& query) {
  const Count long_ones = query.uneven || query.two_groups ? kAny : 1024 * kKiB;
  if (query.collective == Collective::allgather) return long_ones;
  if (query.form == Form::nonblocking) {
    return query.collective == Collective::bcast ? long_ones : kAny;
  }
  if (query.collective == Collective::gather) return 16 * kKiB;
  if (query.collective == Collective::bcast) return 64 * kKiB;
  if (query.collective == Collective::reduce) return 128 * kKiB;
  return query.collective == Collective::allreduce ? long_ones : kAny;
}

bool is_long_between_crowded(const Query& query, const Surroundings& around) {
  const Count least = least_between_crowded(query);
  return around.hosts > 1 && around.in_blocks && query.bytes >= least && least != kAny;
}

// Where a host's ranks do not follow each other: rules and times count with it, and lines and rings
// would send all they pass on over the hosts' links, again and again. What the MPIs run is no
// worse than what they run.
bool takes_classic(const Query& query, const Surroundings& around) {
  return around.hosts > 1 && !around.in_blocks && !has_one_algorithm(query) &&
         may_run(*classic(query).algorithm, query);
}

// Where ranks share cores nobody has measured the algorithms that go by it: there they are learned.
bool takes_layout(const Surroundings& around) { return around.in_blocks && around.has_cores; }

// MPIs send so much unasked to a rank of the host (Open MPI from 4 KiB on not), and to one of
// another host (Open MPI from 64 KiB on not).
constexpr Count kUnasked = 2 * kKiB;
constexpr Count kUnaskedBetweenHosts = 32 * kKiB;

// Between two ranks there is one message each way. A short one is on its way as soon as the call
// has begun, and nobody need move it along: the MPI's call does the same for less.
bool is_over_at_once(const Query& query, const Surroundings& around) {
  if (query.size != 2 || query.two_groups || is_neighborhood(query.collective)) return false;
  if (around.hosts == 1) return !query.uneven && query.bytes <= kUnasked;
  // These are one message as they are, whose size not all know, or not all say rightly.
  if (query.collective == Collective::gather || query.collective == Collective::scatter) {
    return query.form == Form::blocking;
  }
  // Of blocking calls limits are between two powers of two (see Contests).
  const bool is_short = query.form == Form::blocking ? query.bytes < kUnaskedBetweenHosts
                                                     : query.bytes <= kUnaskedBetweenHosts;
  return !query.uneven && is_short;
}

// On one host the MPI's own collectives are good: its ranks meet in shared memory and need no
// messages at all. Where ranks share cores, or nobody knows, no core is free to overlap with, and
// what counts is the work that a collective is. Basis::none: they are not.
Basis native_is_best(const Query& query, const Surroundings& around) {
  if (around.never_native || query.form == Form::persistent) return Basis::none;
  const bool is_crowded = !around.has_cores && !is_long_between_crowded(query, around);
  const Basis where_crowded = is_crowded ? Basis::crowded : Basis::none;
  if (query.form == Form::nonblocking) {
    if (!trusts_native(query)) return Basis::none;
    return is_over_at_once(query, around) ? Basis::over_at_once : where_crowded;
  }
  if (around.hosts == 1) return is_fast_in_memory(query, around) ? Basis::none : Basis::one_host;
  if (is_over_at_once(query, around)) return Basis::over_at_once;
  if (!around.in_blocks && !is_neighborhood(query.collective)) return Basis::scattered;
  return where_crowded;
}

Choice tuned(const TunedRule& rule, const Query& query) {
  if (rule.algorithm == nullptr) {
    return {.reason = Reason::native_faster, .basis = Basis::tuned};
  }
  const Count segment = rule.segment_bytes;
  return {.algorithm = rule.algorithm,
          .segment_bytes = segment > 0 ? segment_for(segment, query.bytes, query.element_bytes) : 0,
          .radix = rule.radix,
          .basis = Basis::tuned};
}

// A buffer may be a GPU's on some ranks only. Before a blocking call they ask each other; another
// form must not wait for that when it begins, and the two sides of an intercommunicator need not
// know of a call at all (MPI_PROC_NULL), so those are the MPI's.
bool may_be_of_device(const Query& query, const Surroundings& around) {
  return around.device_buffers && query.collective != Collective::barrier &&
         (query.form != Form::blocking || query.two_groups);
}

constexpr Count kForcedSegment = 32 * kKiB;
constexpr int kForcedRadix = 4;

}  // namespace

const char* words(Reason reason) {
  constexpr std::array kWords{"handled",
                              "expected to be faster",
                              "asked for",
                              "no progress thread",
                              "one rank",
                              "communicator not attached",
                              "more than 2 GiB",
                              "invalid arguments",
                              "forced algorithm needs a commutative operation",
                              "forced algorithm needs blocks of one size",
                              "no tags left",
                              "device buffers",
                              "the program's operation, and one thread"};
  static_assert(kWords.size() == kReasons);
  return kWords[static_cast<std::size_t>(reason)];
}

namespace {

// Two ranks took 0.06 to 1.05 of the time of MPICH 5.0 for so many bytes and more, and of Intel MPI
// 2021.19 for sums; at what is moved alone that is faster up to here (docs/decisions/0003).
Count least_in_memory(Collective collective, const Surroundings& around) {
  if (reduces(collective) || around.is_mpich) return kLongInMemory;
  return collective == Collective::bcast ? 4 * kMiB : 1 * kMiB;
}

// While the program computes, or is in a call of the MPI's. All ranks come to the same, as all give
// the same type and operation of a reduction, and as many bytes of anything else.
bool advances(const Query& query, const Surroundings& around) {
  if (query.form == Form::blocking || around.progress_thread) return true;
  return around.progress_in_memory && around.shares_memory && !query.two_groups &&
         query.form == Form::nonblocking && query.without_mpi && !query.uneven &&
         query.bytes >= least_in_memory(query.collective, around);
}

}  // namespace

Reason always_native(const Query& query, const Surroundings& around, const Overrides& overrides) {
  const Forced& forced = overrides[static_cast<std::size_t>(query.collective)];
  if (forced.native) return Reason::native_forced;
  if (!advances(query, around)) return Reason::no_progress_thread;
  if (may_be_of_device(query, around)) return Reason::device_buffers;
  if (forced.algorithm != nullptr) return Reason::none;
  if (query.size == 1 && trusts_native(query)) return Reason::one_rank;
  if (around.rules != nullptr && around.rules->may_handle(query, around.hosts)) return Reason::none;
  return native_is_best(query, around) == Basis::none ? Reason::none : Reason::native_faster;
}

Choice choose(const Query& query, const Surroundings& around, const Overrides& overrides) {
  const TunedRule* const rule =
      around.rules == nullptr ? nullptr : around.rules->find(query, around.hosts);
  const Basis best = native_is_best(query, around);
  const Forced& forced = overrides[static_cast<std::size_t>(query.collective)];
  const Reason reason = always_native(query, around, overrides);
  if (reason == Reason::native_forced) return {.reason = reason, .basis = Basis::forced};
  if (reason == Reason::native_faster) {
    return {.reason = reason, .basis = rule != nullptr ? Basis::tuned : best};
  }
  if (reason != Reason::none) return {.reason = reason};
  // The progress thread would run it beside the program, which has never asked for that.
  if (query.calls_program && query.form != Form::blocking && !around.program_threads) {
    return {.reason = Reason::one_thread};
  }
  const bool two_groups = query.two_groups && reduces(query.collective);
  if (forced.algorithm != nullptr && forced.algorithm->two_groups == two_groups) {
    Reason unfit = Reason::none;
    if (query.uneven && !forced.algorithm->single_blocks) unfit = Reason::uneven_blocks;
    if (!query.commutative && !forced.algorithm->keeps_rank_order) {
      unfit = Reason::changes_rank_order;
    }
    if (unfit == Reason::none) {
      Choice choice{.algorithm = forced.algorithm, .radix = kForcedRadix, .basis = Basis::forced};
      if (forced.algorithm->uses_segment) {
        choice.segment_bytes = segment_for(kForcedSegment, query.bytes, query.element_bytes);
      }
      return choice;
    }
    // Persistent collectives are unfinished in many MPIs, so another algorithm runs them here: with
    // Open MPI 4.1 ranks hang whose MPIX_Alltoallw_init is in place and empty on some of them.
    if (query.form != Form::persistent) return {.reason = unfit};
  }
  if (rule != nullptr) return tuned(*rule, query);
  // There are rules for calls of this kind, but none for this one.
  if (best != Basis::none && forced.algorithm == nullptr) {
    return {.reason = Reason::native_faster, .basis = best};
  }
  if (takes_classic(query, around)) return classic(query);
  const Choice shared = choose_in_shared_blocks(query, around);
  if (shared.algorithm != nullptr) return shared;
  const Choice in_memory = choose_in_memory(query, around);
  if (in_memory.algorithm != nullptr) return in_memory;
  const bool is_known = has_measured_rules(query, around.hosts, takes_layout(around)) &&
                        (!query.uneven || has_one_algorithm(query));
  return is_known ? choose_between_hosts(query)
                  : by_times(query, std::max(around.hosts, 1), takes_layout(around),
                             around.never_native);
}

}  // namespace stretto
