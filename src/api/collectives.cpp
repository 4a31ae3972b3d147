// The collectives of stretto.h: each describes its call; `submit` does the rest.

#include "api/submit.hpp"
#include "stretto/stretto.h"

namespace stretto {
namespace {

Call blocks(Collective collective, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return {.collective = collective,
          .sendbuf = sendbuf,
          .sendcount = sendcount,
          .sendtype = sendtype,
          .recvbuf = recvbuf,
          .recvcount = recvcount,
          .recvtype = recvtype,
          .root = root,
          .comm = comm};
}

Call reduction(Collective collective, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return {.collective = collective,
          .sendbuf = sendbuf,
          .recvbuf = recvbuf,
          .recvcount = count,
          .recvtype = type,
          .op = op,
          .root = root,
          .comm = comm};
}

}  // namespace
}  // namespace stretto

using stretto::Collective;
using stretto::submit;

extern "C" {

int stretto_attach(MPI_Comm comm) { return stretto::prepare(comm) ? MPI_SUCCESS : MPI_ERR_COMM; }

int stretto_barrier(MPI_Comm comm) { return stretto_ibarrier(comm, nullptr); }

int stretto_ibarrier(MPI_Comm comm, stretto_request* request) {
  return submit({.collective = Collective::barrier, .comm = comm}, request);
}

int stretto_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return stretto_ibcast(buffer, count, datatype, root, comm, nullptr);
}

int stretto_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   stretto_request* request) {
  return submit({.collective = Collective::bcast,
                 .recvbuf = buffer,
                 .recvcount = count,
                 .recvtype = datatype,
                 .root = root,
                 .comm = comm},
                request);
}

int stretto_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm) {
  return stretto_ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, nullptr);
}

int stretto_ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    int root, MPI_Comm comm, stretto_request* request) {
  return submit(
      stretto::reduction(Collective::reduce, sendbuf, recvbuf, count, datatype, op, root, comm),
      request);
}

int stretto_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm) {
  return stretto_iallreduce(sendbuf, recvbuf, count, datatype, op, comm, nullptr);
}

int stretto_iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, stretto_request* request) {
  return submit(
      stretto::reduction(Collective::allreduce, sendbuf, recvbuf, count, datatype, op, 0, comm),
      request);
}

int stretto_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return stretto_igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                         nullptr);
}

int stretto_igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    stretto_request* request) {
  return submit(stretto::blocks(Collective::gather, sendbuf, sendcount, sendtype, recvbuf,
                                recvcount, recvtype, root, comm),
                request);
}

int stretto_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return stretto_iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                          nullptr);
}

int stretto_iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     stretto_request* request) {
  return submit(stretto::blocks(Collective::scatter, sendbuf, sendcount, sendtype, recvbuf,
                                recvcount, recvtype, root, comm),
                request);
}

int stretto_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return stretto_iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                            nullptr);
}

int stretto_iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                       stretto_request* request) {
  return submit(stretto::blocks(Collective::allgather, sendbuf, sendcount, sendtype, recvbuf,
                                recvcount, recvtype, 0, comm),
                request);
}

int stretto_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return stretto_ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                           nullptr);
}

int stretto_ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      stretto_request* request) {
  return submit(stretto::blocks(Collective::alltoall, sendbuf, sendcount, sendtype, recvbuf,
                                recvcount, recvtype, 0, comm),
                request);
}

int stretto_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return stretto_ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, nullptr);
}

int stretto_ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  stretto_request* request) {
  return submit(stretto::reduction(Collective::reduce_scatter, sendbuf, recvbuf, recvcount,
                                   datatype, op, 0, comm),
                request);
}

int stretto_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm) {
  return stretto_iscan(sendbuf, recvbuf, count, datatype, op, comm, nullptr);
}

int stretto_iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, stretto_request* request) {
  return submit(
      stretto::reduction(Collective::scan, sendbuf, recvbuf, count, datatype, op, 0, comm),
      request);
}

int stretto_exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return stretto_iexscan(sendbuf, recvbuf, count, datatype, op, comm, nullptr);
}

int stretto_iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, stretto_request* request) {
  return submit(
      stretto::reduction(Collective::exscan, sendbuf, recvbuf, count, datatype, op, 0, comm),
      request);
}

}  // extern "C"
