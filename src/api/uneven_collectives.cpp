// The collectives of stretto.h whose blocks differ in size.

#include "api/submit.hpp"
#include "stretto/stretto.h"

using stretto::Collective;
using stretto::submit;

extern "C" {

int stretto_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                    MPI_Comm comm) {
  return stretto_igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                          comm, nullptr);
}

int stretto_igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                     MPI_Comm comm, stretto_request* request) {
  return submit({.collective = Collective::gather,
                 .uneven = true,
                 .sendbuf = sendbuf,
                 .sendcount = sendcount,
                 .sendtype = sendtype,
                 .recvbuf = recvbuf,
                 .recvcounts = recvcounts,
                 .recvdispls = displs,
                 .recvtype = recvtype,
                 .root = root,
                 .comm = comm},
                request);
}

int stretto_scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                     MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                     int root, MPI_Comm comm) {
  return stretto_iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                           root, comm, nullptr);
}

int stretto_iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                      MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm, stretto_request* request) {
  return submit({.collective = Collective::scatter,
                 .uneven = true,
                 .sendbuf = sendbuf,
                 .sendcounts = sendcounts,
                 .senddispls = displs,
                 .sendtype = sendtype,
                 .recvbuf = recvbuf,
                 .recvcount = recvcount,
                 .recvtype = recvtype,
                 .root = root,
                 .comm = comm},
                request);
}

int stretto_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                       MPI_Comm comm) {
  return stretto_iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                             comm, nullptr);
}

int stretto_iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                        MPI_Comm comm, stretto_request* request) {
  return submit({.collective = Collective::allgather,
                 .uneven = true,
                 .sendbuf = sendbuf,
                 .sendcount = sendcount,
                 .sendtype = sendtype,
                 .recvbuf = recvbuf,
                 .recvcounts = recvcounts,
                 .recvdispls = displs,
                 .recvtype = recvtype,
                 .comm = comm},
                request);
}

int stretto_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                      const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return stretto_ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                            recvtype, comm, nullptr);
}

int stretto_ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                       const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       stretto_request* request) {
  return submit({.collective = Collective::alltoall,
                 .uneven = true,
                 .sendbuf = sendbuf,
                 .sendcounts = sendcounts,
                 .senddispls = sdispls,
                 .sendtype = sendtype,
                 .recvbuf = recvbuf,
                 .recvcounts = recvcounts,
                 .recvdispls = rdispls,
                 .recvtype = recvtype,
                 .comm = comm},
                request);
}

int stretto_alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                      const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return stretto_ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                            recvtypes, comm, nullptr);
}

int stretto_ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                       const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       stretto_request* request) {
  return submit({.collective = Collective::alltoall,
                 .uneven = true,
                 .sendbuf = sendbuf,
                 .sendcounts = sendcounts,
                 .senddispls = sdispls,
                 .sendtypes = sendtypes,
                 .recvbuf = recvbuf,
                 .recvcounts = recvcounts,
                 .recvdispls = rdispls,
                 .recvtypes = recvtypes,
                 .comm = comm},
                request);
}

int stretto_reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return stretto_ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, nullptr);
}

int stretto_ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                            stretto_request* request) {
  return submit({.collective = Collective::reduce_scatter,
                 .uneven = true,
                 .sendbuf = sendbuf,
                 .recvbuf = recvbuf,
                 .recvcounts = recvcounts,
                 .recvtype = datatype,
                 .op = op,
                 .comm = comm},
                request);
}

}  // extern "C"
