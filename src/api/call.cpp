#include "api/call.hpp"

#include <algorithm>
#include <climits>
#include <numeric>

#include "api/bind.hpp"
#include "api/reducible.hpp"

namespace stretto {
namespace {

bool valid(Count count, const int* counts, MPI_Datatype type, const MPI_Datatype* types, int size) {
  const MPI_Datatype none = native().datatype_null;
  if (counts == nullptr) return count >= 0 && type != none;
  if (types == nullptr && type == none) return false;
  for (int i = 0; i < size; ++i) {
    // Of a block without elements MPICH reads no type, so it may be missing.
    const bool typed = types == nullptr || counts[i] == 0 || types[i] != none;
    if (counts[i] < 0 || !typed) return false;
  }
  return true;
}

// MPI_IN_PLACE where it means nothing.
bool is_misplaced(const Call& call, const Communicator& comm) {
  const bool sends = call.collective == Collective::gather || call.collective == Collective::reduce;
  return call.collective == Collective::scatter
             ? call.sendbuf == MPI_IN_PLACE ||
                   (call.recvbuf == MPI_IN_PLACE && comm.rank != call.root)
             : call.recvbuf == MPI_IN_PLACE ||
                   (call.sendbuf == MPI_IN_PLACE && sends && comm.rank != call.root);
}

bool arguments_valid(const Call& call, const Communicator& comm) {
  if (call.collective == Collective::barrier) return true;
  if (is_misplaced(call, comm)) return false;
  if (is_rooted(call.collective) && (call.root < 0 || call.root >= comm.size)) return false;
  if (reduces(call.collective) && call.op == native().op_null) return false;
  const Used used = used_buffers(call, comm);
  return (!used.send ||
          valid(call.sendcount, call.sendcounts, call.sendtype, call.sendtypes, comm.size)) &&
         (!used.recv ||
          valid(call.recvcount, call.recvcounts, call.recvtype, call.recvtypes, comm.size)) &&
         (!reduces(call.collective) || reducible(call.op, call.recvtype));
}

bool is_commutative(MPI_Op op) {
  int commutative = 0;
  native().Op_commutative(op, &commutative);
  return commutative != 0;
}

struct Amount {
  Count bytes = 0;     // of the vector or of a rank's block; not known where blocks differ
  Count elements = 0;  // Shape::count
  Count element_bytes = 1;
  bool too_large = false;  // for counts of int, and so on all ranks
};

Amount amount_of(const Call& call, const Communicator& comm) {
  if (call.collective == Collective::barrier) return {};
  const bool in_blocks = !reduces(call.collective) && call.collective != Collective::bcast;
  if (call.uneven && in_blocks) return {.elements = 1};  // a message however short
  const Side side = describing_side(call, comm.rank == call.root);
  int type_bytes = 0;
  native().Type_size(side.type, &type_bytes);
  // MPI_UNDEFINED: longer than an int can say.
  if (type_bytes < 0) return {.too_large = true};
  if (call.uneven) {
    const Count all = std::accumulate(call.recvcounts, call.recvcounts + comm.size, Count{0});
    return {.elements = type_bytes > 0 ? 1 : 0, .too_large = all * type_bytes > INT_MAX};
  }
  const Count bytes = side.count * type_bytes;
  const bool has_blocks = in_blocks || call.collective == Collective::reduce_scatter;
  const Count most = bytes * (has_blocks ? comm.size : 1);
  Amount amount{.bytes = bytes, .too_large = std::max(most, side.count) > INT_MAX};
  // Elements: bytes of a broadcast, the type's elements of a reduction, blocks elsewhere.
  if (in_blocks) {
    amount.elements = bytes > 0 ? 1 : 0;
    amount.element_bytes = std::max<Count>(bytes, 1);
  } else if (reduces(call.collective)) {
    amount.elements = type_bytes > 0 ? side.count : 0;
    amount.element_bytes = std::max(type_bytes, 1);
  } else {
    amount.elements = bytes;
  }
  return amount;
}

}  // namespace

Decision decide(const Call& call) {
  Decision decision;
  decision.comm = communicators::find(call.comm);
  if (decision.comm == nullptr) {
    decision.choice.reason = Reason::not_attached;
    return decision;
  }
  const Communicator& comm = *decision.comm;
  if (!arguments_valid(call, comm)) {
    decision.choice.reason = Reason::invalid_arguments;
    return decision;
  }
  const Amount amount = amount_of(call, comm);
  if (amount.too_large) {
    decision.choice.reason = Reason::too_large;
    return decision;
  }
  Shape& shape = decision.shape;
  shape.collective = call.collective;
  shape.size = comm.size;
  shape.root = is_rooted(call.collective) ? call.root : 0;
  // MPI_Reduce_scatter in place works on a copy.
  const bool copies = call.uneven && call.collective == Collective::reduce_scatter;
  shape.in_place = call.collective != Collective::bcast && is_in_place(call) && !copies;
  shape.commutative = !reduces(call.collective) || is_commutative(call.op);
  decision.choice = choose({.collective = call.collective,
                            .size = comm.size,
                            .bytes = amount.bytes,
                            .uneven = call.uneven,
                            .commutative = shape.commutative,
                            .nonblocking = call.nonblocking},
                           comm.around, overrides());
  shape.radix = decision.choice.radix;
  shape.count = amount.elements;
  if (decision.choice.segment_bytes > 0) {
    shape.segment = std::max<Count>(decision.choice.segment_bytes / amount.element_bytes, 1);
  }
  return decision;
}

Operation* begin(const Call& call, const Decision& decision, MPI_Request* handle) {
  Engine& engine = Engine::get();
  const Bound bound = bind(call, *decision.comm, decision.shape);
  auto plan = engine.plans().get(*decision.choice.algorithm, decision.shape, decision.comm->rank);
  return engine.start(std::move(plan), *decision.comm, bound.binding, bound.staging,
                      call.nonblocking, handle);
}

int run(const Call& call, const Decision& decision) {
  Operation* const operation = begin(call, decision);
  Engine::get().wait(*operation);
  const int error = operation->error();
  Engine::release(operation);
  return error;
}

int report(MPI_Comm comm, int error) {
  if (error != MPI_SUCCESS) native().Comm_call_errhandler(comm, error);
  return error;
}

}  // namespace stretto
