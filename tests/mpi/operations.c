/* Functions of the program's that MPI runs in the middle of a collective, and what they may do.
 *
 *   types     reductions whose operation makes, duplicates and frees datatypes, in every form
 *   lock      an operation that needs a lock which another thread holds while it calls MPI, as
 *             Python's operations do
 *   stack     an operation that needs as much stack as the main thread has
 *   attribute a datatype freed while it is in use, whose attribute calls collectives
 *   beneath   an operation of the MPI's own collective, which runs while others are under way
 *
 * Knows nothing of Stretto. Prints "operations ok" on rank 0; "stack", how often another thread
 * than main ran the operation, too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kCount = 1000, kRounds = 50 };

static int sent[kCount], received[kCount];
static atomic_int calls, calls_elsewhere;
static pthread_t main_thread;

static void pause_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void add(void* in, void* inout, int* count) {
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
  ++calls;
  if (!pthread_equal(pthread_self(), main_thread)) ++calls_elsewhere;
}

static void fill(void) {
  for (int i = 0; i < kCount; ++i) sent[i] = rank + i;
  memset(received, 0, sizeof received);
}

static void check_sums(void) {
  for (int i = 0; i < kCount; ++i) CHECK(received[i] == size * (size - 1) / 2 + size * i);
}

static void make_and_free(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Datatype copy, made;
  MPI_Type_dup(*type, &copy);
  MPI_Type_contiguous(3, copy, &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&copy);
  MPI_Type_free(&made);
  add(in, inout, count);
}

static void types(void) {
  MPI_Op op;
  MPI_Op_create(make_and_free, 1, &op);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request request;
    fill();
    MPI_Allreduce(sent, received, kCount, MPI_INT, op, MPI_COMM_WORLD);
    check_sums();
    fill();
    MPI_Iallreduce(sent, received, kCount, MPI_INT, op, MPI_COMM_WORLD, &request);
    if (round % 10 == 0) pause_ms(5);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sums();
  }
  MPI_Op_free(&op);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void locked(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  pthread_mutex_lock(&lock);
  add(in, inout, count);
  pthread_mutex_unlock(&lock);
}

/* Calls MPI with the lock held, but for what waits for other ranks. */
static void* hold_and_call(void* argument) {
  const MPI_Comm comm = *(MPI_Comm*)argument;
  for (int round = 0; round < 10 * kRounds; ++round) {
    MPI_Datatype type;
    MPI_Request requests[2];
    int flag, one = 1, sum = 0, value = rank;
    pthread_mutex_lock(&lock);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &requests[1]);
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
    pthread_mutex_unlock(&lock);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(sum == size && value == 0);
  }
  return NULL;
}

static void with_lock(void) {
  MPI_Op op;
  MPI_Comm other;
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Op_create(locked, 1, &op);
  CHECK(pthread_create(&thread, NULL, hold_and_call, &other) == 0);
  for (int round = 0; round < 10 * kRounds; ++round) {
    MPI_Request request;
    fill();
    MPI_Iallreduce(sent, received, kCount, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sums();
  }
  pthread_join(thread, NULL);
  MPI_Op_free(&op);
  MPI_Comm_free(&other);
}

static size_t deep_bytes;

static void deep(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  volatile char* const frame = __builtin_alloca(deep_bytes);
  for (size_t at = deep_bytes; at >= 4096; at -= 4096) frame[at - 1] = (char)at;
  add(in, inout, count);
}

static void stack(void) {
  MPI_Op op;
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  deep_bytes = limit.rlim_cur == RLIM_INFINITY ? (size_t)64 << 20 : limit.rlim_cur / 4 * 3;
  MPI_Op_create(deep, 1, &op);
  /* Rank 0 computes for as long as it takes another thread to be called. */
  for (int round = 0; round < kRounds && calls_elsewhere == 0; ++round) {
    MPI_Request request;
    fill();
    MPI_Iallreduce(sent, received, kCount, MPI_INT, op, MPI_COMM_WORLD, &request);
    for (int waits = 0; waits < 100 && calls_elsewhere == 0; ++waits) pause_ms(2);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sums();
    MPI_Allreduce(MPI_IN_PLACE, (void*)&calls_elsewhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Op_free(&op);
  if (rank == 0) printf("elsewhere %d\n", calls_elsewhere);
}

static atomic_int deleted;

static int on_delete(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)type, (void)keyval, (void)value, (void)extra;
  int one = 1, sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == 1);
  ++deleted;
  return MPI_SUCCESS;
}

static void attribute(void) {
  int keyval;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_delete, &keyval, NULL);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Datatype type;
    MPI_Request request;
    int value = 7 + round, got[2] = {rank == 0 ? value : 0, rank == 0 ? value : 0};
    MPI_Type_vector(2, 1, 1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_attr(type, keyval, &value);
    MPI_Ibcast(got, 1, type, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got[0] == value && got[1] == value);
  }
  /* The last may be freed at the end of a later call. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free_keyval(&keyval);
}

static void beneath(void) {
  MPI_Op op;
  MPI_Op_create(make_and_free, 1, &op);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request requests[2];
    int value = rank == 0 ? round : -1;
    fill();
    MPI_Ireduce(sent, received, kCount, MPI_INT, op, 0, MPI_COMM_WORLD, &requests[0]);
    if (rank == size - 1) pause_ms(2);
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(value == round);
    if (rank == 0) check_sums();
  }
  MPI_Op_free(&op);
}

int main(int argc, char** argv) {
  int provided;
  const char* const which = argc > 1 ? argv[1] : "";
  /* With one thread the operation must not run on another than main. */
  const int threads = strcmp(which, "attribute") != 0 && strcmp(which, "beneath") != 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  main_thread = pthread_self();
  if (strcmp(which, "types") == 0) types();
  if (strcmp(which, "lock") == 0) with_lock();
  if (strcmp(which, "stack") == 0) stack();
  if (strcmp(which, "attribute") == 0) attribute();
  if (strcmp(which, "beneath") == 0) beneath();
  if (rank == 0) printf("operations ok\n");
  MPI_Finalize();
  return 0;
}
