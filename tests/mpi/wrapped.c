/* What a tool that wraps MPI's functions must see: calls of most kinds, each so many times whatever
 * the MPI is. Any number of ranks. Usage: wrapped FILE. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { ROUNDS = 3, COUNT = 1000 };

static int mine[COUNT], all[COUNT];

static void collectives(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(mine, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(mine, all, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all[1] == size * mine[1]);
    MPI_Reduce(mine, all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Request both[2];
    MPI_Iallreduce(mine, all, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &both[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    CHECK(all[1] == size * mine[1]);
  }
}

static void messages(void) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int in = -1;
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request both[2];
    MPI_Irecv(&in, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Wait(&both[0], MPI_STATUS_IGNORE);
    MPI_Wait(&both[1], MPI_STATUS_IGNORE);
    CHECK(in == previous);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

/* A callback of the program's that calls MPI while another call is under way. */
static int on_delete(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval, (void)value, (void)extra;
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size);
  return MPI_SUCCESS;
}

static void communicators(void) {
  int keyval;
  MPI_Comm copy;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_attr(copy, keyval, NULL);
  MPI_Bcast(mine, 1, MPI_INT, 0, copy);
  MPI_Comm_free(&copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&keyval);
}

static void file_and_window(const char* name) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Win window;
  MPI_Win_create(mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < COUNT; ++i) mine[i] = i;
  MPI_Pcontrol(1, 42);
  collectives();
  messages();
  communicators();
  if (argc > 1) file_and_window(argv[1]);
  if (rank == 0) puts("wrapped ok");
  MPI_Finalize();
  return 0;
}
