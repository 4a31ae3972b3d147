/* Two groups become one communicator, and one of them holds a rank of another MPI_COMM_WORLD that
 * the other has never heard of. Four ranks; the program starts itself once more, as the fifth. */
#include <mpi.h>
#include <stdio.h>

#include "check.h"

enum { TAG = 7, PARENTS = 4, ALL = 5, ROUNDS = 3 };

/* Of an intracommunicator of `ranks` ranks. */
static void use(MPI_Comm comm, int ranks) {
  int here = 0;
  MPI_Comm_size(comm, &here);
  CHECK(here == ranks);
  for (int round = 0; round < ROUNDS; ++round) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == ranks);
    MPI_Barrier(comm);
  }
}

/* Between two groups: each gets the other's sum. */
static void use_both(MPI_Comm groups) {
  int others = 0;
  MPI_Comm_remote_size(groups, &others);
  for (int round = 0; round < ROUNDS; ++round) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, groups);
    CHECK(sum == others);
    MPI_Barrier(groups);
  }
}

/* What is made of the two, and what of that. `parent`: was not started by another. */
static void together(MPI_Comm group, int is_first, int parent) {
  MPI_Comm groups, all, copy, part;
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, is_first ? 2 : 0, TAG, &groups);
  use(group, is_first ? 2 : ALL - 2);
  use_both(groups);
  MPI_Intercomm_merge(groups, !is_first, &all);
  use(all, ALL);
  MPI_Comm_dup(all, &copy);
  use(copy, ALL);
  /* None of them is foreign to the others here. */
  MPI_Comm_split(all, parent, 0, &part);
  use(part, parent ? PARENTS : 1);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&all);
  MPI_Comm_free(&groups);
}

static void run_child(MPI_Comm parents) {
  MPI_Comm group;
  MPI_Intercomm_merge(parents, 1, &group);
  together(group, 0, 0);
  MPI_Comm_free(&group);
  MPI_Comm_disconnect(&parents);
}

static void run_parent(char* self) {
  const int is_first = rank < 2;
  MPI_Comm pair, group, children, copy, part;
  MPI_Comm_split(MPI_COMM_WORLD, is_first, rank, &pair);
  if (is_first) {
    MPI_Comm_dup(pair, &group);
  } else {
    MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, pair, &children, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &group);
  }
  together(group, is_first, 1);
  MPI_Comm_free(&group);
  if (!is_first) MPI_Comm_disconnect(&children);
  /* Where all are of one MPI_COMM_WORLD. */
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  use(copy, PARENTS);
  MPI_Comm_split(copy, rank % 2, rank, &part);
  use(part, 2);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&pair);
  if (rank == 0) puts("foreign ranks ok");
}

int main(int argc, char** argv) {
  MPI_Comm parents;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&parents);
  if (parents != MPI_COMM_NULL) {
    run_child(parents);
  } else {
    CHECK(size == PARENTS);
    run_parent(argv[0]);
  }
  MPI_Finalize();
  return 0;
}
