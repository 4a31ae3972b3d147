/* What `stretto profile` must know of requests: each is started in one of the functions below, and
 * becomes what the function says. Whatever is complete has been so by a call of the program's.
 *
 * Calls are found by the functions they are in. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 10, LATE_MS = 20, FEW = 4, MANY = 100, COUNT = 1000, POLLS = 1000 };

static int rank, size, next, previous;
static double mine[COUNT], theirs[FEW][COUNT], sum[COUNT];
static char bytes[MANY], more[MANY];

static void late(void) {
  const struct timespec time = {0, LATE_MS * 1000000L};
  nanosleep(&time, NULL);
}

static void send_few(void) {
  for (int i = 0; i < FEW; ++i) MPI_Send(mine, COUNT, MPI_DOUBLE, next, i, MPI_COMM_WORLD);
}

static void computes_first(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(theirs, COUNT, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, COUNT, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[2]);
    late();
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
}

static void waits_for_late(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) late();
    MPI_Iallreduce(mine, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void again_and_again(void) {
  MPI_Request requests[2];
  MPI_Recv_init(theirs, COUNT, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(mine, COUNT, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* inactive by now */
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void freed(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request request;
    MPI_Isend(mine, COUNT, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(theirs, COUNT, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void cancelled(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request request;
    MPI_Irecv(theirs, COUNT, MPI_DOUBLE, previous, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* More sends than a completing call has handles at hand for, small enough to be over at once. */
static void many_at_once(void) {
  MPI_Request requests[MANY];
  for (int i = 0; i < MANY; ++i) {
    MPI_Isend(&bytes[i], 1, MPI_BYTE, next, i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < MANY; ++i) {
    MPI_Recv(&more[i], 1, MPI_BYTE, previous, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
}

static void asks_in_vain(void) {
  int flag = 0;
  for (int i = 0; i < POLLS; ++i) {
    MPI_Iprobe(previous, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

static void receive_few(MPI_Request requests[]) {
  for (int i = 0; i < FEW; ++i) {
    MPI_Irecv(theirs[i], COUNT, MPI_DOUBLE, previous, i, MPI_COMM_WORLD, &requests[i]);
  }
}

static void completed_in_every_way(void) {
  MPI_Request requests[FEW];
  int flag = 0, index = 0, count = 0, indices[FEW];
  receive_few(requests), send_few();
  for (int i = 0; i < FEW; ++i) MPI_Waitany(FEW, requests, &index, MPI_STATUS_IGNORE);
  MPI_Waitany(FEW, requests, &index, MPI_STATUS_IGNORE); /* none is left */
  receive_few(requests), send_few();
  for (int i = 0; i < FEW; i += count) {
    MPI_Waitsome(FEW, requests, &count, indices, MPI_STATUSES_IGNORE);
  }
  receive_few(requests), send_few();
  for (int i = 0; i < FEW; i += flag) MPI_Testany(FEW, requests, &index, &flag, MPI_STATUS_IGNORE);
  receive_few(requests), send_few();
  for (int i = 0; i < FEW; i += count) {
    MPI_Testsome(FEW, requests, &count, indices, MPI_STATUSES_IGNORE);
  }
  receive_few(requests), send_few();
  for (flag = 0; !flag;) MPI_Testall(FEW, requests, &flag, MPI_STATUSES_IGNORE);
  receive_few(requests), send_few();
  for (int i = 0; i < FEW; ++i) {
    for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  computes_first();
  waits_for_late();
  again_and_again();
  freed();
  cancelled();
  many_at_once();
  asks_in_vain();
  completed_in_every_way();
  if (rank == 0) printf("overlapped ok\n");
  MPI_Finalize();
  return 0;
}
