// A communicator of this rank alone that carries nothing but Stretto's messages to
// itself: the operations of communicators of one rank, on tag 0, copies and, on tags of their own,
// signals.
#pragma once

#include <atomic>

#include "mpi/native.hpp"

namespace stretto::own_channel {

// Once the MPI is initialized, and before any other thread of Stretto's runs; and before
// MPI_Finalize. Both do nothing where that is done. False where the MPI has no communicator left.
[[nodiscard]] bool open();
void close();

[[nodiscard]] MPI_Comm get();
inline constexpr int kCopyTag = 1;

// What makes a persistent request of the MPI's complete: the request is a receive from
// oneself, and raising the signal sends the message. So every MPI function that waits or
// tests treats it as its own. Thread-safe.
class Signal {
 public:
  Signal();
  ~Signal();
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  // A persistent request, inactive. The caller's; started again for each raise.
  [[nodiscard]] MPI_Request request() const;
  // `error`: waiting for the request fails, too.
  void raise(int error) const;
  // That error, once; MPI_SUCCESS where there was none.
  [[nodiscard]] int take_error() const { return error_.exchange(MPI_SUCCESS); }

 private:
  int tag_;
  mutable std::atomic<int> error_{MPI_SUCCESS};
};

}  // namespace stretto::own_channel
