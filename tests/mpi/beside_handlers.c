/* Error handlers as a library that works beside the program must leave them.
 *
 *   handlers  two threads make communicators; MPI_COMM_WORLD has a handler of the program's
 *   copies    the same of copies of MPI_COMM_WORLD, whose handler changes all the time
 *   again     a handler gives its communicator another one
 *   swallows  the handler of an error ends the job, though another thread waits for a late rank
 *   follows   the handler of a communicator without one is MPI_COMM_WORLD's (not with Open MPI) */
#include <pthread.h>

#include "beside.h"

enum { kMade = 100 };

static MPI_Comm comms[2];

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

static const Case cases[] = {
    {"handlers", handlers, MPI_THREAD_MULTIPLE}, {"copies", copies, MPI_THREAD_MULTIPLE},
    {"again", again, MPI_THREAD_SINGLE},         {"swallows", swallows, MPI_THREAD_MULTIPLE},
    {"follows", follows, MPI_THREAD_SINGLE},
};

int main(int argc, char** argv) {
  run_case(argc, argv, cases, sizeof cases / sizeof *cases);
  return 0;
}
