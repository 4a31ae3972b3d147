// Which nonblocking collectives have failed among the requests a wait or test completes.
//
// A generalized request that fails is the MPI's own affair: Open MPI calls the error handler
// of MPI_COMM_WORLD for it, MPICH that of MPI_COMM_SELF. So Stretto's never fail; what they
// have to report is collected here by the thread that completes them, and reported to the handler
// of their own communicator.
#pragma once

#include <climits>
#include <utility>

#include "base/rank_context.hpp"
#include "mpi/completion.hpp"

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

  // What the call that completes requests returns, where the MPI's function returned `error`; sets
  // the statuses of those that failed.
  [[nodiscard]] int result(int error, const Completion& completion) const {
    return first_ == MPI_SUCCESS ? error : report_all(error, completion);
  }

 private:
  [[nodiscard]] int report_all(int error, const Completion& completion) const;
  [[nodiscard]] int report(int error) const;

  Failures* outer_;
  MPI_Comm comm_{};  // of the first that failed
  int first_ = MPI_SUCCESS;
};

}  // namespace stretto
