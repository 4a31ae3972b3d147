// Which nonblocking collectives have failed among the requests a wait or test completes.
//
// A generalized request that fails is the MPI's own affair: Open MPI calls the error handler
// of MPI_COMM_WORLD for it, MPICH that of MPI_COMM_SELF. So Stretto's never fail; what they
// have to tell is collected here by the thread that completes them, and told to the handler
// of their own communicator.
#pragma once

#include <climits>
#include <utility>

#include "base/rank_context.hpp"
#include "mpi/native.hpp"

namespace stretto {

class Failures {
 public:
  Failures() : outer_(std::exchange(this_thread.failures, this)) {}
  ~Failures() { this_thread.failures = outer_; }
  Failures(const Failures&) = delete;
  Failures& operator=(const Failures&) = delete;

  // MPI_SOURCE in the status of a request that failed: an error there is the MPI's affair again.
  // Nothing a generalized request of the program's would put there.
  static constexpr int kFailed = INT_MIN + 0x5374;
  // This thread has completed the request of a collective on `comm` that failed.
  static void add(MPI_Comm comm, int error);

  // What the function that completes one request returns, where the MPI's returned `error`.
  [[nodiscard]] int told(int error) const { return first_ == MPI_SUCCESS ? error : tell(first_); }
  // The same where it completes several: `count` statuses were set, or are ignored.
  [[nodiscard]] int told(int error, int count, MPI_Status* statuses) const;

 private:
  [[nodiscard]] int tell(int error) const;

  Failures* outer_;
  MPI_Comm comm_{};  // of the first that failed
  int first_ = MPI_SUCCESS;
};

}  // namespace stretto
