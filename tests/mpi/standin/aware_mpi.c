/* A GPU-aware MPI, made of one that is not: the collectives that the test calls may touch the
 * memory of the stand-in's device (cuda.c), nonblocking ones until they are waited for; nothing
 * else may, the MPI's point-to-point functions included.
 *
 * To be preloaded, behind Stretto; its file has the name of the MPI's so that it is taken for that.
 * STANDIN_AWARE=0: it says that it is not GPU-aware. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int pending; /* exposed until a wait */

static void expose(int more) {
  void (*const standin)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "standin_expose");
  if (standin != NULL && more != 0) standin(more);
}

static int says_aware(void) {
  const char* const aware = getenv("STANDIN_AWARE");
  return aware == NULL || strcmp(aware, "0") != 0;
}

int MPIX_Query_cuda_support(void) { return says_aware(); }

/* Where the call's own part ends the memory is exposed by `kept` more than before. */
#define FUNCTION(name, kept, parameters, ...)                                         \
  int PMPI_##name parameters;                                                         \
  int PMPI_##name parameters {                                                        \
    int(*const real) parameters = (int(*) parameters)dlsym(RTLD_NEXT, "PMPI_" #name); \
    expose(1);                                                                        \
    const int error = real(__VA_ARGS__);                                              \
    pending += kept;                                                                  \
    if (kept == 0) expose(-1);                                                        \
    return error;                                                                     \
  }                                                                                   \
  int MPI_##name parameters __attribute__((alias("PMPI_" #name)));

typedef const int* Ints;
typedef const MPI_Datatype* Types;

FUNCTION(Bcast, 0, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), b, n, t, root, c)
FUNCTION(Reduce, 0,
         (const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c), s, r, n,
         t, op, root, c)
FUNCTION(Allreduce, 0, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), s, r,
         n, t, op, c)
FUNCTION(Scan, 0, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), s, r, n,
         t, op, c)
FUNCTION(Reduce_scatter, 0,
         (const void* s, void* r, Ints ns, MPI_Datatype t, MPI_Op op, MPI_Comm c), s, r, ns, t, op,
         c)
FUNCTION(Gather, 0,
         (const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, int root,
          MPI_Comm c),
         s, n, t, r, m, u, root, c)
FUNCTION(Gatherv, 0,
         (const void* s, int n, MPI_Datatype t, void* r, Ints m, Ints at, MPI_Datatype u, int root,
          MPI_Comm c),
         s, n, t, r, m, at, u, root, c)
FUNCTION(Scatter, 0,
         (const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, int root,
          MPI_Comm c),
         s, n, t, r, m, u, root, c)
FUNCTION(Allgather, 0,
         (const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c), s, n,
         t, r, m, u, c)
FUNCTION(Alltoall, 0,
         (const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c), s, n,
         t, r, m, u, c)
FUNCTION(Alltoallv, 0,
         (const void* s, Ints n, Ints from, MPI_Datatype t, void* r, Ints m, Ints at,
          MPI_Datatype u, MPI_Comm c),
         s, n, from, t, r, m, at, u, c)
FUNCTION(Alltoallw, 0,
         (const void* s, Ints n, Ints from, Types t, void* r, Ints m, Ints at, Types u, MPI_Comm c),
         s, n, from, t, r, m, at, u, c)
FUNCTION(Ibcast, 1, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request* q), b, n, t,
         root, c, q)
FUNCTION(Iallreduce, 1,
         (const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* q), s,
         r, n, t, op, c, q)
FUNCTION(Start, 1, (MPI_Request * q), q)
FUNCTION(Wait, 0, (MPI_Request * q, MPI_Status* status), q, status)

/* The program, which has one request at a time, has waited for it. */
void standin_waited(void);
void standin_waited(void) {
  expose(-pending);
  pending = 0;
}
