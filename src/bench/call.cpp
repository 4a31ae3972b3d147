#include "bench/call.hpp"

#include <algorithm>

namespace stretto::bench {

void call_collective(const Native& mpi, Collective collective, std::int64_t bytes, std::byte* in,
                     std::byte* out, int root, MPI_Comm comm) {
  const MPI_Datatype type = mpi.byte;
  const int n = static_cast<int>(bytes);
  const int doubles = std::max(n / 8, 1);
  switch (collective) {
    case Collective::barrier:
      mpi.Barrier(comm);
      break;
    case Collective::bcast:
      mpi.Bcast(out, n, type, root, comm);
      break;
    case Collective::reduce:
      mpi.Reduce(in, out, doubles, mpi.real, mpi.op_sum, root, comm);
      break;
    case Collective::allreduce:
      mpi.Allreduce(in, out, doubles, mpi.real, mpi.op_sum, comm);
      break;
    case Collective::gather:
      mpi.Gather(in, n, type, out, n, type, root, comm);
      break;
    case Collective::scatter:
      mpi.Scatter(in, n, type, out, n, type, root, comm);
      break;
    case Collective::allgather:
      mpi.Allgather(in, n, type, out, n, type, comm);
      break;
    case Collective::alltoall:
      mpi.Alltoall(in, n, type, out, n, type, comm);
      break;
    case Collective::scan:
      mpi.Scan(in, out, doubles, mpi.real, mpi.op_sum, comm);
      break;
    case Collective::exscan:
      mpi.Exscan(in, out, doubles, mpi.real, mpi.op_sum, comm);
      break;
    case Collective::reduce_scatter:
      mpi.Reduce_scatter_block(in, out, doubles, mpi.real, mpi.op_sum, comm);
      break;
    default:
      break;
  }
}

}  // namespace stretto::bench
