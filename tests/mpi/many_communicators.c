/* Communicators that come and go by the thousand, with a collective on each.
 *
 * Usage: many_communicators CYCLES
 * Prints "rss_kib_early N" and "rss_kib_end N", the most of any rank after a tenth of the
 * cycles and after all of them, and "communicators ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { COUNT = 8 };

static long most_rss_kib(void) {
  long pages = 0, rss = 0, most = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &rss) == 2);
  fclose(file);
  rss *= sysconf(_SC_PAGESIZE) / 1024;
  MPI_Allreduce(&rss, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static void use(MPI_Comm comm) {
  int me, members, in[COUNT], sum[COUNT], all[COUNT];
  MPI_Request request;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  for (int i = 0; i < COUNT; ++i) in[i] = me + i;
  MPI_Allreduce(in, sum, COUNT, MPI_INT, MPI_SUM, comm);
  MPI_Iallreduce(in, all, COUNT, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < COUNT; ++i) {
    CHECK(sum[i] == members * (members - 1) / 2 + members * i && all[i] == sum[i]);
  }
}

/* In every way a communicator is made; one of them, in turn, is freed while something runs. */
static void cycle(int which) {
  MPI_Comm comm = MPI_COMM_NULL, cart = MPI_COMM_NULL;
  MPI_Group group;
  MPI_Request request = MPI_REQUEST_NULL;
  int dims = size, periods = 0, mine = 1, sum = 0;
  switch (which % 6) {
    case 0:
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
      break;
    case 1:
      MPI_Comm_group(MPI_COMM_WORLD, &group);
      MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
      MPI_Group_free(&group);
      break;
    case 2:
      MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 3:
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
      break;
    case 4:
      MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &cart);
      MPI_Comm_dup(cart, &comm);
      MPI_Comm_free(&cart);
      break;
    default:
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      break;
  }
  use(comm);
  if (which % 6 == 5) MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(which % 6 != 5 || sum == size);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int cycles = argc > 1 ? atoi(argv[1]) : 1000;
  CHECK(cycles >= 10);
  long early = 0;
  for (int i = 0; i < cycles; ++i) {
    if (i == cycles / 10) early = most_rss_kib();
    cycle(i);
  }
  const long end = most_rss_kib();
  if (rank == 0) printf("rss_kib_early %ld\nrss_kib_end %ld\ncommunicators ok\n", early, end);
  MPI_Finalize();
  return 0;
}
