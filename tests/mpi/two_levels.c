/* Collectives from all roots and of many lengths, with operands whose order shows, and sums of
 * doubles that must have the same bits on all ranks: what algorithms that go by the layout could
 * get wrong. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { kMost = 5000 };

static int value(int of, int to, int i) { return of * 1000003 + to * 1009 + i * 7 + 1; }

/* Joins stretches of ranks [first, last], which must be neighbours, the lower one on the left;
 * anything else leaves a mark that stays. */
static void join(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  int* left = in;
  int* right = inout;
  for (int i = 0; i < *count; ++i, left += 2, right += 2) {
    const int fits = left[0] >= 0 && right[0] == left[1] + 1;
    right[0] = fits ? left[0] : -1;
  }
}

static void moves(int n, int nonblocking) {
  int* all = malloc(sizeof(int) * (size_t)(size * n + 1));
  int* other = malloc(sizeof(int) * (size_t)(size * n + 1));
  int* own = malloc(sizeof(int) * (size_t)(n + 1));
  for (int root = 0; root < size; ++root) {
    for (int i = 0; i < n; ++i) own[i] = rank == root ? value(root, 0, i) : -1;
    RUN(nonblocking, Bcast, bcast, own, n, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) CHECK(own[i] == value(root, 0, i));

    for (int i = 0; i < n; ++i) own[i] = value(rank, root, i);
    memset(all, -1, sizeof(int) * (size_t)(size * n));
    RUN(nonblocking, Gather, gather, own, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD);
    for (int r = 0; r < size && rank == root; ++r) {
      for (int i = 0; i < n; ++i) CHECK(all[r * n + i] == value(r, root, i));
    }

    for (int r = 0; r < size; ++r) {
      for (int i = 0; i < n; ++i) all[r * n + i] = rank == root ? value(root, r, i) : -1;
    }
    memset(own, -1, sizeof(int) * (size_t)n);
    RUN(nonblocking, Scatter, scatter, all, n, MPI_INT, own, n, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) CHECK(own[i] == value(root, rank, i));
  }
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int i = 0; i < n; ++i) own[i] = value(rank, 0, i);
    memset(all, -1, sizeof(int) * (size_t)(size * n));
    memcpy(all + rank * n, own, sizeof(int) * (size_t)n);
    RUN(nonblocking, Allgather, allgather, in_place ? MPI_IN_PLACE : own, n, MPI_INT, all, n,
        MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) {
      for (int i = 0; i < n; ++i) CHECK(all[r * n + i] == value(r, 0, i));
    }
    for (int r = 0; r < size; ++r) {
      for (int i = 0; i < n; ++i) all[r * n + i] = other[r * n + i] = value(rank, r, i);
    }
    if (!in_place) memset(all, -1, sizeof(int) * (size_t)(size * n));
    RUN(nonblocking, Alltoall, alltoall, in_place ? MPI_IN_PLACE : other, n, MPI_INT, all, n,
        MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) {
      for (int i = 0; i < n; ++i) CHECK(all[r * n + i] == value(r, rank, i));
    }
  }
  free(all);
  free(other);
  free(own);
}

static void fill(int* pairs, int n) {
  for (int i = 0; i < n; ++i) pairs[2 * i] = pairs[2 * i + 1] = rank;
}

static void check_all(const int* pairs, int n) {
  for (int i = 0; i < n; ++i) CHECK(pairs[2 * i] == 0 && pairs[2 * i + 1] == size - 1);
}

/* With an operation that does not commute. */
static void joins(int n, int nonblocking, MPI_Op op, MPI_Datatype pair) {
  int* from = malloc(sizeof(int) * 2 * (size_t)(size * n + 1));
  int* to = malloc(sizeof(int) * 2 * (size_t)(size * n + 1));
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int root = 0; root < size; ++root) {
      fill(from, n);
      fill(to, n);
      const void* input = in_place && rank == root ? MPI_IN_PLACE : from;
      RUN(nonblocking, Reduce, reduce, input, to, n, pair, op, root, MPI_COMM_WORLD);
      if (rank == root) check_all(to, n);
    }
    fill(from, n);
    fill(to, n);
    RUN(nonblocking, Allreduce, allreduce, in_place ? MPI_IN_PLACE : from, to, n, pair, op,
        MPI_COMM_WORLD);
    check_all(to, n);
    fill(from, size * n);
    fill(to, size * n);
    RUN(nonblocking, Reduce_scatter_block, reduce_scatter_block, in_place ? MPI_IN_PLACE : from, to,
        n, pair, op, MPI_COMM_WORLD);
    check_all(to, n);
  }
  free(from);
  free(to);
}

static void sums(int n, int nonblocking) {
  long* from = malloc(sizeof(long) * (size_t)(size * n + 1));
  long* to = malloc(sizeof(long) * (size_t)(size * n + 1));
  for (int i = 0; i < size * n; ++i) from[i] = value(rank, 0, i);
  RUN(nonblocking, Reduce_scatter_block, reduce_scatter_block, from, to, n, MPI_LONG, MPI_SUM,
      MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) {
    long sum = 0;
    for (int r = 0; r < size; ++r) sum += value(r, 0, rank * n + i);
    CHECK(to[i] == sum);
  }
  for (int root = 0; root < size; ++root) {
    RUN(nonblocking, Reduce, reduce, from, to, n, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; i < n && rank == root; ++i) {
      long sum = 0;
      for (int r = 0; r < size; ++r) sum += value(r, 0, i);
      CHECK(to[i] == sum);
    }
  }
  free(from);
  free(to);
}

/* Numbers whose sum is rounded at each addition, so that it shows which came first. */
static void bits(int n, int nonblocking) {
  double* from = malloc(sizeof(double) * (size_t)(n + 1));
  double* to = malloc(sizeof(double) * (size_t)(n + 1));
  double* firsts = malloc(sizeof(double) * (size_t)(n + 1));
  for (int i = 0; i < n; ++i) from[i] = 1.0 / (double)(value(rank, 0, i) % 977 + 3 * rank + 1);
  RUN(nonblocking, Allreduce, allreduce, from, to, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  memcpy(firsts, to, sizeof(double) * (size_t)n);
  /* Not a broadcast of Stretto's, which is on trial, too. */
  if (rank == 0) {
    for (int r = 1; r < size; ++r) MPI_Send(firsts, n, MPI_DOUBLE, r, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(firsts, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  CHECK(memcmp(to, firsts, sizeof(double) * (size_t)n) == 0);
  free(from);
  free(to);
  free(firsts);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op op;
  MPI_Op_create(join, 0, &op);
  const int lengths[] = {0, 1, 2, 17, 1000, kMost};
  for (int l = 0; l < (int)(sizeof lengths / sizeof *lengths); ++l) {
    for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
      MPI_Barrier(MPI_COMM_WORLD);
      moves(lengths[l], nonblocking);
      joins(lengths[l], nonblocking, op, pair);
      sums(lengths[l], nonblocking);
      bits(lengths[l], nonblocking);
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  if (rank == 0) puts("two_levels ok");
  MPI_Finalize();
  return 0;
}
