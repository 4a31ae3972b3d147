/* Stretto: nonblocking collectives that advance while the program computes.
 *
 * The C interface. Every function has the meaning of the MPI function it is named after
 * (MPI 4.1, chapter 6) and returns its error codes, after the communicator's error handler
 * was called. Link with -lstretto-openmpi, -lstretto-mpich or -lstretto-mpiabi (MPI 5.0's
 * standard ABI), as your MPI is.
 *
 * The first call on a communicator prepares it, collectively: where ranks must not wait
 * for each other there, call stretto_attach beforehand. MPI_Init_thread must have given
 * MPI_THREAD_MULTIPLE for operations to advance by themselves; with less, nonblocking
 * collectives are handed to the MPI. Keep datatypes and operations until what uses them is
 * complete. Call stretto_finalize before MPI_Finalize.
 */
#ifndef STRETTO_STRETTO_H
#define STRETTO_STRETTO_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pending collective. STRETTO_REQUEST_NULL once it was waited for or freed. */
typedef struct stretto_request_s* stretto_request;
#define STRETTO_REQUEST_NULL ((stretto_request)0)

/* "0.1.0" */
const char* stretto_version(void);

/* Optional: prepares `comm`, collectively (see above). */
int stretto_attach(MPI_Comm comm);
/* Completes what is pending and ends the progress thread. */
int stretto_finalize(void);

int stretto_barrier(MPI_Comm comm);
int stretto_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int stretto_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm);
int stretto_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm);
int stretto_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int stretto_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int stretto_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int stretto_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int stretto_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                    MPI_Comm comm);
int stretto_scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                     MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                     int root, MPI_Comm comm);
int stretto_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                       MPI_Comm comm);
int stretto_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                      const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int stretto_alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                      const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int stretto_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int stretto_reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int stretto_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);
int stretto_exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm);

int stretto_ibarrier(MPI_Comm comm, stretto_request* request);
int stretto_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   stretto_request* request);
int stretto_ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    int root, MPI_Comm comm, stretto_request* request);
int stretto_iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, stretto_request* request);
int stretto_igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    stretto_request* request);
int stretto_iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     stretto_request* request);
int stretto_iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                       stretto_request* request);
int stretto_ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      stretto_request* request);
int stretto_igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                     MPI_Comm comm, stretto_request* request);
int stretto_iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                      MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm, stretto_request* request);
int stretto_iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                        MPI_Comm comm, stretto_request* request);
int stretto_ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                       const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       stretto_request* request);
int stretto_ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                       const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       stretto_request* request);
int stretto_ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  stretto_request* request);
int stretto_ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                            stretto_request* request);
int stretto_iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, stretto_request* request);
int stretto_iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, stretto_request* request);

/* Completion. A null request is complete at once; *flag, *index and MPI_UNDEFINED as in
 * MPI_Wait, MPI_Test and their families. */
int stretto_wait(stretto_request* request);
int stretto_test(stretto_request* request, int* flag);
int stretto_waitall(int count, stretto_request requests[]);
int stretto_testall(int count, stretto_request requests[], int* flag);
int stretto_waitany(int count, stretto_request requests[], int* index);
int stretto_testany(int count, stretto_request requests[], int* index, int* flag);
int stretto_waitsome(int count, stretto_request requests[], int* outcount, int indices[]);
int stretto_testsome(int count, stretto_request requests[], int* outcount, int indices[]);
/* The operation completes by itself; its buffers stay its own until then. */
int stretto_request_free(stretto_request* request);

#ifdef __cplusplus
}
#endif

#endif
