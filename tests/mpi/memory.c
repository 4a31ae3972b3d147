/* What depends on where a program's data are: prints by MPI_Wtime, in virtual seconds, what rank 0
 * takes for
 *
 *   combined       an allreduce whose operation touches fresh memory, and a barrier
 *   combined_again the same without
 *   fresh          a message into memory that nobody has touched
 *   touched        the same again
 *   nothing        another into fresh memory that it touches itself before, with that
 *   warm           an allreduce right after another
 *   cold           one after other work
 *   from_cold      a nonblocking one, then
 *
 * and as `pages_...` how many the kernel found: for the operation all that it touches, for rank 0
 * receiving a message as many as the MPI leaves to the receiver. How many that are is a matter of
 * how it copies, and it may choose that by the processor. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

static long pages_found(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

/* No rank is late for what the kernel found for it before. */
static double begin_together(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

static char* to_touch; /* by the operation; null: nothing */

static void touch(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
  if (to_touch) memset(to_touch, 3, BYTES);
  to_touch = NULL;
}

/* The MPI chooses on which ranks it reduces; in the barrier rank 0 waits for them. */
static void combine(const char* what, MPI_Op op) {
  int one = 1, sum = 0;
  const double begin = begin_together();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  say(what, begin);
  CHECK(sum == size);
}

/* Says, too, how many pages the kernel found for rank 0 meanwhile. */
static void transfer(const char* what, char* sent, char* into, double begin) {
  const long before = pages_found();
  if (rank == 1) MPI_Send(sent, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(into, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const long pages = pages_found() - before;
  say(what, begin);
  if (rank == 0) printf("pages_%s %ld\n", what, pages);
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
  transfer("first", sent, sent, begin_together()); /* what the MPI needs itself it has now */

  MPI_Op op;
  MPI_Op_create(touch, 1, &op);
  combine("uncounted", op);
  to_touch = fresh_memory();
  combine("combined", op);
  combine("combined_again", op);
  MPI_Op_free(&op);
  if (rank == 0) printf("pages_combined %ld\n", BYTES / sysconf(_SC_PAGESIZE));

  char* const fresh = fresh_memory();
  transfer("fresh", sent, fresh, begin_together());
  transfer("touched", sent, fresh, begin_together());
  char* const own = fresh_memory();
  const double begin_own = begin_together();
  memset(own, 2, BYTES);
  transfer("nothing", sent, own, begin_own);
  CHECK(rank != 0 || (fresh[BYTES - 1] == 1 && own[0] == 1));

  double* const in = calloc(DOUBLES, sizeof *in);
  double* const out = calloc(DOUBLES, sizeof *out);
  double begin = 0;
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
