#include "mpi/comm_attributes.hpp"

namespace stretto {

void CommAttributes::begin_generation() {
  // 32 bits would come round within days.
  static constinit std::atomic<std::uint64_t> newest{0};
  generation_ = ++newest;
}

int CommAttributes::delete_attribute(MPI_Comm /*comm*/, int /*keyval*/, void* value,
                                     void* attributes) {
  auto& self = *static_cast<CommAttributes*>(attributes);
  self.freed_(value);
  self.begin_generation();
  return MPI_SUCCESS;
}

void* CommAttributes::look_up(MPI_Comm comm) {
  // Before the look-up: what changes meanwhile makes what was found old.
  const std::uint64_t now = generation_.load(std::memory_order_acquire);
  const int keyval = keyval_;
  if (keyval == MPI_KEYVAL_INVALID || comm == native().comm_null) return nullptr;
  void* value = nullptr;
  int found = 0;
  native().Comm_get_attr(comm, keyval, static_cast<void*>(&value), &found);
  detail::last_attribute = {now, comm, found != 0 ? value : nullptr};
  return detail::last_attribute.value;
}

void CommAttributes::set(MPI_Comm comm, void* value) {
  {
    const std::lock_guard lock(mutex_);
    int made = keyval_;
    if (made == MPI_KEYVAL_INVALID) {
      native().Comm_create_keyval(copy_nothing, delete_attribute, &made, this);
      keyval_ = made;
    }
  }
  native().Comm_set_attr(comm, keyval_, value);
  begin_generation();
}

void CommAttributes::close() {
  int made = keyval_.exchange(MPI_KEYVAL_INVALID);
  if (made != MPI_KEYVAL_INVALID) native().Comm_free_keyval(&made);
  begin_generation();
}

}  // namespace stretto
