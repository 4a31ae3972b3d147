#include "api/bind.hpp"

#include <numeric>

namespace stretto {
namespace {

Bound bind_bcast(const Call& call, const Communicator& comm) {
  Bound bound;
  bound.binding.recv = {call.recvbuf, Element::bytes_of(1)};
  bound.binding.scratch = Element::bytes_of(1);
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

// Of MPI_Reduce_scatter: the input is in blocks, the result and scratch are like the own one.
Bound bind_uneven_reduction(const Call& call, const Communicator& comm) {
  const Element element = Element::of(call.recvtype);
  const Element own = Element::of(call.recvtype, call.recvcounts[comm.rank]);
  Bound bound;
  bound.binding.recv = {call.recvbuf, own};
  bound.binding.scratch = own;
  bound.binding.op = call.op;

  Block input{const_cast<void*>(call.sendbuf), element};
  const Count length = std::accumulate(call.recvcounts, call.recvcounts + comm.size, Count{0});
  if (is_in_place(call)) {
    // The result would come to lie on blocks that are still to be sent.
    bound.binding.input = Storage(element, length);
    input.base = bound.binding.input.base();
    copy(Block{call.recvbuf, element}.piece({0, length}), input.piece({0, length}), comm.channel);
  }
  Count offset = 0;
  for (Rank rank = 0; rank < comm.size; ++rank) {
    const Count count = call.recvcounts[rank];
    bound.binding.send.parts.push_back(input.piece({offset, count}));
    offset += count;
  }
  return bound;
}

// One part a rank. A type a rank means displacements in bytes.
std::vector<Piece> parts(void* base, const int* counts, const int* displs, MPI_Datatype type,
                         const MPI_Datatype* types, int size) {
  std::vector<Piece> parts;
  Element element;
  if (types == nullptr) element = Element::of(type);
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    if (types != nullptr) element = counts[i] > 0 ? Element::of(types[i]) : Element::bytes_of(1);
    const MPI_Aint unit = types != nullptr ? 1 : element.stride;
    parts.push_back({.address = static_cast<std::byte*>(base) + displs[i] * unit,
                     .count = counts[i],
                     .type = element.type,
                     .bytes = counts[i] * element.bytes,
                     .plain = element.plain});
  }
  return parts;
}

Block sent_blocks(const Call& call, int size) {
  void* const base = const_cast<void*>(call.sendbuf);
  if (call.sendcounts == nullptr) {
    return {base, Element::of(call.sendtype, static_cast<int>(call.sendcount))};
  }
  return {
      base, {}, parts(base, call.sendcounts, call.senddispls, call.sendtype, call.sendtypes, size)};
}

Block received_blocks(const Call& call, int size) {
  if (call.recvcounts == nullptr) {
    return {call.recvbuf, Element::of(call.recvtype, static_cast<int>(call.recvcount))};
  }
  return {
      call.recvbuf,
      {},
      parts(call.recvbuf, call.recvcounts, call.recvdispls, call.recvtype, call.recvtypes, size)};
}

Bound bind_blocks(const Call& call, const Communicator& comm) {
  Bound bound;
  const Used used = used_buffers(call, comm);
  if (used.send) bound.binding.send = sent_blocks(call, comm.size);
  if (used.recv) bound.binding.recv = received_blocks(call, comm.size);
  if (!call.uneven) {
    const Side side = describing_side(call, comm.rank == call.root);
    bound.binding.scratch =
        Element::packed(Element::of(side.type, static_cast<int>(side.count)).bytes);
    return bound;
  }
  // Scratch holds a block as long as the one that is received in its place.
  for (const Piece& part : bound.binding.recv.parts) {
    bound.binding.scratch_parts.push_back(part.bytes);
  }
  return bound;
}

}  // namespace

bool is_in_place(const Call& call) {
  const void* where = call.collective == Collective::scatter ? call.recvbuf : call.sendbuf;
  return where == MPI_IN_PLACE;
}

Used used_buffers(const Call& call, const Communicator& comm) {
  const bool is_root = comm.rank == call.root;
  switch (call.collective) {
    case Collective::gather:
      return {.send = !is_root || !is_in_place(call), .recv = is_root};
    case Collective::scatter:
      return {.send = is_root, .recv = !is_root || !is_in_place(call)};
    case Collective::allgather:
    case Collective::alltoall:
      return {.send = !is_in_place(call), .recv = true};
    default:
      return {.recv = call.collective != Collective::barrier};
  }
}

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

Bound bind(const Call& call, const Communicator& comm, const Shape& shape) {
  if (call.collective == Collective::barrier || shape.count == 0) {
    // Signals: messages of no bytes.
    Bound bound;
    bound.binding.send.element = bound.binding.recv.element = Element::bytes_of(1);
    return bound;
  }
  if (call.collective == Collective::bcast) return bind_bcast(call, comm);
  if (reduces(call.collective)) {
    return call.uneven ? bind_uneven_reduction(call, comm) : bind_reduction(call);
  }
  return bind_blocks(call, comm);
}

}  // namespace stretto
