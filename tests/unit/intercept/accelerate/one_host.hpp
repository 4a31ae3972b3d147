// Programs of an MPI as MPICH is on one host: it is asked for no more than the program asks for,
// and long collectives advance through shared memory alone.
#pragma once

#include <functional>
#include <string>

#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {

inline constexpr int kLongCount = 300'000;

struct OneHost {
  explicit OneHost(int ranks, int level = MPI_THREAD_SINGLE)
      : ranks_(std::to_string(ranks)), level_(level) {}

  void run(const std::function<void(int rank)>& body) {
    Program program(std::stoi(ranks_), {.thread_level = level_});
    run_session(program, level_, [&](int rank) {
      EXPECT_FALSE(Engine::get().has_progress_thread());
      body(rank);
    });
  }

 private:
  std::string ranks_;
  int level_;
  Setting run_{"STRETTO_RUN_ALL_RANKS", "trust"};
  Setting never_native_{"STRETTO_SELECTION", "stretto"};
  Setting here_{"MPI_LOCALNRANKS", ranks_.c_str()};
  Setting all_{"PMI_SIZE", ranks_.c_str()};
};

}  // namespace stretto::intercept::accelerate
