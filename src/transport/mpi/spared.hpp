// A call that Stretto makes to see whether it fails must not reach the program's error handler,
// which may well end it. That is the handler of the call's communicator or, for calls that
// belong to none, of MPI_COMM_SELF (MPI 4.0) or MPI_COMM_WORLD (before).
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "transport/mpi/native.hpp"

namespace stretto {

// Has the program given MPI_COMM_SELF a handler?
inline std::atomic<bool>& self_has_handler() {
  static constinit std::atomic<bool> given{false};
  return given;
}

// The communicator whose handler is told of errors on `comm`. With MPICH one that was given none,
// as those of MPI_Comm_create, has that of MPI_COMM_SELF or else that of MPI_COMM_WORLD, but says
// MPI_ERRORS_ARE_FATAL; to restore that would give it one of its own, even if that of
// MPI_COMM_WORLD is the same for now.
inline MPI_Comm in_charge(MPI_Comm comm) {
#if !defined(OMPI_MAJOR_VERSION)
  if (comm == native().comm_self && self_has_handler().load(std::memory_order_relaxed)) return comm;
  MPI_Errhandler handler{};
  native().Comm_get_errhandler(comm, &handler);
  const bool is_fatal = handler == native().errors_are_fatal;
  native().Errhandler_free(&handler);
  if (is_fatal) return native().comm_world;
#endif
  return comm;
}

// While it lives, errors on `comm` have no handler but MPI_ERRORS_RETURN. Several threads may have
// one for the same communicator: the last one restores what the first one found.
class Spared {
 public:
  explicit Spared(MPI_Comm comm) {
    const std::lock_guard lock(all().mutex);
    comm_ = in_charge(comm);
    if (Handler* const known = find(); known != nullptr) {
      ++known->users;
      return;
    }
    Handler found{.comm = comm_};
    native().Comm_get_errhandler(comm_, &found.handler);
    native().Comm_set_errhandler(comm_, native().errors_return);
    all().handlers.push_back(found);
  }
  ~Spared() {
    const std::lock_guard lock(all().mutex);
    Handler* const known = find();
    if (--known->users > 0) return;
    native().Comm_set_errhandler(comm_, known->handler);
    native().Errhandler_free(&known->handler);
    *known = all().handlers.back();
    all().handlers.pop_back();
  }
  Spared(const Spared&) = delete;
  Spared& operator=(const Spared&) = delete;

 private:
  struct Handler {
    MPI_Comm comm{};
    MPI_Errhandler handler{};
    int users = 1;
  };
  struct All {
    std::mutex mutex;
    std::vector<Handler> handlers;
  };
  // Never destroyed: exit() may run what still calls MPI.
  static All& all() {
    static auto* const instance = new All;
    return *instance;
  }
  [[nodiscard]] Handler* find() const {
    const auto found = std::ranges::find(all().handlers, comm_, &Handler::comm);
    return found == all().handlers.end() ? nullptr : &*found;
  }

  MPI_Comm comm_{};
};

}  // namespace stretto
