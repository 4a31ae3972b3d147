#include "api/native_call.hpp"

namespace stretto {
namespace {

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
    case Collective::alltoall:
      break;
  }
  return mpi.Alltoall(c.sendbuf, sendcount, c.sendtype, c.recvbuf, recvcount, c.recvtype, c.comm);
}

}  // namespace

int call_native(const Call& call, MPI_Request* request) {
  return call.nonblocking ? start_native(call, request) : run_native(call);
}

}  // namespace stretto
