/* Phases of neighbourhood collectives, on a ring of all ranks. */
#ifndef KNOWN_TIMES_RING_H
#define KNOWN_TIMES_RING_H

#include "collectives.h"

/* To both neighbours. */
static void ring_exchange(void) {
  MPI_Neighbor_alltoall(out, SHORT, MPI_BYTE, in, SHORT, MPI_BYTE, ring);
}

/* What is received meanwhile is waited for last; rank 1 finds both messages there. */
static void ring_meanwhile(void) {
  MPI_Request request;
  int index;
  MPI_Ineighbor_alltoall(out, SHORT, MPI_BYTE, in + LONG, SHORT, MPI_BYTE, ring, &request);
  pass_on(0, 1, SHORT);
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
}

/* These cost nothing: who waits for rank 0, or for who waits for it? */
static void ring_allgather(void) {
  MPI_Neighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, ring);
}
static void ring_iallgather(void) {
  MPI_Request request;
  int done = 0;
  MPI_Ineighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, ring, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}
static void late_ring_allgather(void) { late_to(ring_allgather); }
static void late_ring_iallgather(void) { late_to(ring_iallgather); }

/* Rank 0 sends more than an MPI buffers to rank 1, which waits for what rank 0 works out. */
static void answers_neighbor(void) {
  static char much[1 << 20], of_another[1 << 20];
  const int first = 0, second = 1, weight = 1;
  MPI_Comm line;
  MPI_Request request;
  MPI_Dist_graph_create_adjacent(world, rank == 1, &first, &weight, rank == 0, &second, &weight,
                                 MPI_INFO_NULL, 0, &line);
  MPI_Ibarrier(world, &request);
  if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Neighbor_allgather(much, sizeof much, MPI_BYTE, of_another, sizeof much, MPI_BYTE, line);
  if (rank != 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
}

/* Each with its own, one after the other on the same communicator, among other messages. */
static void ring_many(void) {
  MPI_Request requests[4];
  int index, count, indices[4];
  MPI_Ineighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, ring, &requests[0]);
  MPI_Isend(out, 8, MPI_BYTE, rank, 0, ring, &requests[1]);
  MPI_Irecv(in + LONG, 8, MPI_BYTE, rank, 0, ring, &requests[2]);
  MPI_Ineighbor_alltoall(out, SHORT, MPI_BYTE, in + 2 * LONG, SHORT, MPI_BYTE, ring, &requests[3]);
  MPI_Waitany(1, &requests[3], &index, MPI_STATUS_IGNORE);
  do {
    MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
  } while (count != MPI_UNDEFINED);
}

static void persistent_ring(void) {
  MPI_Request request;
  MPI_Neighbor_alltoall_init(out, SHORT, MPI_BYTE, in, SHORT, MPI_BYTE, ring, MPI_INFO_NULL,
                             &request);
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Startall(1, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&request);
}

#endif
