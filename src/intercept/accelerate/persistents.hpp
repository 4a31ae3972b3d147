// The persistent collectives the program holds an MPI_Request of.
//
// That request is a persistent receive from oneself, which the operation's end completes
// (own_channel::Signal). So the MPI's own functions wait for it, test it, report that it is
// inactive and free it; Stretto takes part where it is started and freed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "api/persistent.hpp"
#include "base/rank_context.hpp"

namespace stretto::intercept::accelerate {

class Persistents {
 public:
  // This rank's.
  [[nodiscard]] static Persistents& get() { return of_rank<Persistents>(); }

  // Stores the request. False where there is no tag for it, on all ranks alike.
  bool add(const Call& call, const Decision& decision, MPI_Request* request);
  [[nodiscard]] bool any() const { return count_.load(std::memory_order_relaxed) > 0; }
  // Both false where `request` is none of these. Begins the operation, if it was started:
  bool start(MPI_Request request);
  // The program frees it. What it has started still ends.
  bool forget(MPI_Request request);
  // Waiting or testing returned `error`: adds those of ours that have failed to Failures.
  void collect(int error);

 private:
  struct Entry {
    std::unique_ptr<Persistent> collective;
    std::shared_ptr<const own_channel::Signal> signal;
    MPI_Comm comm{};
  };

  // Held for a search alone: what starts may call functions of the program's.
  std::mutex mutex_;
  std::unordered_map<MPI_Request, std::shared_ptr<const Entry>> entries_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace stretto::intercept::accelerate
