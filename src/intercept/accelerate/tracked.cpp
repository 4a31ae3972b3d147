#include "intercept/accelerate/tracked.hpp"

#include <algorithm>

#include "base/config.hpp"
#include "engine/engine.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr Count kLongMessage = Count{32} * 1024;  // bytes; above the usual eager limits

}  // namespace

void Tracked::begin() { is_asked_ = switch_setting("STRETTO_PROGRESS_MESSAGES").value_or(false); }

bool Tracked::worth(Count count, MPI_Datatype datatype) {
  if (!asked()) return false;
  if (!Engine::get().has_progress_thread() || !Engine::get().spans_hosts()) return false;
  MPI_Count size = 0;
  native().Type_size_x(datatype, &size);
  return count * size >= kLongMessage;
}

void Tracked::add(MPI_Request request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    count_ = requests_.size();
  }
  Engine::get().add_background(1);
}

void Tracked::forget(MPI_Request request) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(requests_.begin(), requests_.end(), request);
    if (found == requests_.end()) return;
    *found = requests_.back();
    requests_.pop_back();
    count_ = requests_.size();
  }
  Engine::get().add_background(-1);
}

}  // namespace stretto::intercept::accelerate
