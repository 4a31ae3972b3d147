#include "api/shared_blocks.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include "api/amount.hpp"
#include "api/arguments.hpp"
#include "api/device_buffers.hpp"
#include "mpi/element.hpp"
#include "mpi/type_contents.hpp"

namespace stretto::shared_blocks {
namespace {

using shm::SharedBlocks;

std::size_t size_of(Count bytes) { return static_cast<std::size_t>(bytes); }

// A reduction's vector in memory: its operation and so its type are predefined, on all ranks. In
// their blocks vectors keep what gaps they have.
Count vector_bytes(const Call& call) { return Element::of(call.recvtype).stride * call.recvcount; }

Count block_bytes(const Call& call, const Communicator& comm) {
  const Side side = describing_side(call, is_root(call, comm));
  return Element::of(side.type).bytes * side.count;
}

// Who reads the blocks of an exchange, and who of all writes one.
int reader_of(const Call& call) {
  return call.collective == Collective::reduce ? call.root : SharedBlocks::kEveryone;
}

// One exchange: `write` puts this rank's block where it is to lie, `read` has all blocks, unless
// they are another rank's to read. Both return an MPI error code.
template <class Write, class Read>
int exchange(Communicator& comm, int reader, const Write& write, const Read& read) {
  SharedBlocks& blocks = *comm.shared_blocks;
  Engine& engine = Engine::get();
  blocks.begin();
  if (!blocks.is_free()) [[unlikely]] {
    engine.wait_for_store([&blocks] { return blocks.is_free(); });
  }
  int error = write(blocks.own());
  blocks.show(reader);  // the others wait for it, whatever is in it
  const bool reads = reader == SharedBlocks::kEveryone || reader == comm.rank;
  if (reads) {
    for (Rank rank = 0; rank < comm.size; ++rank) {
      if (blocks.is_shown(rank)) continue;
      engine.wait_for_store([&blocks, rank] { return blocks.is_shown(rank); });
    }
    const int read_error = read(blocks);
    if (error == MPI_SUCCESS) error = read_error;
  }
  blocks.finish(reads);
  engine.keep_up();
  return error;
}

const void* own_data(const Call& call) { return is_in_place(call) ? call.recvbuf : call.sendbuf; }

// As RankOrderSum does. By `add` where it is known: to call the MPI for each of eight ranks was a
// seventh of the time of a short allreduce on two cores.
int add_all(const Call& call, const SharedBlocks& blocks, void* sum, const PlainBlock& each) {
  const int last = blocks.size() - 1;
  if (each.add != nullptr) {
    auto* const to = static_cast<std::byte*>(sum);
    const std::byte* right = blocks.block(last);
    for (int rank = last; rank-- > 0; right = to) {
      each.add(blocks.block(rank), right, to, size_of(each.bytes));
    }
    return MPI_SUCCESS;
  }
  std::memcpy(sum, blocks.block(last), size_of(each.bytes));
  for (int rank = last; rank-- > 0;) {
    const int error = native().Reduce_local(
        blocks.block(rank), sum, static_cast<int>(call.recvcount), call.recvtype, call.op);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int reduce_vectors(const Call& call, Communicator& comm, const PlainBlock& each) {
  return exchange(
      comm, reader_of(call),
      [&](std::byte* own) -> int {
        std::memcpy(own, own_data(call), size_of(each.bytes));
        return MPI_SUCCESS;
      },
      [&](const SharedBlocks& blocks) -> int { return add_all(call, blocks, call.recvbuf, each); });
}

// Of elements with gaps, as MPI_DOUBLE_INT may have: those of the program's buffers are left alone.
int reduce_with_gaps(const Call& call, Communicator& comm, Count bytes) {
  const auto piece_at = [&call](void* at) {
    return Block{at, Element::of(call.recvtype, call.recvcount)}.piece({0, 1});
  };
  return exchange(
      comm, reader_of(call),
      [&](std::byte* own) -> int {
        return copy(piece_at(const_cast<void*>(own_data(call))), piece_at(own));
      },
      [&](const SharedBlocks& blocks) -> int {
        alignas(std::max_align_t) std::array<std::byte, SharedBlocks::kMostBytes> sum;
        const int error = add_all(call, blocks, sum.data(), {.bytes = bytes});
        return error != MPI_SUCCESS ? error : copy(piece_at(sum.data()), piece_at(call.recvbuf));
      });
}

int meet(const Call& call, Communicator& comm) {
  const auto nothing = [](auto&&) -> int { return MPI_SUCCESS; };
  return exchange(comm, reader_of(call), nothing, nothing);
}

// Blocks of plain memory.
int gather_plain(const Call& call, Communicator& comm, Count bytes) {
  auto* const to = static_cast<std::byte*>(call.recvbuf);
  const auto* const own =
      is_in_place(call) ? to + bytes * comm.rank : static_cast<const std::byte*>(call.sendbuf);
  return exchange(
      comm, SharedBlocks::kEveryone,
      [&](std::byte* there) -> int {
        std::memcpy(there, own, size_of(bytes));
        return MPI_SUCCESS;
      },
      [&](const SharedBlocks& blocks) -> int {
        for (Rank rank = 0; rank < comm.size; ++rank) {
          std::memcpy(to + bytes * rank, blocks.block(rank), size_of(bytes));
        }
        return MPI_SUCCESS;
      });
}

int swap_plain(const Call& call, Communicator& comm, Count bytes) {
  auto* const to = static_cast<std::byte*>(call.recvbuf);
  return exchange(
      comm, SharedBlocks::kEveryone,
      [&](std::byte* there) -> int {
        std::memcpy(there, own_data(call), size_of(bytes * comm.size));
        return MPI_SUCCESS;
      },
      [&](const SharedBlocks& blocks) -> int {
        for (Rank rank = 0; rank < comm.size; ++rank) {
          std::memcpy(to + bytes * rank, blocks.block(rank) + bytes * comm.rank, size_of(bytes));
        }
        return MPI_SUCCESS;
      });
}

int run_plain(const Call& call, Communicator& comm, const PlainBlock& each) {
  switch (call.collective) {
    case Collective::barrier:
      return meet(call, comm);
    case Collective::allgather:
      return gather_plain(call, comm, each.bytes);
    case Collective::alltoall:
      return swap_plain(call, comm, each.bytes);
    default:
      return reduce_vectors(call, comm, each);
  }
}

// Blocks of any datatypes: packed where all see them.
int exchange_any(const Call& call, Communicator& comm, Count bytes) {
  const bool to_each = call.collective == Collective::alltoall;
  const Block received{call.recvbuf, Element::of(call.recvtype, call.recvcount)};
  const Block sent = is_in_place(call) ? received
                                       : Block{const_cast<void*>(call.sendbuf),
                                               Element::of(call.sendtype, call.sendcount)};
  const Count first = is_in_place(call) && !to_each ? comm.rank : 0;
  return exchange(
      comm, SharedBlocks::kEveryone,
      [&](std::byte* there) -> int {
        for (Rank rank = 0; rank < (to_each ? comm.size : 1); ++rank) {
          const int error =
              copy(sent.piece({first + rank, 1}), packed_at(there + bytes * rank, bytes));
          if (error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
      },
      [&](const SharedBlocks& blocks) -> int {
        for (Rank rank = 0; rank < comm.size; ++rank) {
          const std::byte* const from = blocks.block(rank) + (to_each ? bytes * comm.rank : 0);
          const int error = copy(packed_at(from, bytes), received.piece({rank, 1}));
          if (error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
      });
}

// A reduction has one type.
bool is_plain_data(const Call& call) {
  const bool has_other = !reduces(call.collective) && !is_in_place(call);
  return is_plain(call.recvtype) && (!has_other || is_plain(call.sendtype));
}

PlainBlock of_plain_data(const Call& call, const Communicator& comm) {
  if (!reduces(call.collective)) return {.bytes = block_bytes(call, comm)};
  const Count element = Element::of(call.recvtype).bytes;
  return {.bytes = vector_bytes(call), .add = addition(call.op, call.recvtype, element)};
}

// The handle of another may come to mean another type.
bool has_named_types(const Call& call) {
  const bool has_other = !reduces(call.collective) && !is_in_place(call);
  return combiner_of(call.recvtype) == MPI_COMBINER_NAMED &&
         (!has_other || combiner_of(call.sendtype) == MPI_COMBINER_NAMED);
}

}  // namespace

bool runs(const Call& call, const Decision& decision) {
  const Communicator* const comm = decision.comm;
  const bool may = !decision.is_native() && decision.choice.algorithm->in_one_round &&
                   comm->shared_blocks != nullptr && call.form == Form::blocking && !call.uneven;
  if (!may) return false;
  if (call.collective == Collective::barrier) return true;
  const auto most = static_cast<Count>(comm->shared_blocks->most_bytes());
  if (reduces(call.collective)) {
    return is_predefined(call.op) && call.recvcount > 0 && vector_bytes(call) <= most;
  }
  const Count blocks = call.collective == Collective::alltoall ? comm->size : 1;
  const Count bytes = block_bytes(call, *comm);
  return bytes > 0 && bytes <= most / blocks;
}

int run(const Call& call, const Decision& decision) {
  Communicator& comm = *decision.comm;
  if (call.collective == Collective::barrier) return meet(call, comm);
  if (is_plain_data(call)) return run_plain(call, comm, of_plain_data(call, comm));
  return reduces(call.collective) ? reduce_with_gaps(call, comm, vector_bytes(call))
                                  : exchange_any(call, comm, block_bytes(call, comm));
}

std::optional<PlainBlock> plain_block(const Call& call, const Communicator& comm) {
  if (call.collective == Collective::barrier) return PlainBlock{};
  if (!has_named_types(call) || !is_plain_data(call)) return {};
  return of_plain_data(call, comm);
}

const KnownCall* find(const Call& call) {
  if (call.form != Form::blocking) return nullptr;
  const Communicator* const comm = communicators::find(call.comm);
  if (comm == nullptr || comm->learned == nullptr) return nullptr;
  const KnownCall& known = comm->learned->known(call, comm->rank);
  if (known.by_blocks == nullptr) return nullptr;
  if (!known.is_like(call, is_in_place(call), comm->rank, comm->size)) return nullptr;
  // What else may be wrong now, or the MPI's, are the buffers.
  if (call.recvbuf == MPI_IN_PLACE || device_buffers::has_any(call, *comm)) return nullptr;
  return known.contest == nullptr || known.contest->pass_to_first() ? &known : nullptr;
}

int run_again(const Call& call, const KnownCall& known) {
  return run_plain(call, *communicators::find(call.comm), known.block);
}

}  // namespace stretto::shared_blocks
