// Datatypes and operations that the program frees while something still uses them: MPI lets it, and
// what is under way ends as if it had not (MPI 4.1, 5.1.9 and 6.9.5).

#include <algorithm>

#include "engine/engine.hpp"

namespace stretto {

template <class Uses>
bool Engine::in_use(const Uses& uses) const {
  return std::ranges::any_of(held_, [&](const Task* task) { return uses(task->binding); }) ||
         std::ranges::any_of(running_, [&](const Operation* operation) {
           return !operation->listed.ended && uses(operation->task().binding);
         });
}

bool Engine::type_in_use(MPI_Datatype type) const {
  return in_use([type](const Binding& binding) { return uses_type(binding, type); });
}

bool Engine::op_in_use(MPI_Op op) const {
  return in_use([op](const Binding& binding) { return binding.op == op; });
}

bool Engine::free_type_later(MPI_Datatype type) {
  const std::lock_guard lock(mutex_);
  if (!type_in_use(type)) return false;
  types_to_free_.push_back(type);
  return true;
}

bool Engine::free_op_later(MPI_Op op) {
  const std::lock_guard lock(mutex_);
  if (!op_in_use(op)) return false;
  ops_to_free_.push_back(op);
  return true;
}

void Engine::release_unused(const Binding& done) {
  // Others wait for something that may last, as persistent collectives do.
  const auto has_used = [&done](MPI_Datatype type) { return uses_type(done, type); };
  if (!std::ranges::any_of(types_to_free_, has_used) &&
      std::ranges::find(ops_to_free_, done.op) == ops_to_free_.end()) {
    return;
  }
  const auto types = std::stable_partition(types_to_free_.begin(), types_to_free_.end(),
                                           [this](MPI_Datatype type) { return type_in_use(type); });
  const auto ops = std::stable_partition(ops_to_free_.begin(), ops_to_free_.end(),
                                         [this](MPI_Op op) { return op_in_use(op); });
  released_types_.insert(released_types_.end(), types, types_to_free_.end());
  released_ops_.insert(released_ops_.end(), ops, ops_to_free_.end());
  types_to_free_.erase(types, types_to_free_.end());
  ops_to_free_.erase(ops, ops_to_free_.end());
  const bool any = !released_types_.empty() || !released_ops_.empty();
  if (any && !any_released_.exchange(true)) raise_attention(1);
}

void Engine::free_released() {
  if (!any_released_.load(std::memory_order_relaxed)) return;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Op> ops;
  {
    const std::lock_guard lock(mutex_);
    types.swap(released_types_);
    ops.swap(released_ops_);
    if (any_released_.exchange(false)) raise_attention(-1);
  }
  for (MPI_Datatype& type : types) native().Type_free(&type);
  for (MPI_Op& op : ops) native().Op_free(&op);
}

}  // namespace stretto
