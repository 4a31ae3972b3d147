/* What the phases of known_times.c share. */
#ifndef KNOWN_TIMES_COMMON_H
#define KNOWN_TIMES_COMMON_H

#include <mpi.h>

#include "../check.h"

#if MPI_VERSION < 4 && defined(OPEN_MPI) /* has them as an extension */
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define MPI_Reduce_init MPIX_Reduce_init
#endif

enum { SHORT = 1000, LONG = 2000, MANY = 200, TAG = 7 };
static char out[LONG], in[4 * LONG];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Comm ring; /* a periodic Cartesian topology of all ranks in their order */

static void pass_on(int from, int to, int bytes) {
  if (rank == from) MPI_Send(out, bytes, MPI_BYTE, to, TAG, world);
  if (rank == to) MPI_Recv(in, bytes, MPI_BYTE, from, TAG, world, MPI_STATUS_IGNORE);
}

#endif
