/* What a number among the MPI's control variables is in a running program.
 *
 * Knows nothing of Stretto. Usage: control_variable NAME
 * Prints "NAME 123" on rank 0, "NAME unknown" where the MPI has none of that name. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, level, index, count;
  unsigned long long value = 0; /* as wide as any: the MPI fills in the low bytes */
  MPI_T_cvar_handle handle;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  const int known = argc > 1 && MPI_T_cvar_get_index(argv[1], &index) == MPI_SUCCESS &&
                    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS;
  if (known) MPI_T_cvar_read(handle, &value), MPI_T_cvar_handle_free(&handle);
  if (rank == 0 && known) printf("%s %llu\n", argv[1], value);
  if (rank == 0 && !known) printf("%s unknown\n", argc > 1 ? argv[1] : "");
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
