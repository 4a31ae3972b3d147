/* One-sided communication in each of its ways: what `stretto profile` must count of it.
 *
 * Calls are found by the functions they are in. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 10, COUNT = 100 };

static int rank, size, next;
static double mine[COUNT], theirs[COUNT], *shared;

static void fences(MPI_Win window) {
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Win_fence(0, window);
    MPI_Put(mine, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Get(theirs, COUNT / 2, MPI_DOUBLE, next, 0, COUNT / 2, MPI_DOUBLE, window);
    MPI_Put(mine, COUNT, MPI_DOUBLE, MPI_PROC_NULL, 0, COUNT, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
}

static void locks(MPI_Win window) {
  long one = 1, old = 0, other = 2;
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Accumulate(mine, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(next, window);
    MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, theirs, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE,
                       MPI_NO_OP, window);
    MPI_Win_flush_all(window);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, next, 0, MPI_SUM, window);
    MPI_Compare_and_swap(&one, &other, &old, MPI_LONG, next, 0, window);
    MPI_Win_flush_local_all(window);
  }
  MPI_Win_unlock_all(window);
}

static void requests(MPI_Win window) {
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request request;
    MPI_Rput(mine, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(next, window);
    MPI_Rget(theirs, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock(next, window);
}

/* A window of another communicator. */
static void halves(void) {
  MPI_Comm half;
  MPI_Win window;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
  MPI_Win_create(mine, sizeof mine, sizeof(double), MPI_INFO_NULL, half, &window);
  MPI_Win_fence(0, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  MPI_Win window;
  MPI_Win_allocate(sizeof mine, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  fences(window);
  locks(window);
  MPI_Barrier(MPI_COMM_WORLD);
  requests(window);
  MPI_Win_free(&window);
  halves();
  if (rank == 0) printf("onesided ok\n");
  MPI_Finalize();
  return 0;
}
