#include "api/bind.hpp"

#include <algorithm>

#include "api/arguments.hpp"

namespace stretto {
namespace {

// A broadcast of a layout with gaps travels packed: the root packs before it starts and
// the others unpack when it is done. Segments can then be cut anywhere, also where the
// ranks describe the same data by different types.
Binding bind_bcast(const Call& call, const Communicator& comm) {
  Binding binding;
  binding.recv = {call.recvbuf, Element::bytes_of(1)};
  binding.scratch = Element::bytes_of(1);
  if (is_plain(call.recvtype)) return binding;

  const Block user{call.recvbuf, Element::of(call.recvtype, call.recvcount)};
  const Count bytes = user.element.bytes;
  binding.memory = Storage(Element::bytes_of(1), bytes);
  binding.recv.base = binding.memory.base();
  const Piece packed = Block{binding.recv.base, Element::packed(bytes)}.piece({0, 1});
  if (is_root(call, comm)) {
    binding.before = {user.piece({0, 1}), packed};
  } else {
    binding.after = {packed, user.piece({0, 1})};
  }
  return binding;
}

Binding bind_reduction(const Call& call) {
  const Element element = Element::of(call.recvtype);
  Binding binding;
  binding.send = {const_cast<void*>(call.sendbuf), element};
  binding.recv = {call.recvbuf, element};
  binding.scratch = element;
  binding.op = call.op;
  binding.calls_program = !is_predefined(call.op);
  return binding;
}

// Of MPI_Reduce_scatter: the input is in blocks, the result and scratch are like the own one.
Binding bind_uneven_reduction(const Call& call, const Communicator& comm) {
  const Element element = Element::of(call.recvtype);
  const auto me = static_cast<std::size_t>(comm.rank);
  const Element own = Element::of(call.recvtype, call.recvcounts[me]);
  Binding binding;
  binding.recv = {call.recvbuf, own};
  binding.scratch = own;
  binding.op = call.op;
  binding.calls_program = !is_predefined(call.op);

  Block input{const_cast<void*>(call.sendbuf), element};
  if (is_in_place(call)) {
    // The result would come to lie on blocks that are still to be sent.
    const Span all{0, reduced_elements(call, comm)};
    binding.memory = Storage(element, all.count);
    input.base = binding.memory.base();
    binding.before = {Block{call.recvbuf, element}.piece(all), input.piece(all)};
  }
  Count offset = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(comm.size); ++rank) {
    const Count count = call.recvcounts[rank];
    binding.send.parts.push_back(input.piece({offset, count}));
    offset += count;
  }
  return binding;
}

// Between groups a reduce-scatter is an allreduce of which each rank keeps its part.
Binding bind_scattered_sum(const Call& call, const Communicator& comm) {
  Binding binding = bind_reduction(call);
  const Element& element = binding.recv.element;
  binding.memory = Storage(element, reduced_elements(call, comm));
  binding.recv.base = binding.memory.base();
  Span own{0, call.recvcount};
  const Rank local_rank = comm.rank - comm.groups.local;
  if (call.uneven) {
    for (Rank rank = 0; rank < local_rank; ++rank) {
      own.offset += call.recvcounts[static_cast<std::size_t>(rank)];
    }
    own.count = call.recvcounts[static_cast<std::size_t>(local_rank)];
  } else {
    own.offset = local_rank * own.count;
  }
  binding.after = {binding.recv.piece(own), Block{call.recvbuf, element}.piece({0, own.count})};
  return binding;
}

// One side of a call: its send or its receive buffer.
struct Buffers {
  void* base = nullptr;
  Count count = 0;
  const Numbers& counts;
  const Numbers& displs;
  MPI_Datatype type{};
  const MPI_Datatype* types = nullptr;

  [[nodiscard]] Block even() const { return {base, Element::of(type, count)}; }
  [[nodiscard]] std::vector<Piece> parts(int number) const;
};

Buffers sent(const Call& call) {
  return {.base = const_cast<void*>(call.sendbuf),
          .count = call.sendcount,
          .counts = call.sendcounts,
          .displs = call.senddispls,
          .type = call.sendtype,
          .types = call.sendtypes};
}

Buffers received(const Call& call) {
  return {.base = call.recvbuf,
          .count = call.recvcount,
          .counts = call.recvcounts,
          .displs = call.recvdispls,
          .type = call.recvtype,
          .types = call.recvtypes};
}

// One part a block. A type each means displacements in bytes.
std::vector<Piece> Buffers::parts(int number) const {
  std::vector<Piece> parts;
  Element element;
  if (types == nullptr && number > 0) element = Element::of(type);
  for (std::size_t i = 0; i < static_cast<std::size_t>(number); ++i) {
    const Count elements = counts ? counts[i] : count;
    const Count place = counts ? displs[i] : static_cast<Count>(i) * count;
    if (types != nullptr) element = elements > 0 ? Element::of(types[i]) : Element::bytes_of(1);
    const MPI_Aint unit = types != nullptr ? 1 : element.stride;
    parts.push_back({.address = static_cast<std::byte*>(base) + place * unit,
                     .count = elements,
                     .type = opaque(element.type),
                     .bytes = elements * element.bytes,
                     .plain = element.plain});
  }
  return parts;
}

Block in_blocks(const Buffers& buffers, int number) {
  // Ranks without neighbours may give no arrays, and an alltoallw has no type but in these.
  if (!buffers.counts && (number > 0 || buffers.type != MPI_Datatype{})) return buffers.even();
  return {buffers.base, {}, buffers.parts(number)};
}

// Scratch holds a block as long as the one that is received in its place.
void measure_scratch(Binding& binding) {
  for (const Piece& part : binding.recv.parts) binding.scratch_parts.push_back(part.bytes);
}

// Blocks of equal length as bytes alone, for a thread that may not call the MPI: what has gaps is
// packed before the first step and unpacked after the last, all blocks at once.
void pack_blocks(const Call& call, const Communicator& comm, Binding& binding) {
  const Used used = used_buffers(call, comm);
  const bool sends_one =
      call.collective == Collective::gather || call.collective == Collective::allgather;
  const bool receives_one = call.collective == Collective::scatter;
  const BlockCounts number{.send = sends_one ? 1 : comm.size, .recv = receives_one ? 1 : comm.size};
  const Block send = binding.send;
  const Block recv = binding.recv;
  const bool packs_send = used.send && !send.element.plain;
  const bool packs_recv = used.recv && !recv.element.plain;
  const Count sent = packs_send ? number.send * send.element.bytes : 0;
  const Count received = packs_recv ? number.recv * recv.element.bytes : 0;
  if (sent + received == 0) return;
  binding.memory = Storage(Element::bytes_of(1), sent + received);
  auto* const memory = static_cast<std::byte*>(binding.memory.base());
  const auto pack = [](Block& block, std::byte* at, int blocks) {
    const Piece all = block.piece({0, blocks});
    block = {at, Element::packed(block.element.bytes)};
    return Binding::Copy{all, block.piece({0, blocks})};
  };
  if (packs_send) binding.before = pack(binding.send, memory, number.send);
  if (!packs_recv) return;
  const auto [user, packed] = pack(binding.recv, memory + sent, number.recv);
  binding.after = {packed, user};
  if (is_in_place(call)) binding.before = {user, packed};  // what is sent lies there, too
}

Binding bind_blocks(const Call& call, const Communicator& comm) {
  Binding binding;
  const Used used = used_buffers(call, comm);
  const BlockCounts number = blocks(call, comm);
  if (used.send) binding.send = in_blocks(sent(call), number.send);
  if (used.recv) binding.recv = in_blocks(received(call), number.recv);
  if (!call.uneven) {
    const Side side = describing_side(call, is_root(call, comm));
    binding.scratch = Element::packed(Element::of(side.type, side.count).bytes);
    const bool is_packed = call.form == Form::nonblocking && comm.around.progress_in_memory;
    if (is_packed && !is_neighborhood(call.collective)) pack_blocks(call, comm, binding);
  } else {
    measure_scratch(binding);
  }
  return binding;
}

Piece nothing() { return {.type = opaque(native().byte), .plain = true}; }

// The root's blocks, after an empty one for itself; the others' own one.
Block root_and_others(const Buffers& buffers, bool root, int others) {
  if (!root) return buffers.even();
  std::vector<Piece> parts = buffers.parts(others);
  parts.insert(parts.begin(), nothing());
  return {buffers.base, {}, std::move(parts)};
}

Binding bind_root_and_group(const Call& call, const Communicator& comm) {
  const Used used = used_buffers(call, comm);
  const bool root = is_root(call, comm);
  const int others = comm.groups.remote_size;
  Binding binding;
  binding.send.parts = binding.recv.parts = {nothing()};
  if (used.send) binding.send = root_and_others(sent(call), root, others);
  if (used.recv) binding.recv = root_and_others(received(call), root, others);
  return binding;
}

// Empty blocks for the ranks of one's own group.
std::vector<Piece> to_other_group(std::vector<Piece> parts, const Communicator& comm) {
  const auto local_size = static_cast<std::size_t>(comm.groups.local_size);
  const std::vector<Piece> own(local_size, nothing());
  parts.insert(comm.groups.local == 0 ? parts.begin() : parts.end(), own.begin(), own.end());
  return parts;
}

Binding bind_both_groups(const Call& call, const Communicator& comm) {
  const int others = comm.groups.remote_size;
  std::vector<Piece> outgoing = sent(call).parts(others);
  if (call.collective == Collective::allgather) {
    outgoing.assign(static_cast<std::size_t>(others), sent(call).even().piece({0, 1}));
  }
  Binding binding;
  binding.send.parts = to_other_group(std::move(outgoing), comm);
  binding.recv.parts = to_other_group(received(call).parts(others), comm);
  measure_scratch(binding);
  return binding;
}

Binding bind_between_groups(const Call& call, const Communicator& comm) {
  if (call.collective == Collective::gather || call.collective == Collective::scatter) {
    return bind_root_and_group(call, comm);
  }
  return bind_both_groups(call, comm);
}

}  // namespace

Binding bind(const Call& call, const Communicator& comm, const Scope& scope, const Shape& shape) {
  if (call.collective == Collective::barrier || shape.count == 0) {
    // Signals: messages of no bytes.
    Binding binding;
    binding.send.element = binding.recv.element = Element::bytes_of(1);
    return binding;
  }
  if (call.collective == Collective::bcast) return bind_bcast(call, comm);
  if (reduces(call.collective)) {
    if (call.collective != Collective::reduce_scatter) return bind_reduction(call);
    if (scope.first_group > 0) return bind_scattered_sum(call, comm);
    return call.uneven ? bind_uneven_reduction(call, comm) : bind_reduction(call);
  }
  return comm.is_inter() ? bind_between_groups(call, comm) : bind_blocks(call, comm);
}

}  // namespace stretto
