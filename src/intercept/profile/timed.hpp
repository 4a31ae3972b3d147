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

  // The call sends such a message, by itself or by the request that it makes.
  void sends(int dest, int tag) { record_.sent = of(ProfiledMessage::Role::sent, dest, tag); }
  // It receives one; true where its status alone says whose it is.
  bool receives(int source, int tag) {
    record_.received = of(ProfiledMessage::Role::received, source, tag);
    return record_.received.is_open();
  }
  // It waits until one is there, which another call receives.
  bool awaits(int source, int tag) {
    record_.received = of(ProfiledMessage::Role::awaited, source, tag);
    return record_.received.is_open();
  }
  // It accesses that rank's memory.
  void accesses(int target) { record_.sent = of(ProfiledMessage::Role::accessed, target, 0); }
  // It receives one that is there already.
  void fetches() { record_.received = of(ProfiledMessage::Role::trivial, MPI_PROC_NULL, 0); }
  // The call that receives or awaits one ended with `error`; if it did, with that status.
  int ends(int error, const MPI_Status* status, bool has_one = true) {
    if (error != MPI_SUCCESS || !has_one) {
      record_.received.role = ProfiledMessage::Role::none;
    } else if (record_.received.is_open()) {
      record_.received.settle(*status);
    }
    return error;
  }

  // What the call that ended with `error` did with requests. `requests` may change afterwards
  // only when this is gone.
  int affects(RequestEffect effect, int error, std::span<const MPI_Request> requests,
              const MPI_Status* statuses = nullptr) {
    affected_.effect = effect;
    if (error == MPI_SUCCESS) affected_ = {effect, requests, statuses};
    return error;
  }
  int prepares(int error, const MPI_Request* request) {
    return affects(RequestEffect::prepares, error, {request, 1});
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
  [[nodiscard]] ProfiledMessage of(ProfiledMessage::Role role, int peer, int tag) const {
    return {.role = peer == MPI_PROC_NULL ? ProfiledMessage::Role::trivial : role,
            .comm = record_.comm,
            .peer = peer,
            .tag = tag,
            .bytes = record_.bytes};
  }

  Record record_;
  AffectedRequests affected_;
};

}  // namespace stretto::intercept::profile
