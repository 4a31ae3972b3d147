// Operations that rest when they are over, and begin again with other buffers.

#include "engine/operation.hpp"

namespace stretto {
namespace {

// Of what is kept between calls: no more memory than a few operations under way take.
constexpr std::size_t kMostStepsKept = 64;
constexpr Count kMostScratchKept = Count{4} * 1024;

}  // namespace

bool Operation::may_be_kept() const {
  const Binding& binding = task_.binding;
  const bool is_in_place = !binding.before && !binding.after && binding.memory.base() == nullptr;
  const bool has_parts =
      !binding.send.parts.empty() || !binding.recv.parts.empty() || !binding.scratch_parts.empty();
  const Schedule& schedule = task_.plan->schedule;
  return is_in_place && !has_parts && task_.ranks.empty() && !task_.tags &&
         schedule.steps.size() <= kMostStepsKept &&
         schedule.scratch * binding.scratch.bytes <= kMostScratchKept;
}

void Operation::rest() {
  Communicator& its = comm();
  signal = nullptr;
  rests_.store(true, std::memory_order_release);
  // Last of all, as the communicator may go then, and this with it.
  --its.operations;
}

void Operation::renew(const void* send, void* recv) {
  rests_.store(false, std::memory_order_relaxed);
  is_renewed_ = true;
  // What is not described is not used.
  Binding& binding = task_.binding;
  if (binding.send.element.type != MPI_Datatype{}) binding.send.base = const_cast<void*>(send);
  if (binding.recv.element.type != MPI_Datatype{}) binding.recv.base = recv;
  ready_.clear();
  next_ready_ = 0;
  to_post_.clear();
  to_compute_.clear();
  next_local_ = 0;
  gave_up_ = computing_ = cancels_ = false;
  posting_ = in_flight_ = 0;
  error_ = MPI_SUCCESS;
  listed = {};
  pace_ = {};
  done_.store(false, std::memory_order_relaxed);
  prepare();
}

}  // namespace stretto
