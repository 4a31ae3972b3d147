/* Phases of collectives that cost nothing, so that only waiting shows, and of copied communicators.
 */
#ifndef KNOWN_TIMES_COLLECTIVES_H
#define KNOWN_TIMES_COLLECTIVES_H

#include <string.h>

#include "common.h"

/* Rank 0 comes late to collectives that cost nothing: whom does that delay? */
static void late_to(void (*collective)(void)) {
  pass_on(0, 1, SHORT);
  pass_on(1, 0, SHORT);
  collective();
}
static void bcast_from_last(void) { MPI_Bcast(out, 8, MPI_BYTE, size - 1, world); }
static void bcast_from_first(void) { MPI_Bcast(out, 8, MPI_BYTE, 0, world); }
static void reduce_to_last(void) { MPI_Reduce(out, in, 8, MPI_BYTE, MPI_BOR, size - 1, world); }
static void allreduce(void) { MPI_Allreduce(out, in, 8, MPI_BYTE, MPI_BOR, world); }
static void scan(void) { MPI_Scan(out, in, 8, MPI_BYTE, MPI_BOR, world); }
static void iallreduce(void) {
  MPI_Request request;
  MPI_Iallreduce(out, in, 8, MPI_BYTE, MPI_BOR, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void late_bcast_from_last(void) { late_to(bcast_from_last); }
static void late_bcast_from_first(void) { late_to(bcast_from_first); }
static void late_reduce(void) { late_to(reduce_to_last); }
static void late_allreduce(void) { late_to(allreduce); }
static void late_scan(void) { late_to(scan); }
static void late_iallreduce(void) { late_to(iallreduce); }

/* On a communicator of its own, with the ranks turned round. */
static void on_split(void) {
  MPI_Comm turned;
  MPI_Comm_split(world, 0, -rank, &turned);
  MPI_Barrier(world);
  int last;
  MPI_Comm_size(turned, &last);
  --last;
  if (rank == 0) MPI_Recv(in, SHORT, MPI_BYTE, last - 1, TAG, turned, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, last, TAG, turned);
  MPI_Comm_free(&turned);
}

/* Rank 0 has the others' ends to work out, and waits for something else. */
static void answers_meanwhile(void) {
  MPI_Request request;
  MPI_Iallreduce(out, in, 8, MPI_BYTE, MPI_BOR, world, &request);
  if (rank == 0) MPI_Recv(in + 8, SHORT, MPI_BYTE, 1, TAG, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
}

/* A test may not wait for a rank that needs what this one does next. */
static void early_root(void) {
  MPI_Request request;
  int done, index;
  if (rank == 1) MPI_Recv(in, SHORT, MPI_BYTE, 0, TAG, world, MPI_STATUS_IGNORE);
  MPI_Ibcast(out, 8, MPI_BYTE, 0, world, &request);
  if (rank == 0) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE);
    MPI_Send(out, SHORT, MPI_BYTE, 1, TAG, world);
  }
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
}

static void persistent_allreduce(void) {
  MPI_Request request;
  MPI_Allreduce_init(out, in, 8, MPI_BYTE, MPI_BOR, world, MPI_INFO_NULL, &request);
  for (int turn = 0; turn < 3; ++turn) {
    if (turn == 2) pass_on(0, 1, SHORT);
    if (turn == 2) pass_on(1, 0, SHORT);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

/* Ranks may start them in different orders (MPI 4.1, 6.13); with Intel MPI 2021.19 alone, too, that
 * never ends. */
static int knows_any_order(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  return strstr(version, "Intel") == NULL;
}

/* Rank 1 starts the second one first, and is late to the first: the root of that waits for it. */
static void persistent_any_order(void) {
  MPI_Request requests[2];
  const int early = rank == 1 && knows_any_order();
  MPI_Reduce_init(out, in, 8, MPI_BYTE, MPI_BOR, size - 1, world, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(out + 8, 8, MPI_BYTE, 0, world, MPI_INFO_NULL, &requests[1]);
  if (early) MPI_Start(&requests[1]);
  if (rank != 1) MPI_Startall(2, requests);
  pass_on(0, 1, SHORT);
  if (rank == 1) MPI_Start(&requests[0]);
  if (rank == 1 && !early) MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* Two at a time; messages on them are told apart by nothing else. */
static void on_idup(void) {
  MPI_Comm dups[2];
  MPI_Request requests[2];
  int done = 0;
  MPI_Comm_idup(world, &dups[0], &requests[0]);
  MPI_Comm_idup(world, &dups[1], &requests[1]);
  while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  if (rank == 0) MPI_Recv(in, SHORT, MPI_BYTE, 1, TAG, dups[1], MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Recv(in, LONG, MPI_BYTE, 1, TAG, dups[0], MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, LONG, MPI_BYTE, 0, TAG, dups[0]);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, dups[1]);
  MPI_Comm_free(&dups[0]);
  MPI_Comm_free(&dups[1]);
}

/* What is seen to be complete may be used. */
static void idup_seen(void) {
  MPI_Comm dup;
  MPI_Request request;
  int done = 0;
  MPI_Comm_idup(world, &dup, &request);
  while (rank == 1 && !done) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, dup);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Recv(in, SHORT, MPI_BYTE, 1, TAG, dup, MPI_STATUS_IGNORE);
  MPI_Comm_free(&dup);
}

#endif
