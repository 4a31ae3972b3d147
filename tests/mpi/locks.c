/* Each rank says which thread level it has and, of Open MPI, whether it takes locks: its
 * opal_uses_threads, which Stretto switches. With an argument it asks for a level
 * (funneled: MPI_THREAD_FUNNELED; else MPI_THREAD_MULTIPLE). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int level, rank, provided = -1;
  if (argc > 1) {
    const int funneled = strcmp(argv[1], "funneled") == 0;
    const int required = funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
    MPI_Init_thread(&argc, &argv, required, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Query_thread(&level);
  const bool* takes_locks = dlsym(RTLD_DEFAULT, "opal_uses_threads");
  const char* locks = takes_locks == NULL ? "no switch" : *takes_locks ? "locks" : "no locks";
  printf("rank %d: level %d, provided %d, %s\n", rank, level, provided, locks);
  MPI_Finalize();
  return 0;
}
