#include "api/amount.hpp"

#include <algorithm>
#include <bit>
#include <climits>

#include "api/arguments.hpp"
#include "mpi/addition.hpp"

namespace stretto {
namespace {

// A bystander (MPI_PROC_NULL) does not know how long the others' call is, and none of it is its
// own: it is the MPI's where the longest is, as with the others or with nothing to do.
constexpr Count kLongest = INT_MAX;

// The same on all ranks: between groups a bystander need not know the operation, nor one group the
// other's.
bool may_call_program(const Call& call, const Communicator& comm) {
  return reduces(call.collective) && (comm.is_inter() || !is_predefined(call.op));
}

// count * bytes > most, where the product may be too large to work out.
bool is_more(Count count, Count bytes, Count most) { return bytes > 0 && count > most / bytes; }

Amount amount_of_reduction(const Call& call, const Communicator& comm, Count type_bytes) {
  const bool scatters = call.collective == Collective::reduce_scatter;
  const Count all = scatters ? reduced_elements(call, comm) : call.recvcount;
  const bool too_large = is_more(all, type_bytes, INT_MAX);
  if (type_bytes == 0) return {};
  // A block is one element where blocks differ; between groups all of the vector counts.
  Count elements = call.recvcount;
  if (scatters && comm.is_inter()) {
    elements = all;
  } else if (call.uneven) {
    elements = 1;
  }
  const bool in_blocks = scatters && call.uneven;
  const Count bytes = in_blocks ? all * type_bytes / comm.size : call.recvcount * type_bytes;
  return {
      .bytes = bytes, .elements = elements, .element_bytes = type_bytes, .too_large = too_large};
}

// By the sizes of the types.
double bytes_of(const Numbers& counts, MPI_Datatype type, const MPI_Datatype* types, int blocks) {
  MPI_Count type_bytes = 0;
  if (!counts) return 0;
  if (types == nullptr) native().Type_size_x(type, &type_bytes);
  double bytes = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
    if (types != nullptr && counts[i] > 0) native().Type_size_x(types[i], &type_bytes);
    bytes += static_cast<double>(counts[i]) * static_cast<double>(type_bytes);
  }
  return bytes;
}

// Of an allgatherv, all of whose blocks every rank knows, and of the alltoallv of this rank's own
// blocks (see Query::bytes); else 0.
Count mean_block(const Call& call, const Communicator& comm) {
  const bool sends_all = call.collective == Collective::alltoall;
  const bool is_known = sends_all || call.collective == Collective::allgather;
  if (comm.is_inter() || !is_known) return 0;
  double most = bytes_of(call.recvcounts, call.recvtype, call.recvtypes, comm.size);
  if (!sends_all) return static_cast<Count>(most) / comm.size;
  if (!is_in_place(call)) {
    most = std::max(most, bytes_of(call.sendcounts, call.sendtype, call.sendtypes, comm.size));
  }
  // Choices are remembered by the size, and such blocks are never twice the same.
  const auto mean = static_cast<std::uint64_t>(most) / static_cast<std::uint64_t>(comm.size);
  return static_cast<Count>(std::bit_floor(mean));
}

}  // namespace

bool is_uneven(const Call& call, const Communicator& comm) {
  const bool in_blocks = !reduces(call.collective) && call.collective != Collective::bcast &&
                         call.collective != Collective::barrier;
  return call.uneven || is_neighborhood(call.collective) || (comm.is_inter() && in_blocks);
}

Amount amount_of(const Call& call, const Communicator& comm) {
  if (call.collective == Collective::barrier) return {};
  if (!reduces(call.collective) && is_uneven(call, comm)) {
    return {.bytes = mean_block(call, comm), .elements = 1};  // a message however short
  }
  const Side side = describing_side(call, is_root(call, comm));
  MPI_Count type_bytes = 0;
  native().Type_size_x(side.type, &type_bytes);
  if (reduces(call.collective)) return amount_of_reduction(call, comm, type_bytes);
  // By the bytes alone, which are the same on all ranks: counts and types need not be.
  const bool is_bcast = call.collective == Collective::bcast;
  const Count blocks = is_bcast ? 1 : comm.size;
  const bool too_large = is_more(side.count, type_bytes, INT_MAX / blocks);
  const Count bytes = side.count * type_bytes;
  // Elements: bytes of a broadcast, blocks elsewhere.
  const Count block = bytes > 0 ? 1 : 0;
  return {.bytes = bytes,
          .elements = is_bcast ? bytes : block,
          .element_bytes = is_bcast ? 1 : std::max<Count>(bytes, 1),
          .too_large = too_large};
}

bool is_commutative(MPI_Op op) {
  int commutative = 0;
  native().Op_commutative(op, &commutative);
  return commutative != 0;
}

namespace {

// What is not reduced is packed before it begins where it has gaps.
bool runs_without_mpi(const Call& call, const Communicator& comm, const Amount& amount) {
  if (call.form != Form::nonblocking || !comm.around.progress_in_memory) return false;
  if (!reduces(call.collective)) return !comm.is_inter() && !is_uneven(call, comm);
  const MPI_Datatype type = describing_side(call, is_root(call, comm)).type;
  return addition(call.op, type, amount.element_bytes) != nullptr;
}

}  // namespace

Query query_of(const Call& call, const Communicator& comm, const Scope& scope,
               const Amount& amount) {
  const bool reduction = reduces(call.collective);
  return {.collective = scope.collective,
          .size = comm.size,
          .bytes = scope.idle ? kLongest : amount.bytes,
          .uneven = is_uneven(call, comm) && !scope.first_group,
          .commutative = !reduction || scope.idle || is_commutative(call.op),
          // Of a reduction all ranks give the same type, maybe an empty one; elsewhere types and
          // counts may differ.
          .element_bytes = reduction ? std::max<Count>(amount.element_bytes, 1) : 1,
          .calls_program = may_call_program(call, comm),
          .without_mpi = !scope.idle && runs_without_mpi(call, comm, amount),
          .form = call.form,
          .two_groups = comm.is_inter()};
}

}  // namespace stretto
