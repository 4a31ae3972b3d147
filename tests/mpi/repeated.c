/* Nonblocking collectives that are made again and again, some with what has been freed and made
 * anew meanwhile: MPIs give the same handles again. Knows nothing of Stretto.
 * Prints "repeated ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { ROUNDS = 60, MOST = 16, MANY = 12 };

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((const int*)in)[i];
}

static void take_most(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    if (((const int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((const int*)in)[i];
  }
}

static void wait_for(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

/* Of as many ints as the round says, by one handle or by others. */
static void types_that_are_freed(int round) {
  const int count = 1 + round % MOST;
  int data[MOST] = {0};
  for (int i = 0; i < MOST && rank == 0; ++i) data[i] = round + i;
  MPI_Datatype type;
  MPI_Request request;
  if (round % 3 == 0) {
    MPI_Type_vector(count, 1, 1, MPI_INT, &type);
  } else {
    MPI_Type_contiguous(count, MPI_INT, &type);
  }
  MPI_Type_commit(&type);
  MPI_Ibcast(data, 1, type, 0, MPI_COMM_WORLD, &request);
  wait_for(&request);
  MPI_Type_free(&type);
  for (int i = 0; i < MOST; ++i) CHECK(data[i] == (i < count || rank == 0 ? round + i : 0));
}

static void operations_that_are_freed(int round) {
  int mine[2] = {rank + round, -rank}, result[2] = {0, 0};
  const int most = round % 2;
  MPI_Op op;
  MPI_Request request;
  MPI_Op_create(most ? take_most : add, round % 4 < 2, &op);
  MPI_Iallreduce(mine, result, 2, MPI_INT, op, MPI_COMM_WORLD, &request);
  wait_for(&request);
  MPI_Op_free(&op);
  const int ranks = size * (size - 1) / 2;
  CHECK(result[0] == (most ? size - 1 + round : ranks + size * round));
  CHECK(result[1] == (most ? 0 : -ranks));
}

static void communicators_that_are_freed(int round) {
  MPI_Comm comm;
  MPI_Request request;
  int me, members, sum;
  MPI_Comm_split(MPI_COMM_WORLD, round % 2 ? rank % 2 : 0, round % 3 ? -rank : rank, &comm);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  for (int call = 0; call < 3; ++call) {
    const int mine = me + call;
    sum = -1;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    wait_for(&request);
    CHECK(sum == members * (members - 1) / 2 + call * members);
  }
  MPI_Comm_free(&comm);
}

/* The same calls with other buffers, in place or not, several at a time. */
static void buffers(int round) {
  int mine[MANY], sums[MANY], all[MANY][MOST];
  MPI_Request requests[2 * MANY];
  for (int i = 0; i < MANY; ++i) {
    mine[i] = rank + i + round;
    sums[i] = -1;
    MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2 * i]);
    all[i][rank] = mine[i];
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all[i], 1, MPI_INT, MPI_COMM_WORLD,
                   &requests[2 * i + 1]);
  }
  MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MANY; ++i) {
    CHECK(sums[i] == size * (size - 1) / 2 + size * (i + round));
    for (int r = 0; r < size; ++r) CHECK(all[i][r] == r + i + round);
  }
  MPI_Iallreduce(MPI_IN_PLACE, mine, MANY, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[0]);
  wait_for(&requests[0]);
  for (int i = 0; i < MANY; ++i) CHECK(mine[i] == size - 1 + i + round);
}

/* Each rank in turn. */
static void roots(int round) {
  const int root = round % size;
  int sum = -1, data[3] = {rank, rank, rank}, blocks[MOST];
  MPI_Request request;
  MPI_Ireduce(data, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request);
  wait_for(&request);
  CHECK(sum == (rank == root ? size * (size - 1) / 2 : -1));
  MPI_Ibcast(data, 2, MPI_INT, root, MPI_COMM_WORLD, &request);
  wait_for(&request);
  CHECK(data[0] == root && data[1] == root && data[2] == rank);
  memset(blocks, -1, sizeof blocks);
  MPI_Igather(&rank, 1, MPI_INT, blocks, 1, MPI_INT, root, MPI_COMM_WORLD, &request);
  wait_for(&request);
  for (int r = 0; r < size; ++r) CHECK(blocks[r] == (rank == root ? r : -1));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= MOST);
  for (int round = 0; round < ROUNDS; ++round) {
    types_that_are_freed(round);
    operations_that_are_freed(round);
    communicators_that_are_freed(round);
    buffers(round);
    roots(round);
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_for(&request);
  }
  if (rank == 0) printf("repeated ok\n");
  MPI_Finalize();
  return 0;
}
