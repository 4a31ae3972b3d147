/* A program that does not come to MPI_Finalize.
 *
 * Usage: unfinished HOW, which rank 1 does after a hundred allreduces:
 *   aborts      calls MPI_Abort
 *   crashes     writes where no memory is
 *   overflows   calls itself until its stack is used up
 *   stays       the same, with a handler and an alternate stack that it had before MPI_Init, and
 *               which end it with code 5
 *   gives up    calls abort(), after it has nobody handle that, as Fortran's does
 *   exits       calls exit(3)
 *   terminated  gets a SIGTERM, as from a batch system
 *   handles     the same, for which it has a handler, which ends it with code 5
 *   hangs       waits for good, while the others wait for it in a barrier
 *   finalizes   what it does otherwise
 *   relies      the same, with a handler set after MPI_Init that runs on the stack it finds there
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

static int* volatile nowhere = NULL;
static volatile int stop = 0;

static void own_handler(int number) {
  (void)number;
  _exit(5);
}

static char own_stack[1 << 16];

static void on_own_stack(int number) {
  char here = (char)number;
  _exit(&here >= own_stack && &here < own_stack + sizeof own_stack ? 5 : 6);
}

static void handle_overflows(void) {
  const stack_t own = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
  struct sigaction action = {.sa_handler = on_own_stack, .sa_flags = SA_ONSTACK};
  CHECK(sigaltstack(&own, NULL) == 0);
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
}

static int has_alternate_stack(void) {
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0);
  return (now.ss_flags & SS_DISABLE) == 0;
}

static void rely_on_stack(void) {
  struct sigaction action = {.sa_handler = own_handler, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
}

static int deeper(const volatile char* before) {
  volatile char here[4096];
  here[0] = *before;
  return stop ? 0 : deeper(here) + here[0];
}

/* Of a stack of one megabyte: some systems limit none. */
static void overflow(void) {
  const struct rlimit megabyte = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
  const char first = 0;
  setrlimit(RLIMIT_STACK, &megabyte);
  exit(deeper(&first));
}

static void end_as(const char* how) {
  if (strcmp(how, "aborts") == 0) {
    MPI_Abort(MPI_COMM_WORLD, 9);
    for (;;) pause(); /* MPICH may come back from it before the launcher ends the rank. */
  }
  if (strcmp(how, "crashes") == 0) *nowhere = 1;
  if (strcmp(how, "overflows") == 0 || strcmp(how, "stays") == 0) overflow();
  if (strcmp(how, "gives up") == 0) {
    signal(SIGABRT, SIG_DFL);
    abort();
  }
  if (strcmp(how, "exits") == 0) exit(3);
  if (strcmp(how, "handles") == 0) signal(SIGTERM, own_handler);
  if (strcmp(how, "handles") == 0 || strcmp(how, "terminated") == 0) kill(getpid(), SIGTERM);
  if (strcmp(how, "hangs") == 0) {
    printf("unfinished: hangs\n"), fflush(stdout);
    for (;;) pause();
  }
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "stays") == 0) handle_overflows();
  const int had_stack = has_alternate_stack();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc == 2);
  const int relies = strcmp(argv[1], "relies") == 0;
  const int has_stack = relies ? has_alternate_stack() : had_stack;
  if (relies) rely_on_stack();
  for (int i = 0; i < 100; ++i) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size);
  }
  if (rank == 1) end_as(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  CHECK(has_alternate_stack() == has_stack);
  return 0;
}
