/* What `stretto profile` must say of point-to-point messages: 3 ranks, of which one comes late, by
 * LATE_MS each of ROUNDS times, to send or to receive.
 *
 * Calls are found by the functions they are in. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 4, LATE_MS = 50, COUNT = 1000, LARGE = 1 << 20 };

static int rank, size;
static char sent[LARGE], got[3][LARGE];

static void all_but_one_come(int late) {
  MPI_Barrier(MPI_COMM_WORLD);
  const struct timespec time = {0, LATE_MS * 1000000L};
  if (rank == late) nanosleep(&time, NULL);
}

/* Rank 2 sends late, to both others: one asks for it by name, one takes what comes. */
static void late_sender(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(2);
    if (rank == 2) {
      for (int to = 0; to < 2; ++to) MPI_Send(sent, COUNT, MPI_CHAR, to, i, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Recv(got[0], COUNT, MPI_CHAR, 2, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(got[0], COUNT, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
  }
}

/* Rank 1 receives late what cannot be sent before. */
static void late_receiver(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(1);
    if (rank == 0) MPI_Ssend(sent, LARGE, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(got[0], LARGE, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* All exchange with all; the last one is late. */
static void waitall(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(2);
    MPI_Request requests[6];
    int count = 0;
    for (int to = 0; to < size; ++to) {
      if (to == rank) continue;
      const int from = i % 2 == 0 ? to : MPI_ANY_SOURCE;
      MPI_Irecv(got[to], COUNT, MPI_CHAR, from, 9, MPI_COMM_WORLD, &requests[count++]);
      MPI_Isend(sent, COUNT, MPI_CHAR, to, 9, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Irecv(got[0], COUNT, MPI_CHAR, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

/* Both ends at once, with requests that are made once. */
static void persistent(void) {
  MPI_Comm halves;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, -rank, &halves); /* without collectives */
  if (rank != 0) {
    MPI_Request requests[2];
    int me;
    MPI_Comm_rank(halves, &me);
    MPI_Recv_init(got[0], COUNT, MPI_CHAR, 1 - me, 3, halves, &requests[0]);
    MPI_Send_init(sent, COUNT, MPI_CHAR, 1 - me, 3, halves, &requests[1]);
    for (int i = 0; i < ROUNDS; ++i) {
      const struct timespec time = {0, LATE_MS * 1000000L};
      if (rank == 1) nanosleep(&time, NULL);
      MPI_Startall(2, requests);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  }
  MPI_Comm_free(&halves);
}

/* It is asked which message comes before it is received; and both ways at once. */
static void probed(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(2);
    if (rank == 2) {
      MPI_Send(sent, COUNT, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
      MPI_Sendrecv(sent, COUNT, MPI_CHAR, 1, 5, got[0], COUNT, MPI_CHAR, 1, 5, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else if (rank == 0) {
      MPI_Status status;
      MPI_Message message;
      MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(got[0], COUNT, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    } else {
      MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(sent, COUNT, MPI_CHAR, 2, 5, got[0], COUNT, MPI_CHAR, 2, 5, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
  }
}

/* One that is never received is freed: of that pair and tag nothing is known for sure. */
static void cancelled(void) {
  if (rank != 0) return;
  MPI_Request request;
  MPI_Irecv(got[0], COUNT, MPI_CHAR, 2, 11, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 3) MPI_Abort(MPI_COMM_WORLD, 1);
  late_sender();
  late_receiver();
  waitall();
  persistent();
  probed();
  cancelled();
  if (rank == 0) printf("messages ok\n");
  MPI_Finalize();
  return 0;
}
