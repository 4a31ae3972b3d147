/* Whether this MPI's ranks leave their cores to others while they wait.
 *
 * Knows nothing of Stretto. Prints "yields 0" or "yields 1" on rank 0, "yields unknown" where the
 * MPI has no such setting. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

/* MPICH's, by the tool interface. */
static int throttle(void) {
  int level, index, count, value = -1;
  MPI_T_cvar_handle handle;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  if (MPI_T_cvar_get_index("MPIR_CVAR_CH4_PROGRESS_THROTTLE", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
    MPI_T_cvar_read(handle, &value);
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return value;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* open_mpi = dlsym(RTLD_DEFAULT, "opal_progress_yield_when_idle");
  const int yields = open_mpi != NULL ? *open_mpi : throttle();
  if (rank == 0 && yields < 0) printf("yields unknown\n");
  if (rank == 0 && yields >= 0) printf("yields %d\n", yields);
  MPI_Finalize();
  return 0;
}
