// Programs that run under the mode accelerate: they call MPI_X, which the generated wrappers
// define.
#pragma once

#include <gtest/gtest.h>

#include "fake_mpi/job.hpp"
#include "intercept/accelerate/counters.hpp"
#include "intercept/accelerate/session.hpp"
#include "settings.hpp"

namespace stretto::intercept::accelerate {

// As `stretto run` would tell all ranks, and no collective is left to the MPI for its speed.
struct UnderStretto {
  Setting all{"STRETTO_RUN_ALL_RANKS", "trust"};
  Setting never_native{"STRETTO_SELECTION", "stretto"};
  // Messages are the fake MPI's, which holds back those that a test names.
  Setting no_shared_memory{"STRETTO_SHARED_MEMORY", "off"};
};

// `body` on each rank between MPI_Init_thread, which asks for that level, and MPI_Finalize.
inline void run_session(fake_mpi::Job& job, int level, const std::function<void(int rank)>& body) {
  job.run([&](int rank) {
    int provided = -1;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, level, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, level);
    EXPECT_TRUE(in_session());
    body(rank);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    EXPECT_FALSE(in_session());
  });
}

inline void run_program(fake_mpi::Job& job, int level, const std::function<void(int rank)>& body) {
  const UnderStretto settings;
  run_session(job, level, body);
}

inline fake_mpi::Options uninitialized(fake_mpi::Options options = {}) {
  options.initialized = false;
  return options;
}

// A job of programs that call MPI_Init themselves.
struct Program : fake_mpi::Job {
  explicit Program(int ranks, const fake_mpi::Options& options = {})
      : Job(ranks, uninitialized(options)) {}
};

// This rank's calls of MPI_X until now.
[[nodiscard]] inline long handled(std::string_view function) {
  const auto& counts = of_rank<counters::CallCounts>().handled;
  long calls = 0;
  for (std::size_t e = 0; e < kEntryPoints; ++e) {
    if (kEntryPointNames[e] != function) continue;
    for (const auto& each : counts[e]) calls += each;
  }
  return calls;
}
[[nodiscard]] inline long passed(std::string_view function, Reason reason) {
  const auto& counts = of_rank<counters::CallCounts>().passed;
  for (std::size_t e = 0; e < kEntryPoints; ++e) {
    if (kEntryPointNames[e] == function) return counts[e][static_cast<std::size_t>(reason)];
  }
  return 0;
}

}  // namespace stretto::intercept::accelerate
