// The collectives in all their forms.

#include "fake_mpi/collectives.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses)
// PARAMETERS(Count, Displacement): those of the blocking form; what follows describes the call.
#define FORMS(Name, Iname, suffix, Count, Displacement, PARAMETERS, ...)                  \
  FAKE_MPI(Name##suffix, (PARAMETERS(Count, Displacement))) {                             \
    fake_mpi::Entered at(__func__, comm);                                                 \
    return fake_mpi::collective(at, #Name, {__VA_ARGS__, .comm = comm}, nullptr);         \
  }                                                                                       \
  FAKE_MPI(Iname##suffix, (PARAMETERS(Count, Displacement), MPI_Request * request)) {     \
    fake_mpi::Entered at(__func__, comm);                                                 \
    return fake_mpi::collective(at, #Iname, {__VA_ARGS__, .comm = comm}, request);        \
  }                                                                                       \
  FAKE_MPI(Name##_init##suffix,                                                           \
           (PARAMETERS(Count, Displacement), MPI_Info /*info*/, MPI_Request * request)) { \
    fake_mpi::Entered at(__func__, comm);                                                 \
    stretto::Call call{__VA_ARGS__, .comm = comm};                                        \
    call.form = stretto::Form::persistent;                                                \
    return fake_mpi::collective(at, #Name "_init", call, request);                        \
  }
#define COLLECTIVE(Name, Iname, ...)          \
  FORMS(Name, Iname, , int, int, __VA_ARGS__) \
  FORMS(Name, Iname, _c, MPI_Count, MPI_Aint, __VA_ARGS__)
// NOLINTEND(bugprone-macro-parentheses)

using stretto::Collective;

#define BARRIER(Count, Displacement) MPI_Comm comm
FORMS(Barrier, Ibarrier, , int, int, BARRIER, .collective = Collective::barrier)

#define BCAST(Count, Displacement) \
  void *buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm
COLLECTIVE(Bcast, Ibcast, BCAST, .collective = Collective::bcast, .recvbuf = buffer,
           .recvcount = count, .recvtype = datatype, .root = root)

#define GATHER(Count, Displacement)                                                            \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, \
      MPI_Datatype recvtype, int root, MPI_Comm comm
#define BUFFERS                                                                         \
  .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf, \
  .recvcount = recvcount, .recvtype = recvtype
COLLECTIVE(Gather, Igather, GATHER, .collective = Collective::gather, BUFFERS, .root = root)
COLLECTIVE(Scatter, Iscatter, GATHER, .collective = Collective::scatter, BUFFERS, .root = root)

#define ALLGATHER(Count, Displacement)                                                         \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, \
      MPI_Datatype recvtype, MPI_Comm comm
COLLECTIVE(Allgather, Iallgather, ALLGATHER, .collective = Collective::allgather, BUFFERS)
COLLECTIVE(Alltoall, Ialltoall, ALLGATHER, .collective = Collective::alltoall, BUFFERS)
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, ALLGATHER,
           .collective = Collective::neighbor_allgather, BUFFERS)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, ALLGATHER,
           .collective = Collective::neighbor_alltoall, BUFFERS)

#define GATHERV(Count, Displacement)                                                          \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf,                 \
      const Count recvcounts[], const Displacement displs[], MPI_Datatype recvtype, int root, \
      MPI_Comm comm
#define GATHERED                                                                        \
  .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf, \
  .recvcounts = recvcounts, .recvdispls = displs, .recvtype = recvtype
COLLECTIVE(Gatherv, Igatherv, GATHERV, .collective = Collective::gather, .uneven = true, GATHERED,
           .root = root)
#define ALLGATHERV(Count, Displacement)                                       \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, \
      const Count recvcounts[], const Displacement displs[], MPI_Datatype recvtype, MPI_Comm comm
COLLECTIVE(Allgatherv, Iallgatherv, ALLGATHERV, .collective = Collective::allgather, .uneven = true,
           GATHERED)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, ALLGATHERV,
           .collective = Collective::neighbor_allgather, .uneven = true, GATHERED)

#define SCATTERV(Count, Displacement)                                                         \
  const void *sendbuf, const Count sendcounts[], const Displacement displs[],                 \
      MPI_Datatype sendtype, void *recvbuf, Count recvcount, MPI_Datatype recvtype, int root, \
      MPI_Comm comm
COLLECTIVE(Scatterv, Iscatterv, SCATTERV, .collective = Collective::scatter, .uneven = true,
           .sendbuf = sendbuf, .sendcounts = sendcounts, .senddispls = displs, .sendtype = sendtype,
           .recvbuf = recvbuf, .recvcount = recvcount, .recvtype = recvtype, .root = root)

#define ALLTOALLV(Count, Displacement)                                         \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], \
      MPI_Datatype sendtype, void *recvbuf, const Count recvcounts[],          \
      const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define VECTORS                                                                              \
  .uneven = true, .sendbuf = sendbuf, .sendcounts = sendcounts, .senddispls = sdispls,       \
  .sendtype = sendtype, .recvbuf = recvbuf, .recvcounts = recvcounts, .recvdispls = rdispls, \
  .recvtype = recvtype
COLLECTIVE(Alltoallv, Ialltoallv, ALLTOALLV, .collective = Collective::alltoall, VECTORS)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, ALLTOALLV,
           .collective = Collective::neighbor_alltoall, VECTORS)

#define ALLTOALLW(Count, Displacement)                                         \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], \
      const MPI_Datatype sendtypes[], void *recvbuf, const Count recvcounts[], \
      const Displacement rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm
#define TYPED                                                                                  \
  .uneven = true, .sendbuf = sendbuf, .sendcounts = sendcounts, .senddispls = sdispls,         \
  .sendtypes = sendtypes, .recvbuf = recvbuf, .recvcounts = recvcounts, .recvdispls = rdispls, \
  .recvtypes = recvtypes
COLLECTIVE(Alltoallw, Ialltoallw, ALLTOALLW, .collective = Collective::alltoall, TYPED)
FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, , int, MPI_Aint, ALLTOALLW,
      .collective = Collective::neighbor_alltoall, TYPED)
FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, _c, MPI_Count, MPI_Aint, ALLTOALLW,
      .collective = Collective::neighbor_alltoall, TYPED)

#define REDUCE(Count, Displacement)                                                            \
  const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype, MPI_Op op, int root, \
      MPI_Comm comm
#define OPERANDS .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count, .recvtype = datatype
COLLECTIVE(Reduce, Ireduce, REDUCE, .collective = Collective::reduce, OPERANDS, .op = op,
           .root = root)
#define ALLREDUCE(Count, Displacement) \
  const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
COLLECTIVE(Allreduce, Iallreduce, ALLREDUCE, .collective = Collective::allreduce, OPERANDS,
           .op = op)
COLLECTIVE(Scan, Iscan, ALLREDUCE, .collective = Collective::scan, OPERANDS, .op = op)
COLLECTIVE(Exscan, Iexscan, ALLREDUCE, .collective = Collective::exscan, OPERANDS, .op = op)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, ALLREDUCE,
           .collective = Collective::reduce_scatter, OPERANDS, .op = op)
#define REDUCE_SCATTER(Count, Displacement)                                                       \
  const void *sendbuf, void *recvbuf, const Count recvcounts[], MPI_Datatype datatype, MPI_Op op, \
      MPI_Comm comm
COLLECTIVE(Reduce_scatter, Ireduce_scatter, REDUCE_SCATTER,
           .collective = Collective::reduce_scatter, .uneven = true, .sendbuf = sendbuf,
           .recvbuf = recvbuf, .recvcounts = recvcounts, .recvtype = datatype, .op = op)
