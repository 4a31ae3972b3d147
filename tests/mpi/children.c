/* Ranks that start other programs, in every way there is, while a collective is under way.
 *
 * Usage: children [again] [MPIRUN ...]   MPIRUN ...: a launcher and its arguments
 *        children alone|leaves           what a rank starts: an MPI program of its own, which
 *                                        finalizes, or does not
 *
 * "again" runs the program anew before MPI_Init, as some programs do to set their environment. The
 * last image of each rank is a shell: MPI is finalized by then. */
#define _GNU_SOURCE
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* Nothing of Stretto's came with it. */
#define CLEAN                                                                 \
  "test -z \"$LD_PRELOAD$STRETTO_RUN_LIFELINE$STRETTO_RUN_COUNTERS"           \
  "$STRETTO_PROFILE_FOLDER$STRETTO_WHATIF_FOLDER$STRETTO_WHATIF_RECORD\" && " \
  "! grep -q libstretto /proc/$$/maps"

extern char** environ;
static char** first_environment; /* a copy made before MPI_Init, as Python makes one */
static char* self;

enum { COUNT = 1 << 16 };
static int mine[COUNT], all[COUNT];

static int status_of(pid_t child) {
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_system(void) { return system(CLEAN); }

static int by_popen(void) {
  char line[16] = "";
  FILE* pipe = popen(CLEAN " && echo clean", "r");
  CHECK(pipe != NULL && fgets(line, sizeof line, pipe) != NULL);
  CHECK(strcmp(line, "clean\n") == 0);
  return pclose(pipe);
}

static int by_posix_spawn(void) {
  pid_t child;
  char* const argv[] = {"sh", "-c", CLEAN, NULL};
  CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) == 0);
  return status_of(child);
}

static int by_fork_and_exec(void) {
  const pid_t child = fork();
  if (child == 0) execl("/bin/sh", "sh", "-c", CLEAN, (char*)NULL);
  return status_of(child);
}

/* Its clocks are the real ones, its MPI is not the rank's any more, and exit() runs all that the
 * rank's would. */
static int by_fork_and_exit(void) {
  const pid_t child = fork();
  if (child == 0) {
    struct timespec before, now, after;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &before);
    clock_gettime(CLOCK_MONOTONIC, &now);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &after);
    const double b = (double)before.tv_sec * 1e9 + (double)before.tv_nsec;
    const double n = (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
    const double a = (double)after.tv_sec * 1e9 + (double)after.tv_nsec;
    exit(b <= n && n <= a ? 0 : 1);
  }
  return status_of(child);
}

static int by_fork_and_quit(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return status_of(child);
}

/* A daemon, which is alive after the rank is not. */
static int by_daemon(void) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      close(STDOUT_FILENO);
      close(STDERR_FILENO);
      sleep(2);
      exit(0);
    }
    exit(0);
  }
  return status_of(child);
}

/* Without what its launcher says to a rank, as no MPI lets two processes be one rank. */
static int without_launcher(char** from, char* const* argv) {
  const pid_t child = fork();
  if (child == 0) {
    static char* environment[4096];
    const char* const theirs[] = {
        "PMI",      "OMPI_COMM", "OMPI_MCA",     "OMPI_UNI",  "OMPI_FIRST", "OMPI_APP",
        "OMPI_NUM", "OMPI_ARGV", "OMPI_COMMAND", "OMPI_FILE", "HYD",        "MPI_L",
        "MPIR",     "ORTE",      "OPAL",         "PRTE",      "SLURM"};
    int kept = 0;
    for (char** each = from; *each != NULL && kept < 4095; ++each) {
      int is_theirs = 0;
      for (size_t i = 0; i < sizeof theirs / sizeof *theirs; ++i) {
        is_theirs |= strncmp(*each, theirs[i], strlen(theirs[i])) == 0;
      }
      if (!is_theirs) environment[kept++] = *each;
    }
    environment[kept] = NULL;
    execve(argv[0], argv, environment);
    _exit(127);
  }
  return status_of(child);
}

static int by_mpi_program(void) {
  char* const argv[] = {self, "alone", NULL};
  return rank == 0 ? without_launcher(environ, argv) : 0;
}

static int by_mpi_program_of_the_first_environment(void) {
  char* const argv[] = {self, "leaves", NULL};
  return rank == 0 ? without_launcher(first_environment, argv) : 0;
}

static char** launcher;

static int by_mpirun(void) {
  return rank == 0 && launcher[0] != NULL ? without_launcher(environ, launcher) : 0;
}

static void pending(const char* name, int (*start)(void)) {
  MPI_Request request;
  for (int i = 0; i < COUNT; ++i) mine[i] = rank + i;
  MPI_Iallreduce(mine, all, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  const int status = start();
  if (status != 0) fprintf(stderr, "rank %d: %s ended with %d\n", rank, name, status);
  CHECK(status == 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < COUNT; ++i) CHECK(all[i] == size * (size - 1) / 2 + size * i);
}

static int run_alone(int finalizes) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size);
  if (finalizes) MPI_Finalize();
  return 0;
}

int main(int argc, char** argv) {
  self = argv[0];
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "alone") == 0) return run_alone(1);
  if (strcmp(what, "leaves") == 0) _exit(run_alone(0));
  if (strcmp(what, "again") == 0) {
    argv[1] = argv[0];
    execv(argv[0], argv + 1);
  }
  int variables = 0;
  while (environ[variables] != NULL) ++variables;
  first_environment = calloc((size_t)variables + 1, sizeof *first_environment);
  for (int i = 0; i < variables; ++i) first_environment[i] = strdup(environ[i]);
  launcher = argv + 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pending("system", by_system);
  pending("popen", by_popen);
  pending("posix_spawn", by_posix_spawn);
  pending("exec", by_fork_and_exec);
  pending("exit", by_fork_and_exit);
  pending("_exit", by_fork_and_quit);
  pending("daemon", by_daemon);
  pending("an MPI program", by_mpi_program);
  pending("an MPI program that leaves", by_mpi_program_of_the_first_environment);
  pending("mpirun", by_mpirun);
  if (rank == 0) puts("children ok");
  MPI_Finalize();
  fflush(stdout);
  execl("/bin/sh", "sh", "-c", CLEAN, (char*)NULL);
  return 1;
}
