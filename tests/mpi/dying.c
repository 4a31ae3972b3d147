/* A rank that comes to an end in the middle of a collective.
 *
 * Usage: dying HOW WHAT [RANK]
 *   HOW   killed, exits, quits (exit code 0), aborts, stops (SIGSTOP, for good), or pauses
 *         (SIGSTOP, for two seconds)
 *   WHAT  blocking or nonblocking, or outside: after some blocking ones all ranks wait outside of
 *         MPI, which so cannot tell the others that one is gone
 *   RANK  who does it, 1 unless given
 *
 * All ranks run one collective after another, short and long. A timer ends the one rank
 * wherever it is by then. Prints "dying: begun" on rank 0 once the collectives run, and
 * "dying: survived" if they all went well. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

enum { LONG = 1 << 17, PER_ROUND = 20 };

static const char* how;

static void end_here(int number) {
  (void)number;
  if (strcmp(how, "killed") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "stops") == 0) kill(getpid(), SIGSTOP);
  if (strcmp(how, "pauses") == 0) {
    const pid_t me = getpid();
    if (fork() == 0) {
      sleep(2);
      kill(me, SIGCONT);
      _exit(0);
    }
    kill(me, SIGSTOP);
  }
  if (strcmp(how, "exits") == 0) _exit(7);
  if (strcmp(how, "quits") == 0) _exit(0);
  if (strcmp(how, "aborts") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
}

static void blocking(int* in, int* out) {
  for (int i = 0; i < PER_ROUND; ++i) {
    const int count = i % 4 == 0 ? LONG : 1;
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(out[count - 1] == size);
    MPI_Bcast(in, count, MPI_INT, i % size, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void nonblocking(int* in, int* out) {
  for (int i = 0; i < PER_ROUND; ++i) {
    const int count = i % 4 == 0 ? LONG : 1;
    MPI_Request requests[2];
    MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    usleep(200);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(out[count - 1] == size);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc >= 3);
  how = argv[1];
  void (*round)(int*, int*) = strcmp(argv[2], "nonblocking") == 0 ? nonblocking : blocking;
  const int who = argc > 3 ? atoi(argv[3]) : 1;

  int *in = malloc(LONG * sizeof *in), *out = malloc(LONG * sizeof *out);
  for (int i = 0; i < LONG; ++i) in[i] = 1;
  round(in, out);
  if (rank == 0) printf("dying: begun\n"), fflush(stdout);
  if (rank == who) {
    signal(SIGALRM, end_here);
    const struct itimerval soon = {.it_value = {.tv_usec = 150000}};
    setitimer(ITIMER_REAL, &soon, NULL);
  }
  while (strcmp(argv[2], "outside") == 0) pause();
  /* As long as it takes: all of them see whether the one is still there. */
  const double start = MPI_Wtime(), most_s = strcmp(how, "pauses") == 0 ? 1.0 : 100.0;
  for (int go_on = 1; go_on;) {
    round(in, out);
    go_on = MPI_Wtime() - start < most_s;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("dying: survived\n");
  free(in), free(out);
  MPI_Finalize();
  return 0;
}
