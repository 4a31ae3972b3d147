#include "intercept/accelerate/tracked.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/config.hpp"
#include "engine/engine.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr Count kLongMessage = Count{32} * 1024;  // bytes; above the usual eager limits

// Of a longer message than this Open MPI sends the rest once its receiver has answered, over the
// same connection as its own messages: where two hosts send to each other the answer of one waits
// behind its message, and the two take turns (docs/decisions/0034-long-messages-at-once.md).
constexpr const char* kOpenMpisLimit = "OMPI_MCA_btl_tcp_eager_limit";
constexpr const char* kHigherLimit = "1048576";

bool is_asked_for() {
  static const bool asked = switch_setting("STRETTO_PROGRESS_MESSAGES").value_or(false);
  return asked;
}

}  // namespace

void Tracked::prepare_mpi() {
  if (is_asked_for() && std::string_view(STRETTO_ABI) == "openmpi") {
    constexpr int kUnlessSet = 0;
    ::setenv(kOpenMpisLimit, kHigherLimit, kUnlessSet);
  }
}

bool Tracked::worth(Count count, MPI_Datatype datatype) {
  if (!is_asked_for()) return false;
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
