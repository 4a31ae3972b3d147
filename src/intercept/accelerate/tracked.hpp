// Requests of the MPI's own that the progress thread moves along while the program
// computes: many MPIs leave a long message still until the program calls them again. Only where
// STRETTO_PROGRESS_MESSAGES asks for it, as a program that waits soon pays for every poll.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "base/rank_context.hpp"
#include "mpi/native.hpp"
#include "schedule/shape.hpp"

namespace stretto::intercept::accelerate {

class Tracked {
 public:
  // This rank's.
  [[nodiscard]] static Tracked& get() { return of_rank<Tracked>(); }

  // Does the setting ask for it?
  [[nodiscard, gnu::always_inline]] static bool asked() {
    return is_asked_.load(std::memory_order_relaxed);
  }
  // Before a session: reads the setting.
  static void begin();
  // Is it worth it? Short messages are on their way when the call returns, and on one
  // host moving a message is work of the cores the program computes on.
  [[nodiscard]] static bool worth(Count count, MPI_Datatype datatype);

  void add(MPI_Request request);
  // It is complete, or the program freed it.
  void forget(MPI_Request request);
  [[nodiscard]] bool any() const { return count_.load(std::memory_order_relaxed) > 0; }

 private:
  static inline constinit std::atomic<bool> is_asked_{false};

  std::mutex mutex_;
  std::vector<MPI_Request> requests_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace stretto::intercept::accelerate
