// A call that Stretto makes to see whether it fails must not reach the program's error handler,
// which may well end it. That is the handler of the call's communicator or, for calls that
// belong to none, of MPI_COMM_SELF (MPI 4.0) or MPI_COMM_WORLD (before).
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "base/rank_context.hpp"
#include "mpi/native.hpp"

namespace stretto {

// Has the program given this rank's MPI_COMM_SELF a handler?
struct SelfHandler {
  std::atomic<bool> given{false};
};
inline std::atomic<bool>& self_has_handler() { return of_rank<SelfHandler>().given; }

// The communicator whose handler is called for errors on `comm`. With MPICH one that was given
// none, as those of MPI_Comm_create, has that of MPI_COMM_SELF or else that of MPI_COMM_WORLD, but
// says MPI_ERRORS_ARE_FATAL; to restore that would give it one of its own, even if that of
// MPI_COMM_WORLD is the same for now.
inline MPI_Comm in_charge(MPI_Comm comm) {
#if !defined(OMPI_MAJOR_VERSION)
  const auto is_fatal = [](MPI_Comm of) {
    MPI_Errhandler handler{};
    native().Comm_get_errhandler(of, &handler);
    const bool fatal = handler == native().errors_are_fatal;
    native().Errhandler_free(&handler);
    return fatal;
  };
  if (!is_fatal(comm)) return comm;
  const bool self_has =
      self_has_handler().load(std::memory_order_relaxed) || !is_fatal(native().comm_self);
  return self_has ? native().comm_self : native().comm_world;
#else
  return comm;
#endif
}

// While it lives, errors on `comm` have no handler but MPI_ERRORS_RETURN. Several threads may have
// one for the same communicator: the last one restores what the first one found. That may be
// MPI_COMM_WORLD's, which other threads' errors go to and copies inherit, so it is for calls that
// wait for no other rank's program.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) {
    const std::lock_guard lock(all().mutex);
    comm_ = in_charge(comm);
    if (Handler* const known = find(comm_); known != nullptr) {
      ++known->users;
      return;
    }
    Handler found{.comm = comm_};
    native().Comm_get_errhandler(comm_, &found.handler);
    native().Comm_set_errhandler(comm_, native().errors_return);
    all().handlers.push_back(found);
  }
  ~ErrorsReturned() {
    const std::lock_guard lock(all().mutex);
    Handler* const known = find(comm_);
    if (--known->users > 0) return;
    native().Comm_set_errhandler(comm_, known->handler);
    native().Errhandler_free(&known->handler);
    *known = all().handlers.back();
    all().handlers.pop_back();
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

  // The program has given `comm` this handler: it is what is there, or is restored. What gave it
  // holds no lock, since an error of that runs a function of the program's, and with MPICH may come
  // back as success.
  static void keep(MPI_Comm comm, MPI_Errhandler handler) {
    const bool may_be_spared = comm == native().comm_world || comm == native().comm_self;
    if (!may_be_spared || handler == native().errhandler_null) return;
    const std::lock_guard lock(all().mutex);
    // Again, as what was found before may have been restored meanwhile.
    native().Comm_set_errhandler(comm, handler);
    Handler* const known = find(comm);
    if (known == nullptr) return;
    native().Errhandler_free(&known->handler);
    native().Comm_get_errhandler(comm, &known->handler);
    native().Comm_set_errhandler(comm, native().errors_return);
  }

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
  static All& all() { return of_rank<All>(); }
  [[nodiscard]] static Handler* find(MPI_Comm comm) {
    const auto found = std::ranges::find(all().handlers, comm, &Handler::comm);
    return found == all().handlers.end() ? nullptr : &*found;
  }

  MPI_Comm comm_{};
};

}  // namespace stretto
