#include "api/submit.hpp"

#include "mpi/communicator_like.hpp"
#include "mpi/thread_level.hpp"

namespace stretto {

bool prepare(MPI_Comm comm) {
  Engine& engine = Engine::get();
  if (engine.is_open() && communicators::find(comm) != nullptr) return true;
  int is_inter = 0;
  if (comm == native().comm_null || native().Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) {
    return false;
  }
  // A program that chose its thread level by itself may use all of it. The locks stay on, as others
  // may need them by now: threads of an MPI session, files, messages that are tracked.
  const int level = program_level().value_or(MPI_THREAD_MULTIPLE);
  if (!engine.is_open() && !engine.open(level, true, make_transports(), Locks::always)) {
    // This rank has no context left. Others may have, and wait for it where they make a
    // communicator, of which then none is made.
    if (is_inter == 0) static_cast<void>(communicator_like(comm));
    return false;
  }
  communicators::reap();
  return communicators::attach(comm);
}

void submit_begun(const Call& call, Operation& begun, stretto_request* request) {
  auto made = std::make_unique<stretto_request_s>();
  made->comm = call.comm;
  made->operation = &begun;
  *request = made.release();
}

int submit_ours(const Call& call, const Decision& decision, stretto_request* request) {
  if (call.form != Form::persistent) {
    submit_begun(call, *begin(call, decision), request);
    return MPI_SUCCESS;
  }
  auto made = std::make_unique<stretto_request_s>();
  made->comm = call.comm;
  made->starts = true;
  made->persistent = Persistent::make(call, decision);
  if (made->persistent == nullptr) return report(call.comm, MPI_ERR_OTHER);
  *request = made.release();
  return MPI_SUCCESS;
}

void submit_native(const Call& call, MPI_Request native, stretto_request* request) {
  auto made = std::make_unique<stretto_request_s>();
  made->comm = call.comm;
  made->native = native;
  made->starts = call.form == Form::persistent;
  *request = made.release();
}

}  // namespace stretto

extern "C" int stretto_attach(MPI_Comm comm) {
  return stretto::prepare(comm) ? MPI_SUCCESS : MPI_ERR_COMM;
}
