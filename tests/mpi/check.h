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

#endif
