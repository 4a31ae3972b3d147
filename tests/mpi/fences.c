// Calls that one-sided communication and parallel files have in common: all ranks make them
// together, and block in them. Argument: how many rounds. Prints what a round took, by MPI_Wtime.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  int* memory = NULL;
  MPI_Win window;
  MPI_Win_allocate((MPI_Aint)sizeof(int), (int)sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  *memory = 0;
  MPI_Win_fence(0, window);
  double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
  }
  double end = MPI_Wtime();
  const int right = *memory == (rank + size - 1) % size;
  if (rank == 0) printf("fence_us %.2f\n", (end - begin) / rounds * 1e6);

  // Each rank is exposed to the next one.
  MPI_Group all, next, before;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Group_incl(all, 1, &to, &next);
  MPI_Group_incl(all, 1, &from, &before);
  for (int i = 0; i < rounds && size > 1; ++i) {
    MPI_Win_post(before, 0, window);
    MPI_Win_start(next, 0, window);
    MPI_Put(&i, 1, MPI_INT, to, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
  }
  const int passed_on = size == 1 || *memory == rounds - 1;
  MPI_Group_free(&all);
  MPI_Group_free(&next);
  MPI_Group_free(&before);
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window);
    int seen = 0;
    MPI_Get(&seen, 1, MPI_INT, to, 0, 1, MPI_INT, window);
    MPI_Win_flush(to, window);
    MPI_Win_unlock(to, window);
  }
  MPI_Win_free(&window);

  const char* name = argc > 2 ? argv[2] : "fences.out";
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  enum { kInts = 4096 };
  static int block[kInts], back[kInts];
  for (int i = 0; i < kInts; ++i) block[i] = rank * kInts + i;
  begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    const MPI_Offset at = (MPI_Offset)sizeof block * (i * size + rank);
    MPI_File_set_view(file, at, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, block, kInts, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 0, back, kInts, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Request request;
    MPI_File_iread_at(file, 0, back, kInts, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_File_sync(file);
  end = MPI_Wtime();
  MPI_File_close(&file);
  if (rank == 0) printf("write_us %.2f\n", (end - begin) / rounds * 1e6);
  if (rank == 0 && argc <= 2) remove(name);
  int wrong = right && passed_on && back[kInts - 1] == block[kInts - 1] ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(wrong == 0 ? "fences ok\n" : "fences wrong\n");
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
