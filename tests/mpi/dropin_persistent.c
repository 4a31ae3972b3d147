/* An MPI-4 program that uses persistent collectives, linked with the drop-in so that it
 * builds and runs on an MPI that has none. Prints "persistent ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "stretto/mpi4.h"

enum { ROUNDS = 4, LENGTH = 1000, MOST = 16 };

static int value(int from, int round, int i) { return 10000 * from + 1000 * round + i % 100; }

static int sum(int round, int i) {
  int all = 0;
  for (int r = 0; r < size; ++r) all += value(r, round, i);
  return all;
}

static int types_freed;
static int count_freed(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++types_freed;
  return MPI_SUCCESS;
}

/* Three of them, started in an order of each rank's own, each round. */
static void any_order(void) {
  int sum_in[LENGTH], sum_out[LENGTH], from_root[LENGTH], mine[MOST], all[MOST];
  const int root = size - 1;
  MPI_Datatype gaps; /* every other int */
  MPI_Request requests[3];
  int* wide = calloc(2 * LENGTH, sizeof(int));
  MPI_Type_vector(LENGTH, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  int key;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_freed, &key, NULL);
  MPI_Type_set_attr(gaps, key, NULL);
  MPI_Allreduce_init(sum_in, sum_out, LENGTH, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[0]);
  /* The ranks describe the same ints by different types. */
  if (rank % 2 == 0)
    MPI_Bcast_init(wide, 1, gaps, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  else
    MPI_Bcast_init(from_root, LENGTH, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Type_free(&gaps);
  MPI_Alltoall_init(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  int flag = 0;
#ifdef OPEN_MPI /* MPICH 5.0 does not count an inactive persistent collective as complete */
  MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK(flag);
#endif
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < LENGTH; ++i) {
      sum_in[i] = value(rank, round, i);
      wide[2 * i] = from_root[i] = rank == root ? value(root, round, i) : -1;
    }
    for (int r = 0; r < size; ++r) mine[r] = value(rank, round, r);
    if (round == ROUNDS - 1) {
      MPI_Startall(3, requests);
    } else {
      if (rank == round % size) usleep(2000);
      for (int k = 0; k < 3; ++k) MPI_Start(&requests[(k + rank + round) % 3]);
    }
    for (int left = 3; left > 0; --left) {
      int index = -1;
      if (rank % 2 == 0) {
        MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
      } else {
        do MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
        while (!flag);
      }
      CHECK(index >= 0 && index < 3);
      CHECK(requests[index] != MPI_REQUEST_NULL);
    }
    int index = 0;
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
    for (int i = 0; i < LENGTH; ++i) {
      CHECK(sum_out[i] == sum(round, i));
      CHECK((rank % 2 == 0 ? wide[2 * i] : from_root[i]) == value(root, round, i));
    }
    for (int r = 0; r < size; ++r) CHECK(all[r] == value(r, round, rank));
  }
  for (int k = 0; k < 3; ++k) {
    MPI_Request_free(&requests[k]);
    CHECK(requests[k] == MPI_REQUEST_NULL);
  }
  CHECK(types_freed == 1); /* no later than what used it */
  MPI_Type_free_keyval(&key);
  free(wide);
}

static void latest(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i)
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
}

/* In place, on a communicator and with an operation that are freed before it starts. */
static void freed_early(void) {
  int data[MOST], counts[MOST];
  MPI_Comm comm;
  MPI_Op op;
  MPI_Request request;
  for (int r = 0; r < size; ++r) counts[r] = r == size - 1 ? 3 : 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Op_create(latest, 1, &op);
  MPI_Reduce_scatter_init(MPI_IN_PLACE, data, counts, MPI_INT, op, comm, MPI_INFO_NULL, &request);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < 3; ++i) data[i] = value(rank, round, i);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; rank == size - 1 && i < 3; ++i) CHECK(data[i] == value(rank, round, i));
  }
  MPI_Request_free(&request);
}

/* Among requests of other kinds. */
static void mixed(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int got = -1, in = rank, all = -1;
  MPI_Request requests[4];
  MPI_Recv_init(&got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Allreduce_init(&in, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Startall(3, requests);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(got == before && all == size - 1);
    CHECK(requests[2] != MPI_REQUEST_NULL && requests[3] == MPI_REQUEST_NULL);
    got = all = -1;
  }
  for (int k = 0; k < 3; ++k) MPI_Request_free(&requests[k]);
}

/* A freed one's handle may come back for a request of another kind. */
static void handles_used_again(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    int in = 1, all = 0, got = -1;
    MPI_Request request;
    MPI_Allreduce_init(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(all == size);
    MPI_Request_free(&request);
    MPI_Recv_init(&got, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &request);
    MPI_Start(&request);
    MPI_Send(&round, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == round);
    MPI_Request_free(&request);
  }
}

int main(int argc, char** argv) {
  int provided;
  /* With one thread the program's operation would be the MPI's affair, and Open MPI 4.1's own dies
   * of a communicator that is freed before it starts. */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  any_order();
  freed_early();
  mixed();
  handles_used_again();
  if (rank == 0) printf("persistent ok\n");
  MPI_Finalize();
  return 0;
}
