/* What depends on where a program's data are: prints by MPI_Wtime, in virtual seconds, what rank 0
 * takes for
 *
 *   fresh      a message into memory that nobody has touched
 *   touched    the same again
 *   nothing    another into fresh memory that it touches itself before, with that
 *   warm       an allreduce right after another
 *   cold       one after other work
 *   from_cold  a nonblocking one, then */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { BYTES = 4 << 20, DOUBLES = 64 << 10 };

static char* fresh_memory(void) {
  char* const memory =
      mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  madvise(memory, BYTES, MADV_NOHUGEPAGE);
  return memory;
}

static void say(const char* what, double begin) {
  const double took = MPI_Wtime() - begin;
  if (rank == 0) printf("%s %.9f\n", what, took);
}

static void transfer(char* sent, char* into) {
  if (rank == 1) MPI_Send(sent, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(into, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* For a millisecond or more. */
static void work(void) {
  volatile double sum = 0;
  for (int i = 0; i < 2000000; ++i) sum = sum + i;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size >= 2);
  char* const sent = malloc(BYTES);
  memset(sent, 1, BYTES);
  transfer(sent, sent); /* what the MPI needs itself it has now */

  char* const fresh = fresh_memory();
  double begin = MPI_Wtime();
  transfer(sent, fresh);
  say("fresh", begin);
  begin = MPI_Wtime();
  transfer(sent, fresh);
  say("touched", begin);
  char* const own = fresh_memory();
  begin = MPI_Wtime();
  memset(own, 2, BYTES);
  transfer(sent, own);
  say("nothing", begin);
  CHECK(rank != 0 || (fresh[BYTES - 1] == 1 && own[0] == 1));

  double* const in = calloc(DOUBLES, sizeof *in);
  double* const out = calloc(DOUBLES, sizeof *out);
  for (int i = 0; i < 4; ++i) {
    begin = MPI_Wtime();
    MPI_Allreduce(in, out, DOUBLES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  say("warm", begin);
  work();
  begin = MPI_Wtime();
  MPI_Allreduce(in, out, DOUBLES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  say("cold", begin);
  work();
  MPI_Request request;
  begin = MPI_Wtime();
  MPI_Iallreduce(in, out, DOUBLES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("from_cold", begin);
  MPI_Finalize();
  return 0;
}
