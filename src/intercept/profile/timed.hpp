// Times one call, from construction to destruction.
#pragma once

#include <span>

#include "base/clock.hpp"
#include "intercept/profile/call_recorder.hpp"
#include "intercept/profile/owners.hpp"
#include "intercept/shared/entry.hpp"
#include "mpi/traffic.hpp"

namespace stretto::intercept::profile {

class Timed {
 public:
  Timed(int function, void* caller, MPI_Comm comm, Traffic traffic = {})
      : Timed(function, caller, CommIndex{CallRecorder::get().index_of(comm)}, traffic) {}
  Timed(int function, void* caller, CommIndex comm, Traffic traffic = {})
      : record_{.function = function,
                .caller = caller,
                .comm = comm.value,
                .bytes = traffic.bytes,
                .root = traffic.root,
                .enter = now_ns()} {
    CallRecorder::get().begin(record_);
  }
  ~Timed() {
    record_.leave = now_ns();
    CallRecorder::get().add(record_, affected_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

  // What the call that ended with `error` did with requests. `requests` may change afterwards
  // only when this is gone.
  int affects(RequestEffect effect, int error, std::span<const MPI_Request> requests) {
    if (error == MPI_SUCCESS) affected_ = {effect, requests};
    return error;
  }
  int starts(int error, const MPI_Request* request) {
    return affects(RequestEffect::starts, error, {request, 1});
  }
  int starts_again(int error, const MPI_Request* requests, int count = 1) {
    return affects(RequestEffect::starts_again, error, {requests, static_cast<std::size_t>(count)});
  }
  // The call that ended with `error` made a window or a file of this communicator.
  template <class Handle>
  int makes(int error, const Handle* handle) const {
    if (error == MPI_SUCCESS) Owners<Handle>::get().add(*handle, CommIndex{record_.comm});
    return error;
  }

 private:
  Record record_;
  AffectedRequests affected_;
};

}  // namespace stretto::intercept::profile
