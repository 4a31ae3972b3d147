#include "api/call.hpp"

#include <algorithm>
#include <climits>
#include <optional>

namespace stretto {
namespace {

bool is_rooted(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce ||
         collective == Collective::gather || collective == Collective::scatter;
}

bool is_reduction(Collective collective) {
  return collective == Collective::reduce || collective == Collective::allreduce;
}

// MPI_IN_PLACE stands where the rank's own data would be: in the send buffer, or for the
// root of a scatter in the receive buffer.
bool is_in_place(const Call& call) {
  const void* where = call.collective == Collective::scatter ? call.recvbuf : call.sendbuf;
  return where == MPI_IN_PLACE;
}

// The side that describes one rank's block on this rank: the other one may be missing
// (not the root) or ignored (MPI_IN_PLACE).
struct Side {
  Count count = 0;
  MPI_Datatype type{};
};
Side describing_side(const Call& call, bool is_root) {
  const Side send{call.sendcount, call.sendtype};
  const Side recv{call.recvcount, call.recvtype};
  switch (call.collective) {
    case Collective::gather:
      return is_root ? recv : send;
    case Collective::scatter:
      return is_root ? send : recv;
    default:
      return recv;
  }
}

bool arguments_valid(const Call& call, const Communicator& comm, const Side& side) {
  if (call.collective == Collective::barrier) return true;
  if (is_rooted(call.collective) && (call.root < 0 || call.root >= comm.size)) return false;
  if (side.count < 0 || side.type == native().datatype_null) return false;
  if (is_reduction(call.collective) && call.op == native().op_null) return false;
  const bool is_root = comm.rank == call.root;
  const bool sends_too = !is_in_place(call) && !is_reduction(call.collective) &&
                         call.collective != Collective::bcast &&
                         (call.collective != Collective::scatter || is_root);
  return !sends_too || (call.sendcount >= 0 && call.sendtype != native().datatype_null);
}

bool is_commutative(MPI_Op op) {
  int commutative = 0;
  native().Op_commutative(op, &commutative);
  return commutative != 0;
}

Element bytes_element() {
  return {.type = native().byte, .per_element = 1, .stride = 1, .bytes = 1, .plain = true};
}

struct Bound {
  Binding binding;
  std::optional<Staging> staging;
};

Bound bind_bcast(const Call& call, const Communicator& comm) {
  Bound bound;
  bound.binding.recv = {call.recvbuf, bytes_element()};
  bound.binding.scratch = bytes_element();
  if (!is_plain(call.recvtype)) {
    bound.staging =
        Staging{{call.recvbuf, Element::of(call.recvtype, static_cast<int>(call.recvcount))},
                comm.rank == call.root};
  }
  return bound;
}

Bound bind_reduction(const Call& call) {
  const Element element = Element::of(call.recvtype);
  Bound bound;
  bound.binding.send = {const_cast<void*>(call.sendbuf), element};
  bound.binding.recv = {call.recvbuf, element};
  bound.binding.scratch = element;
  bound.binding.op = call.op;
  return bound;
}

Bound bind_blocks(const Call& call, const Communicator& comm, const Side& side) {
  Bound bound;
  const bool is_root = comm.rank == call.root;
  const bool has_send = !is_in_place(call) || call.collective == Collective::scatter;
  const bool uses_send = call.collective != Collective::scatter || is_root;
  const bool uses_recv = call.collective != Collective::gather || is_root;
  if (has_send && uses_send) {
    bound.binding.send = {const_cast<void*>(call.sendbuf),
                          Element::of(call.sendtype, static_cast<int>(call.sendcount))};
  }
  if (uses_recv && call.recvbuf != MPI_IN_PLACE) {
    bound.binding.recv = {call.recvbuf,
                          Element::of(call.recvtype, static_cast<int>(call.recvcount))};
  }
  bound.binding.scratch =
      Element::packed(Element::of(side.type, static_cast<int>(side.count)).bytes);
  return bound;
}

Bound bind(const Call& call, const Decision& decision) {
  const Communicator& comm = *decision.comm;
  if (call.collective == Collective::barrier || decision.shape.count == 0) {
    // Signals: messages of no bytes.
    Bound bound;
    bound.binding.send.element = bound.binding.recv.element = bytes_element();
    return bound;
  }
  if (call.collective == Collective::bcast) return bind_bcast(call, comm);
  if (is_reduction(call.collective)) return bind_reduction(call);
  return bind_blocks(call, comm, describing_side(call, comm.rank == call.root));
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
  const Side side = describing_side(call, comm.rank == call.root);
  if (!arguments_valid(call, comm, side)) {
    decision.choice.reason = Reason::invalid_arguments;
    return decision;
  }
  int type_size = 0;
  if (call.collective != Collective::barrier) native().Type_size(side.type, &type_size);
  const Count bytes = side.count * type_size;

  Shape& shape = decision.shape;
  shape.collective = call.collective;
  shape.size = comm.size;
  shape.root = is_rooted(call.collective) ? call.root : 0;
  shape.in_place = call.collective != Collective::bcast && is_in_place(call);
  shape.commutative = !is_reduction(call.collective) || is_commutative(call.op);

  const bool counts_blocks = call.collective != Collective::bcast && !is_reduction(call.collective);
  const Count most = bytes * (counts_blocks ? comm.size : 1);
  if (std::max({most, side.count, call.sendcount, call.recvcount}) > INT_MAX) {
    decision.choice.reason = Reason::too_large;
    return decision;
  }
  decision.choice = choose({.collective = call.collective,
                            .size = comm.size,
                            .bytes = bytes,
                            .commutative = shape.commutative,
                            .nonblocking = call.nonblocking},
                           comm.around, overrides());
  shape.radix = decision.choice.radix;
  // Elements: bytes of a broadcast, the type's elements of a reduction, blocks elsewhere.
  Count element_bytes = 1;
  if (counts_blocks) {
    shape.count = bytes > 0 ? 1 : 0;
    element_bytes = std::max<Count>(bytes, 1);
  } else if (is_reduction(call.collective)) {
    shape.count = type_size > 0 ? side.count : 0;
    element_bytes = std::max(type_size, 1);
  } else {
    shape.count = bytes;
  }
  if (decision.choice.segment_bytes > 0) {
    shape.segment = std::max<Count>(decision.choice.segment_bytes / element_bytes, 1);
  }
  return decision;
}

Operation* begin(const Call& call, const Decision& decision, MPI_Request* handle) {
  Engine& engine = Engine::get();
  const Bound bound = bind(call, decision);
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
