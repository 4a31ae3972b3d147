// A call that Stretto makes to see whether it fails must not reach the program's error handler,
// which may well end it. That is the handler of the call's communicator or, for calls that
// belong to none, of MPI_COMM_SELF (MPI 4.0) or MPI_COMM_WORLD (before).
#pragma once

#include "transport/mpi/native.hpp"

namespace stretto {

// While it lives, `comm` has no handler but MPI_ERRORS_RETURN.
class Spared {
 public:
  explicit Spared(MPI_Comm comm) : comm_(comm) {
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
