/* A plain MPI program that checks what it gets from the neighbourhood collectives on
 * Cartesian, graph and distributed graph topologies, blocking and nonblocking.
 *
 * Knows nothing of Stretto. What leaves in one direction of a Cartesian topology must arrive
 * from the opposite one (MPI 4.1, 8.6), on a ring of two ranks and of one too: there the
 * nonblocking calls of Open MPI 4.1 and 5.0 alone are wrong. With the argument "blocking" it calls
 * no others. Prints "neighbors ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

enum { MOST = 64, LENGTH = 3 };
static int forms = 2; /* 1: the blocking ones alone */

/* What a rank sends over an edge it knows by this number. */
static int value(int from, int edge, int i) { return 10000 * from + 100 * edge + i; }

/* sources[k] sends over its edge edges[k]; every block of an edge e is e % LENGTH + 1 long in
 * the forms with counts. `in` and `out` are degrees. */
static void exchange(MPI_Comm comm, int in, const int* sources, const int* edges, int out) {
  int send[MOST * LENGTH], recv[MOST * LENGTH];
  int counts[MOST], displs[MOST], incounts[MOST], indispls[MOST];
  MPI_Aint bytes[MOST], inbytes[MOST];
  MPI_Datatype types[MOST];
  for (int k = 0; k < MOST; ++k) types[k] = MPI_INT;
  for (int i = 0; i < MOST * LENGTH; ++i) send[i] = value(rank, i / LENGTH, i % LENGTH);
  for (int nonblocking = 0; nonblocking < forms; ++nonblocking) {
    memset(recv, -1, sizeof recv);
    RUN(nonblocking, Neighbor_allgather, neighbor_allgather, send, LENGTH, MPI_INT, recv, LENGTH,
        MPI_INT, comm);
    for (int k = 0; k < in; ++k)
      for (int i = 0; i < LENGTH; ++i)
        CHECK(recv[k * LENGTH + i] == (sources[k] < 0 ? -1 : value(sources[k], 0, i)));

    memset(recv, -1, sizeof recv);
    RUN(nonblocking, Neighbor_alltoall, neighbor_alltoall, send, LENGTH, MPI_INT, recv, LENGTH,
        MPI_INT, comm);
    for (int k = 0; k < in; ++k)
      for (int i = 0; i < LENGTH; ++i)
        CHECK(recv[k * LENGTH + i] == (sources[k] < 0 ? -1 : value(sources[k], edges[k], i)));

    for (int k = 0; k < out; ++k) {
      counts[k] = k % LENGTH + 1;
      displs[k] = k * LENGTH;
      bytes[k] = displs[k] * (MPI_Aint)sizeof(int);
    }
    for (int k = 0; k < in; ++k) {
      incounts[k] = edges[k] % LENGTH + 1;
      indispls[k] = (in - 1 - k) * LENGTH;
      inbytes[k] = indispls[k] * (MPI_Aint)sizeof(int);
    }
    for (int typed = 0; typed < 2; ++typed) {
      memset(recv, -1, sizeof recv);
      if (typed)
        RUN(nonblocking, Neighbor_alltoallw, neighbor_alltoallw, send, counts, bytes, types, recv,
            incounts, inbytes, types, comm);
      else
        RUN(nonblocking, Neighbor_alltoallv, neighbor_alltoallv, send, counts, displs, MPI_INT,
            recv, incounts, indispls, MPI_INT, comm);
      for (int k = 0; k < in; ++k)
        for (int i = 0; i < LENGTH; ++i) {
          const int sent = sources[k] >= 0 && i < incounts[k];
          CHECK(recv[indispls[k] + i] == (sent ? value(sources[k], edges[k], i) : -1));
        }
    }

    for (int k = 0; k < in; ++k) incounts[k] = sources[k] < 0 ? 0 : sources[k] % LENGTH + 1;
    memset(recv, -1, sizeof recv);
    RUN(nonblocking, Neighbor_allgatherv, neighbor_allgatherv, send, rank % LENGTH + 1, MPI_INT,
        recv, incounts, indispls, MPI_INT, comm);
    for (int k = 0; k < in; ++k)
      for (int i = 0; i < LENGTH; ++i)
        CHECK(recv[indispls[k] + i] == (i < incounts[k] ? value(sources[k], 0, i) : -1));
  }
}

/* Ranks of a Cartesian topology are numbered as in `comm`: no reordering was asked for. */
static void cartesian(int rows, int columns, int periodic) {
  const int dims[] = {rows, columns}, periods[] = {periodic, 1};
  int sources[4], edges[4];
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  if (comm == MPI_COMM_NULL) return;
  for (int d = 0; d < 2; ++d) {
    MPI_Cart_shift(comm, d, 1, &sources[2 * d], &sources[2 * d + 1]);
    edges[2 * d] = 2 * d + 1; /* what comes from below left upwards */
    edges[2 * d + 1] = 2 * d;
  }
  for (int k = 0; k < 4; ++k)
    if (sources[k] == MPI_PROC_NULL) sources[k] = -1;
  exchange(comm, 4, sources, edges, 4);
  MPI_Comm_free(&comm);
}

/* A star whose centre, rank 0, is its own neighbour too. */
static void graph(void) {
  int index[MOST], neighbors[MOST], sources[MOST], edges[MOST];
  index[0] = size;
  for (int r = 0; r < size; ++r) neighbors[r] = r;
  for (int r = 1; r < size; ++r) index[r] = size + r, neighbors[size + r - 1] = 0;
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, neighbors, 0, &comm);
  if (rank == 0) {
    for (int r = 0; r < size; ++r) sources[r] = r, edges[r] = 0;
    exchange(comm, size, sources, edges, size);
  } else {
    sources[0] = 0, edges[0] = rank;
    exchange(comm, 1, sources, edges, 1);
  }
  MPI_Comm_free(&comm);
}

/* Two edges from each rank to the next one, and one to itself. */
static void distributed_graph(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const int destinations[] = {next, rank, next}, sources[] = {rank, before, before};
  /* Alone, all three edges are its own: they match in order. */
  const int edges[] = {size == 1 ? 0 : 1, size == 1 ? 1 : 0, 2};
  MPI_Comm comm;
  const int weights[] = {1, 1, 1};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, weights, 3, destinations, weights,
                                 MPI_INFO_NULL, 0, &comm);
  exchange(comm, 3, sources, edges, 3);
  MPI_Comm_free(&comm);
}

/* The last rank has no neighbours, and null arrays for them. */
static void nobody(void) {
  const int neighbor = rank == 0 ? 1 : 0, edges = rank < 2 ? 1 : 0;
  int mine = rank, theirs = -1, count = 1;
  MPI_Aint place = 0;
  MPI_Datatype type = MPI_INT;
  MPI_Comm comm;
  MPI_Request request;
  if (size < 3) return;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, edges, &neighbor, &count, edges, &neighbor, &count,
                                 MPI_INFO_NULL, 0, &comm);
  if (edges)
    MPI_Ineighbor_alltoallw(&mine, &count, &place, &type, &theirs, &count, &place, &type, comm,
                            &request);
  else
    MPI_Ineighbor_alltoallw(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(theirs == (edges ? neighbor : -1));
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "blocking") == 0) forms = 1;
  for (int periodic = 0; periodic < 2; ++periodic) {
    cartesian(1, size, periodic);
    cartesian(size, 1, periodic);
    cartesian(size / 2 > 0 ? size / 2 : 1, size > 1 ? 2 : 1, periodic);
  }
  graph();
  distributed_graph();
  nobody();
  if (rank == 0) printf("neighbors ok\n");
  MPI_Finalize();
  return 0;
}
