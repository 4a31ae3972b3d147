#include "api/persistent.hpp"

namespace stretto {

std::unique_ptr<Persistent> Persistent::make(const Call& call, const Decision& decision) {
  Task task = task_for(call, decision);
  task.tags = communicators::persistent_tag(*task.comm);
  if (task.tags == nullptr) return nullptr;
  return std::unique_ptr<Persistent>(new Persistent(std::move(task)));
}

}  // namespace stretto
