/* Operations as a library that works beside the program must leave them.
 *
 *   buffer    an operation with a buffer of its own, in a program with one thread
 *   rounding  sums, by the rounding that the program has set
 *   stuck     a thread waits in an operation for another, which waits for a collective (3 ranks)
 *   between   reductions between groups, of operations that not all ranks know (4 ranks) */
#include "beside.h"

#include <fenv.h>
#include <pthread.h>

enum { kCount = 1 << 18, kRounds = 30 };

static int ones[kCount], sums[kCount], thousands[kCount], others[kCount], buffer[kCount];

static void add_in_buffer(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  memcpy(buffer, in, (size_t)*count * sizeof(int));
  for (int i = 0; i < *count; ++i) buffer[i] += ((int*)inout)[i];
  memcpy(inout, buffer, (size_t)*count * sizeof(int));
}

/* One of the two may be the MPI's own, and runs the operation meanwhile. */
static void buffers(void) {
  MPI_Op op;
  MPI_Op_create(add_in_buffer, 1, &op);
  for (int i = 0; i < kCount; ++i) {
    ones[i] = 1;
    thousands[i] = 1000;
  }
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request request;
    MPI_Iallreduce(ones, sums, kCount, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Allreduce(thousands, others, kCount, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < kCount; ++i) CHECK(sums[i] == size && others[i] == 1000 * size);
  }
  MPI_Op_free(&op);
}

static void rounding(void) {
  const double mine = rank == 0 ? 1.0 : 1e-17;
  fesetround(FE_UPWARD);
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    pause_ms(3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum > 1.0);
  }
  fesetround(FE_TONEAREST);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm comms[2];

static void add_with_lock(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  pthread_mutex_lock(&held);
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
  pthread_mutex_unlock(&held);
}

static void* sum_with_lock(void* argument) {
  MPI_Op op;
  MPI_Request request;
  int one = 1, sum = 0;
  MPI_Op_create(add_with_lock, 1, &op);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, comms[0], &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size);
  MPI_Op_free(&op);
  return argument;
}

/* Rank 1 holds the lock until the others, which need it for the second sum, have that. */
static void stuck(void) {
  pthread_t thread;
  MPI_Request request;
  int sum = 0, nothing = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  if (rank == 1) pthread_mutex_lock(&held);
  if (rank == 1) MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[1], &request);
  pthread_create(&thread, NULL, sum_with_lock, NULL);
  if (rank == 1) {
    MPI_Recv(&nothing, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&held);
  } else {
    pause_ms(500); /* rank 1's other thread is in the operation by now */
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[1], &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size * (size - 1) / 2);
  if (rank == 0) MPI_Send(&nothing, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
}

static void add_ints(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/* Ranks 0 and 1 are one group: rank 0 is the root, rank 1 has nothing to do with a reduction. */
static void reduce_between(MPI_Comm groups, MPI_Op op, MPI_Op bystanders) {
  const int mine = rank + 1, root = rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0;
  int sum = 0;
  MPI_Request request;
  MPI_Ireduce(&mine, &sum, rank == 1 ? 0 : 1, MPI_INT, rank == 1 ? bystanders : op, root, groups,
              &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(rank != 0 || sum == 3 + 4);
}

static void between(void) {
  const int mine = rank + 1, first = rank < 2;
  MPI_Op own;
  MPI_Comm group, groups, apart; /* a bystander does not count Open MPI's, which then hangs */
  MPI_Op_create(add_ints, 1, &own);
  MPI_Comm_split(MPI_COMM_WORLD, first, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, first ? 2 : 0, 0, &groups);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, first ? 2 : 0, 1, &apart);
  for (int round = 0; round < 3; ++round) {
    MPI_Request request;
    int sum = 0;
#if !defined(OPEN_MPI) /* which wants one of all ranks */
    reduce_between(groups, MPI_SUM, MPI_OP_NULL);
#endif
    reduce_between(groups, MPI_SUM, own);
    reduce_between(groups, own, MPI_SUM);
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, first ? own : MPI_SUM, apart, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == (first ? 3 + 4 : 1 + 2));
  }
  MPI_Comm_free(&apart);
  MPI_Comm_free(&groups);
  MPI_Comm_free(&group);
  MPI_Op_free(&own);
}

static const Case cases[] = {
    {"buffer", buffers, MPI_THREAD_SINGLE},
    {"rounding", rounding, MPI_THREAD_SINGLE},
    {"stuck", stuck, MPI_THREAD_MULTIPLE},
    {"between", between, MPI_THREAD_SINGLE},
};

int main(int argc, char** argv) {
  run_case(argc, argv, cases, sizeof cases / sizeof *cases);
  return 0;
}
