#include "api/native_call.hpp"

namespace stretto {
namespace {

int start_native_uneven(const Call& c, MPI_Request* request) {
  const Native& mpi = native();
  const int sendcount = static_cast<int>(c.sendcount);
  const int recvcount = static_cast<int>(c.recvcount);
  switch (c.collective) {
    case Collective::gather:
      return mpi.Igatherv(c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts, c.recvdispls,
                          c.recvtype, c.root, c.comm, request);
    case Collective::scatter:
      return mpi.Iscatterv(c.sendbuf, c.sendcounts, c.senddispls, c.sendtype, c.recvbuf, recvcount,
                           c.recvtype, c.root, c.comm, request);
    case Collective::allgather:
      return mpi.Iallgatherv(c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts,
                             c.recvdispls, c.recvtype, c.comm, request);
    case Collective::reduce_scatter:
      return mpi.Ireduce_scatter(c.sendbuf, c.recvbuf, c.recvcounts, c.recvtype, c.op, c.comm,
                                 request);
    default:
      break;
  }
  if (c.recvtypes != nullptr) {
    return mpi.Ialltoallw(c.sendbuf, c.sendcounts, c.senddispls, c.sendtypes, c.recvbuf,
                          c.recvcounts, c.recvdispls, c.recvtypes, c.comm, request);
  }
  return mpi.Ialltoallv(c.sendbuf, c.sendcounts, c.senddispls, c.sendtype, c.recvbuf, c.recvcounts,
                        c.recvdispls, c.recvtype, c.comm, request);
}

int run_native_uneven(const Call& c) {
  const Native& mpi = native();
  const int sendcount = static_cast<int>(c.sendcount);
  const int recvcount = static_cast<int>(c.recvcount);
  switch (c.collective) {
    case Collective::gather:
      return mpi.Gatherv(c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts, c.recvdispls,
                         c.recvtype, c.root, c.comm);
    case Collective::scatter:
      return mpi.Scatterv(c.sendbuf, c.sendcounts, c.senddispls, c.sendtype, c.recvbuf, recvcount,
                          c.recvtype, c.root, c.comm);
    case Collective::allgather:
      return mpi.Allgatherv(c.sendbuf, sendcount, c.sendtype, c.recvbuf, c.recvcounts, c.recvdispls,
                            c.recvtype, c.comm);
    case Collective::reduce_scatter:
      return mpi.Reduce_scatter(c.sendbuf, c.recvbuf, c.recvcounts, c.recvtype, c.op, c.comm);
    default:
      break;
  }
  if (c.recvtypes != nullptr) {
    return mpi.Alltoallw(c.sendbuf, c.sendcounts, c.senddispls, c.sendtypes, c.recvbuf,
                         c.recvcounts, c.recvdispls, c.recvtypes, c.comm);
  }
  return mpi.Alltoallv(c.sendbuf, c.sendcounts, c.senddispls, c.sendtype, c.recvbuf, c.recvcounts,
                       c.recvdispls, c.recvtype, c.comm);
}

int start_native(const Call& c, MPI_Request* request) {
  const Native& mpi = native();
  const int sendcount = static_cast<int>(c.sendcount);  // stretto.h counts by int
  const int recvcount = static_cast<int>(c.recvcount);
  switch (c.collective) {
    case Collective::barrier:
      return mpi.Ibarrier(c.comm, request);
    case Collective::bcast:
      return mpi.Ibcast(c.recvbuf, recvcount, c.recvtype, c.root, c.comm, request);
    case Collective::reduce:
      return mpi.Ireduce(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.root, c.comm,
                         request);
    case Collective::allreduce:
      return mpi.Iallreduce(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm, request);
    case Collective::gather:
      return mpi.Igather(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.root,
                         c.comm, request);
    case Collective::scatter:
      return mpi.Iscatter(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype,
                          c.root, c.comm, request);
    case Collective::allgather:
      return mpi.Iallgather(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype,
                            c.comm, request);
    case Collective::reduce_scatter:
      return mpi.Ireduce_scatter_block(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm,
                                       request);
    case Collective::scan:
      return mpi.Iscan(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm, request);
    case Collective::exscan:
      return mpi.Iexscan(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm, request);
    case Collective::alltoall:
      break;
  }
  return mpi.Ialltoall(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.comm,
                       request);
}

int run_native(const Call& c) {
  const Native& mpi = native();
  const int sendcount = static_cast<int>(c.sendcount);  // stretto.h counts by int
  const int recvcount = static_cast<int>(c.recvcount);
  switch (c.collective) {
    case Collective::barrier:
      return mpi.Barrier(c.comm);
    case Collective::bcast:
      return mpi.Bcast(c.recvbuf, recvcount, c.recvtype, c.root, c.comm);
    case Collective::reduce:
      return mpi.Reduce(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.root, c.comm);
    case Collective::allreduce:
      return mpi.Allreduce(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm);
    case Collective::gather:
      return mpi.Gather(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.root,
                        c.comm);
    case Collective::scatter:
      return mpi.Scatter(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.root,
                         c.comm);
    case Collective::allgather:
      return mpi.Allgather(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype,
                           c.comm);
    case Collective::reduce_scatter:
      return mpi.Reduce_scatter_block(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm);
    case Collective::scan:
      return mpi.Scan(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm);
    case Collective::exscan:
      return mpi.Exscan(c.sendbuf, c.recvbuf, recvcount, c.recvtype, c.op, c.comm);
    case Collective::alltoall:
      break;
  }
  return mpi.Alltoall(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.comm);
}

}  // namespace

int call_native(const Call& call, MPI_Request* request) {
  if (call.uneven) {
    return call.nonblocking ? start_native_uneven(call, request) : run_native_uneven(call);
  }
  return call.nonblocking ? start_native(call, request) : run_native(call);
}

}  // namespace stretto
