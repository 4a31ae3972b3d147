// Which communicator a window or a file was made of.
#pragma once

#include <mutex>
#include <unordered_map>

#include "intercept/profile/call_recorder.hpp"

namespace stretto::intercept::profile {

// A communicator by its number in CallRecorder::comms(): an MPI's own handle may be an int, too.
struct CommIndex {
  int value = kNoComm;
};

template <class Handle>
class Owners {
 public:
  // This rank's.
  [[nodiscard]] static Owners& get() { return of_rank<Owners>(); }

  void add(Handle handle, CommIndex comm) {
    const std::lock_guard lock(mutex_);
    owners_[handle] = comm;
  }
  [[nodiscard]] CommIndex of(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = owners_.find(handle);
    return found == owners_.end() ? CommIndex{} : found->second;
  }
  // For the last time.
  [[nodiscard]] CommIndex taken(Handle handle) {
    const CommIndex comm = of(handle);
    const std::lock_guard lock(mutex_);
    owners_.erase(handle);
    return comm;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Handle, CommIndex> owners_;
};

}  // namespace stretto::intercept::profile
