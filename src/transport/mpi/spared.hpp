// A call that Stretto makes to see whether it fails must not reach the program's error handler,
// which may well end it. That is the handler of the call's communicator or, for calls that
// belong to none, of MPI_COMM_SELF (MPI 4.0) or MPI_COMM_WORLD (before).
#pragma once

#include "transport/mpi/native.hpp"

namespace stretto {

// The communicator whose handler is told of errors on `comm`. With MPICH one that was given none,
// as those of MPI_Comm_create and MPI_COMM_SELF, follows MPI_COMM_WORLD but says
// MPI_ERRORS_ARE_FATAL; to restore that would give it one of its own.
inline MPI_Comm in_charge(MPI_Comm comm) {
#if !defined(OMPI_MAJOR_VERSION)
  const auto is_fatal = [](MPI_Comm of) {
    MPI_Errhandler handler{};
    native().Comm_get_errhandler(of, &handler);
    const bool fatal = handler == native().errors_are_fatal;
    native().Errhandler_free(&handler);
    return fatal;
  };
  if (is_fatal(comm) && !is_fatal(native().comm_world)) return native().comm_world;
#endif
  return comm;
}

// While it lives, errors on `comm` have no handler but MPI_ERRORS_RETURN.
class Spared {
 public:
  explicit Spared(MPI_Comm comm) : comm_(in_charge(comm)) {
    native().Comm_get_errhandler(comm_, &handler_);
    native().Comm_set_errhandler(comm_, native().errors_return);
  }
  ~Spared() {
    native().Comm_set_errhandler(comm_, handler_);
    native().Errhandler_free(&handler_);
  }
  Spared(const Spared&) = delete;
  Spared& operator=(const Spared&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_{};
};

}  // namespace stretto
