// What Stretto did with each call, reported at MPI_Finalize.
#pragma once

#include <array>
#include <atomic>

#include "api/call.hpp"
#include "base/rank_context.hpp"

namespace stretto::intercept::accelerate {

inline constexpr int kEntryPoints = 66;  // the collectives, in each of their forms
extern const std::array<const char*, kEntryPoints> kEntryPointNames;

namespace counters {

// This rank's calls, by entry point.
struct CallCounts {
  static constexpr int kMostAlgorithms = 64;
  std::array<std::array<std::atomic<long>, kReasons>, kEntryPoints> passed{};
  std::array<std::array<std::atomic<long>, kMostAlgorithms>, kEntryPoints> handled{};
  // The place of the algorithm that handled the last one.
  std::array<std::atomic<std::size_t>, kEntryPoints> last_handled{};
};

// Of one thread alone this is no locked instruction: that would wait until other cores have given
// up the lines that the call before has stored to.
[[gnu::always_inline]] inline void count_one(const Engine& engine, std::atomic<long>& count) {
  if (engine.program_has_threads()) {
    count.fetch_add(1, std::memory_order_relaxed);
  } else {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

[[gnu::always_inline]] inline void count_passed(const Engine& engine, CallCounts& counts,
                                                int entry_point, Reason reason) {
  auto& of_call = counts.passed[static_cast<std::size_t>(entry_point)];
  count_one(engine, of_call[static_cast<std::size_t>(reason)]);
}
[[gnu::always_inline]] inline void count_passed(const Engine& engine, int entry_point,
                                                Reason reason) {
  count_passed(engine, of_rank<CallCounts>(), entry_point, reason);
}
void count_handled(int entry_point, const Algorithm& algorithm);

// STRETTO_VERBOSE=1: a summary of this rank's calls on rank 0's stderr.
// STRETTO_RUN_COUNTERS=<folder>: <folder>/rank-<rank>.json, on every rank.
void write_report();
// Where it cannot be written: says so, if it was asked for.
void say_unwritten();

}  // namespace counters
}  // namespace stretto::intercept::accelerate
