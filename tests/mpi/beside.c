/* What a library that works beside the program must leave as it is.
 *
 *   buffer    an operation with a buffer of its own, in a program with one thread
 *   rounding  sums, by the rounding that the program has set
 *   stuck     a thread waits in an operation for another, which waits for a collective (3 ranks)
 *   handlers  two threads make communicators; MPI_COMM_WORLD has a handler of the program's
 *   finalize  a collective in a function that MPI_Finalize calls, which others call before
 *   busy      nonblocking collectives and messages in such a function
 *   fails     such a function fails; prints the names of the threads that are left
 *   follows   the handler of a communicator without one is MPI_COMM_WORLD's (not with Open MPI)
 *   between   reductions between groups, of operations that not all ranks know (4 ranks)
 *
 * Knows nothing of Stretto. Prints "beside ok" on rank 0. */
#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { kCount = 1 << 18, kRounds = 30, kMade = 100 };

static int ones[kCount], sums[kCount], thousands[kCount], others[kCount], buffer[kCount];

static void pause_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void add_in_buffer(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  memcpy(buffer, in, (size_t)*count * sizeof(int));
  for (int i = 0; i < *count; ++i) buffer[i] += ((int*)inout)[i];
  memcpy(inout, buffer, (size_t)*count * sizeof(int));
}

/* One of the two may be the MPI's own, and runs the operation meanwhile. */
static void two_at_a_time(void) {
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

static void handle(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  (void)error;
}

/* A handler may give a communicator another one, also where a call that gives one fails. */
static void give_another(MPI_Comm* on, int* error, ...) {
  (void)error;
  MPI_Comm_set_errhandler(*on, MPI_ERRORS_RETURN);
}

static void again(void) {
  MPI_Errhandler mine, now;
  MPI_Comm_create_errhandler(give_another, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL); /* MPICH returns MPI_SUCCESS */
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  CHECK(now == MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&mine);
}

static void* make(void* from) {
  MPI_Group group;
  MPI_Comm made;
  MPI_Comm_group(*(MPI_Comm*)from, &group);
  for (int i = 0; i < kMade; ++i) {
    MPI_Comm_create(*(MPI_Comm*)from, group, &made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&group);
  return NULL;
}

static void handlers(void) {
  MPI_Group group;
  MPI_Errhandler mine, now;
  pthread_t thread;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  /* Not duplicates, which would have a handler of their own. */
  for (int i = 0; i < 2; ++i) MPI_Comm_create(MPI_COMM_WORLD, group, &comms[i]);
  MPI_Group_free(&group);
  MPI_Comm_create_errhandler(handle, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
  pthread_create(&thread, NULL, make, &comms[1]);
  make(&comms[0]);
  pthread_join(thread, NULL);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  CHECK(now == mine);
  MPI_Errhandler_free(&now);
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
}

/* More pairs than Stretto remembers that the MPI takes. */
static void* reduce_pairs(void* argument) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                        MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  const MPI_Datatype types[] = {
      MPI_INT,         MPI_LONG,           MPI_SHORT,        MPI_UNSIGNED,  MPI_UNSIGNED_LONG,
      MPI_INT8_T,      MPI_INT16_T,        MPI_INT32_T,      MPI_INT64_T,   MPI_UINT8_T,
      MPI_UINT16_T,    MPI_UINT32_T,       MPI_UINT64_T,     MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
      MPI_SIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR};
  const MPI_Datatype reals[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE};
  long double from = 0;
  long double to;
  (void)argument;
  for (size_t o = 0; o < sizeof ops / sizeof *ops; ++o) {
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
      MPI_Allreduce(&from, &to, 1, types[t], ops[o], MPI_COMM_SELF);
    }
    for (size_t t = 0; t < (o < 4 ? sizeof reals / sizeof *reals : 0); ++t) {
      MPI_Allreduce(&from, &to, 1, reals[t], ops[o], MPI_COMM_SELF);
    }
  }
  return NULL;
}

/* Other threads' copies of MPI_COMM_WORLD and handlers given to it are as the program made them. */
static void copies(void) {
  pthread_t thread;
  MPI_Errhandler mine, now;
  MPI_Comm copy;
  MPI_Comm_create_errhandler(handle, &mine);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  pthread_create(&thread, NULL, make, &comms[0]);
  for (int i = 0; i < kMade; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_errhandler(copy, &now);
    CHECK(now == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&copy);
  }
  pthread_join(thread, NULL);
  for (int round = 0; round < 3 * kMade; ++round) {
    MPI_Errhandler given = MPI_ERRORS_ARE_FATAL;
    pthread_create(&thread, NULL, reduce_pairs, NULL);
    for (int i = 0; i < 4 * round; ++i) {
      given = i % 2 != 0 ? mine : MPI_ERRORS_ARE_FATAL;
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, given);
    }
    pthread_join(thread, NULL);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    CHECK(round == 0 || now == given);
    if (now == mine) MPI_Errhandler_free(&now);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&comms[0]);
}

static void* sum_late(void* argument) {
  int sum = 0;
  (void)argument;
  if (rank > 0) pause_ms(2000);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[0]);
  return NULL;
}

/* Its handler ends the job, though another thread waits in a collective for a late rank. */
static void swallows(void) {
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  pthread_create(&thread, NULL, sum_late, NULL);
  pause_ms(500);
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
}

static void sum_of_ranks(void) {
  MPI_Request request;
  int sum = 0;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size * (size - 1) / 2);
  if (rank == 0) printf("beside ok\n");
}

static int last(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm;
  (void)keyval;
  (void)value;
  (void)extra;
  sum_of_ranks();
  return MPI_SUCCESS;
}

static void call_in_finalize(MPI_Comm_delete_attr_function* function) {
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
}

static void finalize(void) {
  if (rank != 0) return sum_of_ranks();
  call_in_finalize(last);
}

enum { kLong = 1 << 20, kMessage = 1 << 16 };

static int work_meanwhile(MPI_Comm comm, int keyval, void* value, void* extra) {
  static char vectors[4][kLong], out[kMessage], in[kMessage];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Request requests[4];
  (void)comm, (void)keyval, (void)value, (void)extra;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 4; ++i) {
      const int root = (round + i) % size;
      memset(vectors[i], rank == root ? round + i : -1, kLong);
      MPI_Ibcast(vectors[i], kLong, MPI_CHAR, root, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 20; ++i) {
      MPI_Sendrecv(out, kMessage, MPI_CHAR, next, 1, in, kMessage, MPI_CHAR, previous, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; ++i) CHECK(vectors[i][0] == round + i);
    for (int i = 0; i < 4; ++i) CHECK(vectors[i][kLong - 1] == round + i);
  }
  return MPI_SUCCESS;
}

static int fail(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  return MPI_ERR_OTHER;
}

static void fails(void) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  sum_of_ranks();
  call_in_finalize(fail);
}

static void print_threads(void) {
  struct dirent* entry;
  DIR* const threads = opendir("/proc/self/task");
  while (threads != NULL && (entry = readdir(threads)) != NULL) {
    char path[300], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* const file = fopen(path, "r");
    if (file == NULL) continue;
    if (fgets(name, sizeof name, file) != NULL) printf("thread %s", name);
    fclose(file);
  }
  closedir(threads);
}

static void follows(void) {
  MPI_Group group;
  MPI_Comm made;
  int one = 1, sum = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &made);
  MPI_Group_free(&group);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&one, 1, MPI_INT, size, 0, made) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&made);
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

int main(int argc, char** argv) {
  int provided;
  const char* const which = argc > 1 ? argv[1] : "";
  const int threads = strcmp(which, "stuck") == 0 || strcmp(which, "handlers") == 0 ||
                      strcmp(which, "copies") == 0 || strcmp(which, "swallows") == 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(which, "buffer") == 0) two_at_a_time();
  if (strcmp(which, "rounding") == 0) rounding();
  if (strcmp(which, "stuck") == 0) stuck();
  if (strcmp(which, "handlers") == 0) handlers();
  if (strcmp(which, "copies") == 0) copies();
  if (strcmp(which, "again") == 0) again();
  if (strcmp(which, "swallows") == 0) swallows();
  if (strcmp(which, "busy") == 0) call_in_finalize(work_meanwhile);
  if (strcmp(which, "fails") == 0) fails();
  if (strcmp(which, "follows") == 0) follows();
  if (strcmp(which, "between") == 0) between();
  if (strcmp(which, "finalize") == 0) {
    finalize();
  } else if (rank == 0) {
    printf("beside ok\n");
  }
  MPI_Finalize();
  if (strcmp(which, "fails") == 0) print_threads();
  return 0;
}
