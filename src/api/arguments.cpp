#include "api/arguments.hpp"

#include "mpi/reducible.hpp"

namespace stretto {
namespace {

int check_blocks(Count count, const Numbers& counts, MPI_Datatype type, const MPI_Datatype* types,
                 int blocks) {
  const MPI_Datatype none = native().datatype_null;
  if (!counts) {
    if (count < 0) return MPI_ERR_COUNT;
    return type == none ? MPI_ERR_TYPE : MPI_SUCCESS;
  }
  if (types == nullptr && type == none) return MPI_ERR_TYPE;
  for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
    if (counts[i] < 0) return MPI_ERR_COUNT;
    // Of a block without elements MPICH reads no type, so it may be missing.
    if (types != nullptr && counts[i] > 0 && types[i] == none) return MPI_ERR_TYPE;
  }
  return MPI_SUCCESS;
}

bool is_rank(int root, int size) { return root >= 0 && root < size; }

int check_root(const Call& call, const Communicator& comm) {
  if (!is_rooted(call.collective)) return MPI_SUCCESS;
  if (!comm.is_inter()) return is_rank(call.root, comm.size) ? MPI_SUCCESS : MPI_ERR_ROOT;
  const bool named = call.root == MPI_ROOT || call.root == MPI_PROC_NULL;
  return named || is_rank(call.root, comm.groups.remote_size) ? MPI_SUCCESS : MPI_ERR_ROOT;
}

int check_comm(const Call& call, const Communicator& comm) {
  const bool one_group = call.collective == Collective::scan ||
                         call.collective == Collective::exscan || is_neighborhood(call.collective);
  if (comm.is_inter() && one_group) return MPI_ERR_COMM;
  if (is_neighborhood(call.collective) && comm.graph == nullptr) return MPI_ERR_TOPOLOGY;
  return MPI_SUCCESS;
}

// MPI_IN_PLACE where it means nothing. Arguments that the standard does not use on a rank may
// hold it.
bool is_misplaced(const Call& call, const Communicator& comm) {
  const bool may = has_in_place(call.collective) && !comm.is_inter();
  const bool root = is_root(call, comm);
  const bool in_send = call.sendbuf == MPI_IN_PLACE;
  const bool in_recv = call.recvbuf == MPI_IN_PLACE;
  switch (call.collective) {
    case Collective::scatter:
      return root ? in_send : in_recv;
    case Collective::gather:
    case Collective::reduce:
      return root ? in_recv : in_send;
    default:
      return in_recv || (in_send && !may);
  }
}

}  // namespace

bool is_root(const Call& call, const Communicator& comm) {
  return comm.is_inter() ? call.root == MPI_ROOT : call.root == comm.rank;
}

bool is_bystander(const Call& call, const Communicator& comm) {
  return comm.is_inter() && is_rooted(call.collective) && call.root == MPI_PROC_NULL;
}

Used used_buffers(const Call& call, const Communicator& comm) {
  if (is_bystander(call, comm)) return {};
  const bool root = is_root(call, comm);
  const bool in_place = is_in_place(call);
  // An intercommunicator's root has no block of its own.
  const bool inter = comm.is_inter();
  switch (call.collective) {
    case Collective::gather:
      return {.send = !root || !(in_place || inter), .recv = root};
    case Collective::scatter:
      return {.send = root, .recv = !root || !(in_place || inter)};
    case Collective::allgather:
    case Collective::alltoall:
      return {.send = !in_place, .recv = true};
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return {.send = true, .recv = true};
    default:
      return {.recv = call.collective != Collective::barrier};
  }
}

BlockCounts blocks(const Call& call, const Communicator& comm) {
  if (is_neighborhood(call.collective)) {
    const Neighbors& mine = comm.graph->at(comm.rank);
    return {.send = static_cast<int>(mine.destinations.size()),
            .recv = static_cast<int>(mine.sources.size())};
  }
  // A reduce-scatter's result is scattered among the ranks that call it.
  const bool local = call.collective == Collective::reduce_scatter;
  const int other = local ? comm.groups.local_size : comm.groups.remote_size;
  const int number = comm.is_inter() ? other : comm.size;
  return {.send = number, .recv = number};
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

Count reduced_elements(const Call& call, const Communicator& comm) {
  const int number = blocks(call, comm).recv;
  if (!call.uneven) return call.recvcount * number;
  Count elements = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(number); ++i) {
    elements += call.recvcounts[i];
  }
  return elements;
}

int check(const Call& call, const Communicator& comm) {
  if (const int error = check_comm(call, comm); error != MPI_SUCCESS) return error;
  if (call.collective == Collective::barrier) return MPI_SUCCESS;
  if (const int error = check_root(call, comm); error != MPI_SUCCESS) return error;
  if (is_bystander(call, comm)) return MPI_SUCCESS;
  if (is_misplaced(call, comm)) return MPI_ERR_BUFFER;
  if (reduces(call.collective) && call.op == native().op_null) return MPI_ERR_OP;
  const Used used = used_buffers(call, comm);
  const BlockCounts number = blocks(call, comm);
  int error = MPI_SUCCESS;
  if (used.send) {
    error =
        check_blocks(call.sendcount, call.sendcounts, call.sendtype, call.sendtypes, number.send);
  }
  if (used.recv && error == MPI_SUCCESS) {
    error =
        check_blocks(call.recvcount, call.recvcounts, call.recvtype, call.recvtypes, number.recv);
  }
  if (error == MPI_SUCCESS && reduces(call.collective) && !reducible(call.op, call.recvtype)) {
    error = MPI_ERR_OP;
  }
  return error;
}

}  // namespace stretto
