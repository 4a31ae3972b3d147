#include "api/submit.hpp"

#include <memory>

#include "api/native_call.hpp"
#include "api/request.hpp"

namespace stretto {
namespace {

int start(const Call& call, const Decision& decision, stretto_request* request) {
  auto made = std::make_unique<stretto_request_s>();
  made->comm = call.comm;
  if (decision.is_native()) {
    const int error = call_native(call, &made->native);
    if (error != MPI_SUCCESS) return error;
  } else {
    made->operation = begin(call, decision);
  }
  *request = made.release();
  return MPI_SUCCESS;
}

}  // namespace

bool prepare(MPI_Comm comm) {
  Engine& engine = Engine::get();
  // The program chose its thread level by itself and may use all of it.
  if (!engine.is_open()) engine.open(MPI_THREAD_MULTIPLE, true);
  if (communicators::find(comm) != nullptr) return true;
  int is_inter = 0;
  if (comm == native().comm_null || native().Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) {
    return false;
  }
  if (is_inter != 0) return false;
  communicators::reap();
  return communicators::attach(comm);
}

int submit(Call call, stretto_request* request) {
  call.nonblocking = request != nullptr;
  prepare(call.comm);
  const Decision decision = decide(call);
  if (call.nonblocking) return start(call, decision, request);
  if (decision.is_native()) return call_native(call, nullptr);
  return report(call.comm, run(call, decision));
}

}  // namespace stretto
