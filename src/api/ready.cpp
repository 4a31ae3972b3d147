#include "api/ready.hpp"

#include "api/arguments.hpp"
#include "api/device_buffers.hpp"
#include "mpi/type_contents.hpp"

namespace stretto {
namespace {

// Of the program's own types and operations the handles are used again, for others.
bool is_lasting(MPI_Datatype type) {
  return type != native().datatype_null && combiner_of(type) == MPI_COMBINER_NAMED;
}

bool is_lasting(const Call& call, const Communicator& comm) {
  const Used used = used_buffers(call, comm);
  return (!used.send || is_lasting(call.sendtype)) && (!used.recv || is_lasting(call.recvtype)) &&
         (!reduces(call.collective) || is_predefined(call.op));
}

}  // namespace

Operation* begin_again(const Call& call, MPI_Request* handle) {
  if (call.form != Form::nonblocking || call.uneven) return nullptr;
  const Communicator* const comm = communicators::find(call.comm);
  if (comm == nullptr || comm->ready == nullptr) return nullptr;
  Operation* const operation = comm->ready->find(CallKey::of(call));
  if (operation == nullptr) return nullptr;
  // All that may be other than it was is where its buffers are, and whose memory lies there.
  if (device_buffers::has_any(call, *comm)) return nullptr;
  operation->renew(call.sendbuf, call.recvbuf);
  Engine::get().begin(operation, true, {.handle = handle});
  return operation;
}

void keep_ready(const Call& call, Communicator& comm, Operation& operation) {
  if (call.form != Form::nonblocking || call.uneven || comm.is_inter()) return;
  if (!operation.may_be_kept() || !is_lasting(call, comm)) return;
  if (comm.ready == nullptr) comm.ready = std::make_unique<ReadyCalls>();
  comm.ready->keep(CallKey::of(call), operation);
}

}  // namespace stretto
