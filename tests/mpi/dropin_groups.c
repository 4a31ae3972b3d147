/* A plain MPI program that checks what it gets from the collectives of an intercommunicator,
 * blocking and nonblocking. Knows nothing of Stretto. MPICH 5.0.2 alone gets a nonblocking
 * broadcast from a root other than 0 wrong. Prints "groups ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { MOST = 16, LENGTH = 5 };

static MPI_Comm inter;
static int first, me, here, there; /* is this the first group; rank in it; group sizes */

/* World rank of rank r of the other group. The first group has the even ranks. */
static int other(int r) { return first ? 2 * r + 1 : 2 * r; }
static int value(int from, int to, int i) { return 10000 * from + 100 * to + i; }

/* The root, last of its group, as its own group and the other one must name it. */
static int root_of(int first_has_it) {
  if (first != first_has_it) return there - 1;
  return me == here - 1 ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(int nonblocking, int first_has_root) {
  const int root = root_of(first_has_root);
  const int is_root = root == MPI_ROOT;
  const int takes_part = is_root || root >= 0;
  const int root_rank = is_root ? rank : other(there - 1);
  int data[LENGTH], blocks[MOST * LENGTH], counts[MOST], displs[MOST];

  for (int i = 0; i < LENGTH; ++i) data[i] = is_root ? value(rank, 0, i) : -1;
  RUN(nonblocking, Bcast, bcast, data, LENGTH, MPI_INT, root, inter);
  for (int i = 0; i < LENGTH; ++i) CHECK(data[i] == (takes_part ? value(root_rank, 0, i) : -1));

  for (int i = 0; i < LENGTH; ++i) data[i] = value(rank, 0, i);
  for (int i = 0; i < MOST * LENGTH; ++i) blocks[i] = -1;
  RUN(nonblocking, Gather, gather, data, LENGTH, MPI_INT, blocks, LENGTH, MPI_INT, root, inter);
  for (int b = 0; b < (is_root ? there : 0); ++b)
    for (int i = 0; i < LENGTH; ++i) CHECK(blocks[b * LENGTH + i] == value(other(b), 0, i));

  for (int i = 0; i < MOST * LENGTH; ++i) blocks[i] = value(rank, i / LENGTH, i % LENGTH);
  for (int i = 0; i < LENGTH; ++i) data[i] = -1;
  RUN(nonblocking, Scatter, scatter, blocks, LENGTH, MPI_INT, data, LENGTH, MPI_INT, root, inter);
  for (int i = 0; i < LENGTH; ++i) CHECK(data[i] == (root < 0 ? -1 : value(root_rank, me, i)));

  /* Rank r of the other group has r elements. */
  for (int r = 0; r < there; ++r) counts[r] = r, displs[r] = (there - 1 - r) * LENGTH;
  for (int i = 0; i < LENGTH; ++i) data[i] = value(rank, 0, i);
  for (int i = 0; i < MOST * LENGTH; ++i) blocks[i] = -1;
  RUN(nonblocking, Gatherv, gatherv, data, me, MPI_INT, blocks, counts, displs, MPI_INT, root,
      inter);
  for (int r = 0; r < (is_root ? there : 0); ++r)
    for (int i = 0; i < LENGTH; ++i)
      CHECK(blocks[displs[r] + i] == (i < r ? value(other(r), 0, i) : -1));

  for (int i = 0; i < MOST * LENGTH; ++i) blocks[i] = value(rank, i / LENGTH, i % LENGTH);
  for (int i = 0; i < LENGTH; ++i) data[i] = -1;
  RUN(nonblocking, Scatterv, scatterv, blocks, counts, displs, MPI_INT, data, me, MPI_INT, root,
      inter);
  for (int i = 0; i < LENGTH; ++i) {
    const int block = here - 1 - me; /* as the root places them */
    CHECK(data[i] == (root < 0 || i >= me ? -1 : value(root_rank, block, i)));
  }

  for (int i = 0; i < LENGTH; ++i) data[i] = i + rank;
  int sums[LENGTH] = {-1, -1, -1, -1, -1};
  RUN(nonblocking, Reduce, reduce, data, sums, LENGTH, MPI_INT, MPI_SUM, root, inter);
  for (int i = 0; i < LENGTH; ++i) {
    int sum = 0;
    for (int r = 0; r < there; ++r) sum += i + other(r);
    CHECK(sums[i] == (is_root ? sum : -1));
  }
}

static void symmetric(int nonblocking) {
  /* The groups send blocks of different lengths. */
  const int out = first ? 2 : 3, in = first ? 3 : 2;
  int send[MOST * LENGTH], recv[MOST * LENGTH], counts[MOST];
  for (int i = 0; i < out; ++i) send[i] = value(rank, 0, i);
  RUN(nonblocking, Allgather, allgather, send, out, MPI_INT, recv, in, MPI_INT, inter);
  for (int r = 0; r < there; ++r)
    for (int i = 0; i < in; ++i) CHECK(recv[r * in + i] == value(other(r), 0, i));

  for (int i = 0; i < there * out; ++i) send[i] = value(rank, i / out, i % out);
  RUN(nonblocking, Alltoall, alltoall, send, out, MPI_INT, recv, in, MPI_INT, inter);
  for (int r = 0; r < there; ++r)
    for (int i = 0; i < in; ++i) CHECK(recv[r * in + i] == value(other(r), me, i));

  int sums[MOST * LENGTH];
  for (int i = 0; i < LENGTH; ++i) send[i] = i * rank;
  RUN(nonblocking, Allreduce, allreduce, send, sums, LENGTH, MPI_INT, MPI_SUM, inter);
  for (int i = 0; i < LENGTH; ++i) {
    int sum = 0;
    for (int r = 0; r < there; ++r) sum += i * other(r);
    CHECK(sums[i] == sum);
  }

  /* All of here * there elements; each group divides what it gets among its ranks. */
  for (int i = 0; i < here * there; ++i) send[i] = 100 * i + rank;
  RUN(nonblocking, Reduce_scatter_block, reduce_scatter_block, send, sums, there, MPI_INT, MPI_SUM,
      inter);
  for (int i = 0; i < there; ++i) {
    int sum = 0;
    for (int r = 0; r < there; ++r) sum += 100 * (me * there + i) + other(r);
    CHECK(sums[i] == sum);
  }
  for (int r = 0; r < here; ++r) counts[r] = r == 0 ? here * there : 0;
  RUN(nonblocking, Reduce_scatter, reduce_scatter, send, sums, counts, MPI_INT, MPI_SUM, inter);
  for (int i = 0; i < counts[me]; ++i) {
    int sum = 0;
    for (int r = 0; r < there; ++r) sum += 100 * i + other(r);
    CHECK(sums[i] == sum);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  first = rank % 2 == 0;
  if (size > 1) {
    MPI_Comm group, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, first ? 1 : 0, 7, &inter);
    for (int round = 0; round < 2; ++round) {
      MPI_Comm_rank(inter, &me);
      MPI_Comm_size(inter, &here);
      MPI_Comm_remote_size(inter, &there);
      for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (nonblocking)
          MPI_Ibarrier(inter, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
          MPI_Barrier(inter);
        rooted(nonblocking, 0);
        rooted(nonblocking, 1);
        symmetric(nonblocking);
      }
      MPI_Comm_dup(inter, &copy);
      MPI_Comm_free(&inter);
      inter = copy;
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
  }
  if (rank == 0) printf("groups ok\n");
  MPI_Finalize();
  return 0;
}
