// Errors of calls that belong to no communicator go to the handler of MPI_COMM_SELF (MPI 4.0)
// or of MPI_COMM_WORLD (before): the program's, which may well end it. Where Stretto makes such
// a call to see whether it fails, that handler must not hear of it.
#pragma once

#include "transport/mpi/native.hpp"

namespace stretto {

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
