/* MPI_Dist_graph_create after 18 to 27 nonblocking collectives on the same communicator. Among them
 * are the numbers after which Open MPI 4.1 sends its edges with the tags of its own messages: there
 * it hangs alone, most of the time.
 *
 * Knows nothing of Stretto. Prints "graphs ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>

#include "check.h"

enum { MANY = 2000, ROUNDS = 100 };

/* Rank 0 names all edges. The last rank has none and is done first, so that its next message
 * finds the others waiting for edges. */
static MPI_Comm ring_but_last(MPI_Comm comm) {
  static int sources[MANY], degrees[MANY], destinations[MANY];
  MPI_Comm made;
  for (int i = 0; i < MANY; ++i) {
    degrees[i] = 1;
    sources[i] = i % (size - 1);
    destinations[i] = (i + 1) % (size - 1);
  }
  MPI_Dist_graph_create(comm, rank == 0 ? MANY : 0, sources, degrees, destinations, degrees,
                        MPI_INFO_NULL, 0, &made);
  return made;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Comm comm, graph;
    int in = 0, out = 0, weighted = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 18 + round % 10; ++i) {
      MPI_Request request;
      MPI_Ibarrier(comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    graph = ring_but_last(comm);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(rank == size - 1 ? in == 0 && out == 0 : in > 0 && out > 0);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&comm);
  }
  if (rank == 0) printf("graphs ok\n");
  MPI_Finalize();
  return 0;
}
