/* Phases of messages between two ranks, and how they are waited for. */
#ifndef KNOWN_TIMES_MESSAGES_H
#define KNOWN_TIMES_MESSAGES_H

#include "common.h"

static void chain(void) {
  for (int hop = 0; hop < size; ++hop) pass_on(hop, (hop + 1) % size, SHORT);
}

static void fan_in(void) {
  MPI_Status status;
  if (rank != 0) MPI_Send(out, SHORT, MPI_BYTE, 0, rank, world);
  for (int i = 1; rank == 0 && i < size; ++i) {
    MPI_Recv(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    CHECK(status.MPI_TAG == status.MPI_SOURCE);
  }
}

static void receive_two(MPI_Request requests[2]) {
  MPI_Irecv(in, SHORT, MPI_BYTE, 1, TAG, world, &requests[0]);
  MPI_Irecv(in, LONG, MPI_BYTE, 1, TAG, world, &requests[1]);
}

static void send_two(void) {
  MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  MPI_Send(out, LONG, MPI_BYTE, 0, TAG, world);
}

static void last_first(void) {
  MPI_Request requests[2];
  if (rank == 1) send_two();
  if (rank != 0) return;
  receive_two(requests);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void together(void) {
  MPI_Request requests[2];
  if (rank == 1) send_two();
  if (rank != 0) return;
  receive_two(requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void one_by_one(void) {
  MPI_Request requests[2];
  int index, count, indices[2];
  if (rank == 1) send_two();
  if (rank != 0) return;
  receive_two(requests);
  MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
  do {
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  } while (count != MPI_UNDEFINED);
}

static void persistent(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Recv_init(in, SHORT, MPI_BYTE, 1, TAG, world, &request);
  if (rank == 1) MPI_Send_init(out, SHORT, MPI_BYTE, 0, TAG, world, &request);
  for (int i = 0; i < 3 && rank < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank < 2) MPI_Request_free(&request);
}

static void shift(void) {
  MPI_Sendrecv(out, SHORT, MPI_BYTE, (rank + 1) % size, TAG, in, SHORT, MPI_BYTE,
               (rank + size - 1) % size, TAG, world, MPI_STATUS_IGNORE);
}

static void probe(void) {
  MPI_Status status;
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  MPI_Probe(MPI_ANY_SOURCE, TAG, world, &status);
  MPI_Recv(in, SHORT, MPI_BYTE, status.MPI_SOURCE, TAG, world, MPI_STATUS_IGNORE);
}

static void matched_probe(void) {
  MPI_Message message;
  MPI_Status status;
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  MPI_Mprobe(MPI_ANY_SOURCE, TAG, world, &message, &status);
  MPI_Mrecv(in, SHORT, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

/* Asks again and again; how often is the machine's matter. */
static void test_loop(void) {
  MPI_Request request;
  int done = 0;
  pass_on(0, 1, SHORT);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  MPI_Irecv(in, SHORT, MPI_BYTE, 1, TAG, world, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void probe_loop(void) {
  int found = 0;
  pass_on(0, 1, SHORT);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  while (!found) MPI_Iprobe(1, TAG, world, &found, MPI_STATUS_IGNORE);
  MPI_Recv(in, SHORT, MPI_BYTE, 1, TAG, world, MPI_STATUS_IGNORE);
}

/* More messages than anyone reads at once. */
static void burst(void) {
  MPI_Request request;
  if (rank == 1) {
    for (int i = 0; i < MANY; ++i) {
      MPI_Isend(out, 1, MPI_BYTE, 0, i, world, &request);
      MPI_Request_free(&request);
    }
  }
  if (rank != 0) return;
  for (int i = MANY; i-- > 0;) MPI_Recv(in, 1, MPI_BYTE, 1, i, world, MPI_STATUS_IGNORE);
}

static void to_oneself(void) {
  MPI_Request request;
  MPI_Irecv(in, SHORT, MPI_BYTE, rank, TAG, world, &request);
  MPI_Send(out, SHORT, MPI_BYTE, rank, TAG, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* An earlier receive fits, but another sender's message was there first. */
static void wildcard_first(void) {
  MPI_Request any, mine;
  if (size == 2) return;
  if (rank == 0) MPI_Irecv(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, TAG, world, &any);
  MPI_Barrier(world);
  if (rank == 2) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  MPI_Barrier(world);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  int taken = 0;
  while (!taken) MPI_Request_get_status(any, &taken, MPI_STATUS_IGNORE);
  MPI_Irecv(in + SHORT, SHORT, MPI_BYTE, 1, TAG, world, &mine);
  MPI_Wait(&mine, MPI_STATUS_IGNORE);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
}

#endif
