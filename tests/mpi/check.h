/* What the plain MPI programs check with. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>

static int rank, size; /* in MPI_COMM_WORLD; main sets them */

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      fprintf(stderr, "rank %d, line %d: %s does not hold\n", rank, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                        \
    }                                                                                      \
  } while (0)

/* A number from 0 to below `limit`, and the next state of what makes them. */
static inline int below(unsigned long long* state, int limit) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((*state >> 33) % (unsigned long long)limit);
}

/* Runs it blocking, or nonblocking and waits. */
#define RUN(nonblocking, Upper, lower, ...)                                       \
  do {                                                                            \
    MPI_Request request = MPI_REQUEST_NULL;                                       \
    if (nonblocking)                                                              \
      MPI_I##lower(__VA_ARGS__, &request), MPI_Wait(&request, MPI_STATUS_IGNORE); \
    else                                                                          \
      MPI_##Upper(__VA_ARGS__);                                                   \
  } while (0)

#endif
