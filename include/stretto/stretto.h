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

/* A pending collective. STRETTO_REQUEST_NULL once it was waited for or freed; a persistent
 * one once it was freed. */
typedef struct stretto_request_s* stretto_request;
#define STRETTO_REQUEST_NULL ((stretto_request)0)

/* "0.1.0" */
const char* stretto_version(void);

/* Optional: prepares `comm`, collectively (see above). */
int stretto_attach(MPI_Comm comm);
/* Completes what is pending and ends the progress thread. */
int stretto_finalize(void);

/* stretto_x for every collective MPI_X of MPI 4.1, 6 and 8.6, blocking, nonblocking and
 * persistent; with an MPI that has large counts also stretto_x_c. */
#include <stretto/collectives.h>

/* Of persistent collectives; MPI_ERR_REQUEST for others and where it is active. */
int stretto_start(stretto_request* request);
int stretto_startall(int count, stretto_request requests[]);

/* Completion. A null request, or a persistent
 * one that is not started, is complete at once; *flag, *index and MPI_UNDEFINED as in
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
