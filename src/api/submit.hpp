// What all collectives of stretto.h do with the call they have described.
#pragma once

#include <memory>

#include "api/call.hpp"
#include "api/ready.hpp"
#include "api/request.hpp"
#include "base/log.hpp"
#include "stretto/stretto.h"

namespace stretto {

// The MPI's own function, which is found when it is first called. Pcollreq extends Open MPI
// 4.1 by persistent collectives under names of its own.
template <class Function>
class MpiFunction {
 public:
  explicit MpiFunction(const char* name) : name_(name) {}
  [[nodiscard]] Function get() const {
    void* const address = native_collective(name_);
    if (address == nullptr) refuse(5, "this MPI has no MPI_%s", name_);
    return reinterpret_cast<Function>(address);
  }

 private:
  const char* name_;
};

// Makes Stretto know `comm`, collectively where it does not yet. False where it cannot.
bool prepare(MPI_Comm comm);

// All return an MPI error code, after the error handler was called. `native` calls the MPI.

template <class Native>
int submit(const Call& call, const Native& native) {
  prepare(call.comm);
  const Decision decision = decide(call);
  return decision.is_native() ? native() : report(call.comm, run(call, decision));
}

// All store the request: of what Stretto has begun, of what it is to run, and of what the MPI does.
void submit_begun(const Call& call, Operation& begun, stretto_request* request);
int submit_ours(const Call& call, const Decision& decision, stretto_request* request);
void submit_native(const Call& call, MPI_Request native, stretto_request* request);

// Begins or, of a persistent one, prepares the call and stores its request.
template <class Native>
int submit(const Call& call, stretto_request* request, const Native& native) {
  prepare(call.comm);
  if (Operation* const begun = begin_again(call)) {
    submit_begun(call, *begun, request);
    return MPI_SUCCESS;
  }
  const Decision decision = decide(call);
  if (!decision.is_native()) return submit_ours(call, decision, request);
  MPI_Request made{};
  const int error = native(&made);
  if (error == MPI_SUCCESS) submit_native(call, made, request);
  return error;
}

}  // namespace stretto
