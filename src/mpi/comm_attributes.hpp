// What Stretto keeps with a communicator of the program: an attribute, found by its handle at each
// call. Most calls are on the communicator of the call before, and the MPI's own look-up would add
// a tenth to its fastest collective: so each thread remembers what it found last.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "mpi/native.hpp"

namespace stretto {

namespace detail {
// What a thread found last. It has nothing to destroy: MPI may be called by what exit() runs after
// it has destroyed this thread's.
struct LastAttribute {
  std::uint64_t generation = 0;  // of one instance alone, as they are numbered together
  MPI_Comm comm{};
  void* value = nullptr;
};
inline constinit thread_local LastAttribute last_attribute [[gnu::tls_model("initial-exec")]];
}  // namespace detail

// Thread-safe. Communicators do not inherit their parent's attribute.
class CommAttributes {
 public:
  // `freed` is called with the attribute of a communicator that the program frees: a callback of
  // the MPI's, which is no place to free another communicator.
  using Freed = void (*)(void* value);
  explicit constexpr CommAttributes(Freed freed) : freed_(freed) {}
  CommAttributes(const CommAttributes&) = delete;
  CommAttributes& operator=(const CommAttributes&) = delete;

  // nullptr: it has none.
  [[nodiscard]] void* find(MPI_Comm comm) {
    return is_last(comm) ? detail::last_attribute.value : look_up(comm);
  }
  // Or this thread has found another's last.
  [[nodiscard, gnu::always_inline]] void* find_last(MPI_Comm comm) const {
    return is_last(comm) ? detail::last_attribute.value : nullptr;
  }
  void set(MPI_Comm comm, void* value);
  // From now on nothing has one. Attributes that communicators still have are freed with these.
  void close();

 private:
  [[nodiscard, gnu::always_inline]] bool is_last(MPI_Comm comm) const {
    const std::uint64_t now = generation_.load(std::memory_order_acquire);
    const detail::LastAttribute& last = detail::last_attribute;
    return last.generation == now && last.comm == comm;
  }
  [[nodiscard]] void* look_up(MPI_Comm comm);
  void begin_generation();
  static int delete_attribute(MPI_Comm comm, int keyval, void* value, void* attributes);

  const Freed freed_;
  std::mutex mutex_;
  std::atomic<int> keyval_{MPI_KEYVAL_INVALID};
  // Changes whenever a handle may have come to mean something else.
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace stretto
