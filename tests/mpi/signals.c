/* Signals that come all the time while collectives are under way.
 *
 * Handlers interrupt system calls (no SA_RESTART): a timer's, a profiler's, and those that a child
 * sends. None of them runs in a thread of Stretto's, not even one that the program blocks in its
 * own (the MPI's threads may take it). */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { COUNT = 1 << 15, ROUNDS = 40, LEAST = 20 };

static int mine[COUNT], all[COUNT];
static volatile sig_atomic_t alarms, profiled, sent, taken, ours;

static void handle(int number) {
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  if (strcmp(name, "stretto") == 0) ++ours;
  if (number == SIGALRM) ++alarms;
  if (number == SIGPROF) ++profiled;
  if (number == SIGUSR1) ++sent;
  if (number == SIGUSR2) ++taken;
}

static void collectives(int late) {
  for (int i = 0; i < COUNT; ++i) mine[i] = rank + i;
  MPI_Request request;
  MPI_Iallreduce(mine, all, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  const struct timespec time = {0, 1000000};
  if (rank == late) nanosleep(&time, NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < COUNT; ++i) CHECK(all[i] == size * (size - 1) / 2 + size * i);
  if (rank == late) nanosleep(&time, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(mine, all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(all[0] == size - 1);
}

static void interrupted(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGPROF, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  const pid_t me = getpid(), child = fork();
  if (child == 0) {
    const struct timespec time = {0, 300000};
    while (getppid() == me && kill(me, SIGUSR1) == 0) nanosleep(&time, NULL);
    _exit(0);
  }
  setitimer(ITIMER_REAL, &often, NULL);
  setitimer(ITIMER_PROF, &often, NULL);
  /* Whoever has had enough goes on as long as others have not. */
  for (int enough = 0, round = 0; !enough; ++round) {
    collectives(round % size);
    int mine_is = round >= ROUNDS && alarms >= LEAST && sent >= LEAST && profiled >= 1;
    MPI_Allreduce(&mine_is, &enough, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  setitimer(ITIMER_PROF, &never, NULL);
  kill(child, SIGKILL);
  int status;
  while (waitpid(child, &status, 0) != child) continue;
}

static void blocked(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR2, &action, NULL);
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  for (int i = 0; i < 3; ++i) {
    const int before = taken;
    kill(getpid(), SIGUSR2);
    collectives(i % size);
    sigpending(&pending);
    if (sigismember(&pending, SIGUSR2) == 1) {
      CHECK(sigwaitinfo(&set, NULL) == SIGUSR2);
    } else {
      CHECK(taken == before + 1);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  interrupted();
  blocked();
  CHECK(ours == 0);
  if (rank == 0) puts("signals ok");
  MPI_Finalize();
  return 0;
}
