#include "mpi/traffic.hpp"

namespace stretto {
namespace {

// As far as it matters which arguments are significant.
struct CallRole {
  bool is_inter = false;
  int rank = 0;
  int own_size = 0;      // of this rank's group
  int size = 0;          // of the group that blocks go to
  bool is_idle = false;  // on an intercommunicator: neither the root nor in the other group
  bool is_root = false;
};

CallRole role_of(const Call& call) {
  CallRole role;
  int is_inter = 0;
  native().Comm_test_inter(call.comm, &is_inter);
  native().Comm_rank(call.comm, &role.rank);
  native().Comm_size(call.comm, &role.own_size);
  if (is_inter != 0) {
    role.is_inter = true;
    native().Comm_remote_size(call.comm, &role.size);
    role.is_idle = is_rooted(call.collective) && call.root == MPI_PROC_NULL;
    role.is_root = call.root == MPI_ROOT;
  } else {
    role.size = role.own_size;
    role.is_root = call.root == role.rank;
  }
  return role;
}

std::int64_t sum(const Numbers& counts, int size, MPI_Datatype type) {
  Count elements = 0;
  for (int i = 0; i < size; ++i) elements += counts[static_cast<std::size_t>(i)];
  return bytes_of(elements, type);
}

std::int64_t of_each_type(const Numbers& counts, int size, const MPI_Datatype* types) {
  std::int64_t bytes = 0;
  for (int i = 0; i < size; ++i) {
    bytes += bytes_of(counts[static_cast<std::size_t>(i)], types[i]);
  }
  return bytes;
}

// What goes to `blocks` ranks or neighbours, a block each.
std::int64_t sent_to_each(const Call& call, int blocks) {
  if (call.sendtypes != nullptr) return of_each_type(call.sendcounts, blocks, call.sendtypes);
  if (call.sendcounts) return sum(call.sendcounts, blocks, call.sendtype);
  return bytes_of(call.sendcount, call.sendtype) * blocks;
}
std::int64_t received_from_each(const Call& call, int blocks) {
  if (call.recvtypes != nullptr) return of_each_type(call.recvcounts, blocks, call.recvtypes);
  if (call.recvcounts) return sum(call.recvcounts, blocks, call.recvtype);
  return bytes_of(call.recvcount, call.recvtype) * blocks;
}

std::int64_t own_block(const Numbers& counts, Count count, MPI_Datatype type, int rank) {
  return bytes_of(counts ? counts[static_cast<std::size_t>(rank)] : count, type);
}

int destinations(MPI_Comm comm, const CallRole& role) {
  int topology = MPI_UNDEFINED;
  native().Topo_test(comm, &topology);
  int count = 0;
  if (topology == MPI_CART) {
    native().Cartdim_get(comm, &count);
    return 2 * count;
  }
  if (topology == MPI_GRAPH) {
    native().Graph_neighbors_count(comm, role.rank, &count);
    return count;
  }
  if (topology != MPI_DIST_GRAPH) return 0;
  int sources = 0;
  int weighted = 0;
  native().Dist_graph_neighbors_count(comm, &sources, &count, &weighted);
  return count;
}

std::int64_t gathered(const Call& call, const CallRole& role) {
  if (role.is_inter && role.is_root) return received_from_each(call, role.size);
  if (call.sendbuf != MPI_IN_PLACE) return bytes_of(call.sendcount, call.sendtype);
  return own_block(call.recvcounts, call.recvcount, call.recvtype, role.rank);
}

std::int64_t scattered(const Call& call, const CallRole& role) {
  if (role.is_inter && role.is_root) return sent_to_each(call, role.size);
  if (call.recvbuf != MPI_IN_PLACE) return bytes_of(call.recvcount, call.recvtype);
  return own_block(call.sendcounts, call.sendcount, call.sendtype, role.rank);
}

std::int64_t bytes_in(const Call& call, const CallRole& role) {
  switch (call.collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return bytes_of(call.recvcount, call.recvtype);
    case Collective::gather:
    case Collective::allgather:
      return gathered(call, role);
    case Collective::scatter:
      return scattered(call, role);
    case Collective::alltoall:
      return call.sendbuf == MPI_IN_PLACE ? received_from_each(call, role.size)
                                          : sent_to_each(call, role.size);
    case Collective::reduce_scatter:
      return received_from_each(call, role.own_size);
    case Collective::neighbor_allgather:
      return bytes_of(call.sendcount, call.sendtype);
    case Collective::neighbor_alltoall:
      break;
  }
  return sent_to_each(call, destinations(call.comm, role));
}

}  // namespace

std::int64_t bytes_of(Count count, MPI_Datatype datatype) {
  if (count <= 0 || datatype == native().datatype_null) return 0;
  MPI_Count size = 0;
  native().Type_size_x(datatype, &size);
  return size == MPI_UNDEFINED ? 0 : count * static_cast<std::int64_t>(size);
}

Traffic traffic_of(const Call& call) {
  if (call.comm == native().comm_null || call.collective == Collective::barrier) return {};
  const CallRole role = role_of(call);
  if (role.is_idle) return {};
  const bool has_root = is_rooted(call.collective) && !role.is_inter;
  return {.bytes = bytes_in(call, role), .root = has_root ? call.root : -1};
}

}  // namespace stretto
