/* An MPI that counts the messages that each rank begins to send with MPI_Isend, its own left out.
 * In the end rank N writes their number to the file sent-N of the folder that SENT_MESSAGES names.
 *
 * To be preloaded, behind Stretto; its file has the name of the MPI's so that it is taken for that.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long sent;

int PMPI_Isend(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q) {
  int (*const real)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) =
      (int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))dlsym(
          RTLD_NEXT, "PMPI_Isend");
  ++sent;
  return real(b, n, t, to, tag, c, q);
}

int PMPI_Finalize(void) {
  int (*const real)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
  char path[4096];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/sent-%d", getenv("SENT_MESSAGES"), rank);
  FILE* const file = fopen(path, "w");
  if (file != NULL) {
    fprintf(file, "%ld\n", sent);
    fclose(file);
  }
  return real();
}
