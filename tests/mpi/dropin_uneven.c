/* A plain MPI program that checks what it gets from the collectives whose blocks differ in
 * size, from reduce_scatter and from the scans; blocking and nonblocking.
 *
 * Knows nothing of Stretto. With the argument `pending` it frees datatypes and operations
 * while they are in use, on which Open MPI 4.1 alone crashes. Prints "uneven ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { MOST = 16, LONGEST = 2000 };

/* Ints that rank `from` has for rank `to`, some pairs none. */
static int length(int from, int to) { return (from + to) % 3 == 0 ? 0 : 7 * (from + to); }
static int value(int from, int to, int i) { return 1000000 * from + 10000 * to + i; }

static void check_block(const int* block, int from, int to) {
  for (int i = 0; i < length(from, to); ++i) CHECK(block[i] == value(from, to, i));
}
static void fill_block(int* block, int from, int to) {
  for (int i = 0; i < length(from, to); ++i) block[i] = value(from, to, i);
}

/* Blocks of one side, the last rank's first and with a gap of one int between them. */
typedef struct {
  int counts[MOST], displs[MOST], bytes[MOST];
  MPI_Datatype types[MOST];
  int* data;
} Side;

static Side side(int outgoing, int to_root) {
  Side made;
  int place = 0;
  for (int r = size - 1; r >= 0; --r) {
    const int peer = to_root ? 0 : rank;
    made.counts[r] = outgoing ? length(peer, r) : length(r, peer);
    made.displs[r] = place;
    made.bytes[r] = place * (int)sizeof(int);
    made.types[r] = MPI_INT;
    place += made.counts[r] + 1;
  }
  made.data = calloc((size_t)place, sizeof(int));
  return made;
}

static void blocks_of_ranks(int nonblocking) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  Side all = side(0, 1);
  int own[LONGEST];
  fill_block(own, rank, 0);
  RUN(nonblocking, Gatherv, gatherv, own, length(rank, 0), MPI_INT, all.data, all.counts,
      all.displs, MPI_INT, 0, comm);
  for (int r = 0; rank == 0 && r < size; ++r) check_block(all.data + all.displs[r], r, 0);

  memset(own, 0, sizeof own);
  RUN(nonblocking, Scatterv, scatterv, all.data, all.counts, all.displs, MPI_INT, own,
      length(rank, 0), MPI_INT, 0, comm);
  check_block(own, rank, 0);

  RUN(nonblocking, Allgatherv, allgatherv, own, length(rank, 0), MPI_INT, all.data, all.counts,
      all.displs, MPI_INT, comm);
  for (int r = 0; r < size; ++r) check_block(all.data + all.displs[r], r, 0);
  free(all.data);
}

/* MPICH lets a rank leave out the type of what it has nothing of; others need not. */
static void null_types_of_nothing(int nonblocking, Side* out, Side* in) {
#if defined(MPICH_VERSION)
  for (int r = 0; r < size; ++r) {
    if (out->counts[r] == 0 && rank == 0) out->types[r] = in->types[r] = MPI_DATATYPE_NULL;
  }
  RUN(nonblocking, Alltoallw, alltoallw, out->data, out->counts, out->bytes, out->types, in->data,
      in->counts, in->bytes, in->types, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) check_block(in->data + in->displs[r], r, rank);
#else
  (void)nonblocking, (void)out, (void)in;
#endif
}

static void blocks_of_pairs(int nonblocking) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  Side out = side(1, 0), in = side(0, 0);
  for (int r = 0; r < size; ++r) fill_block(out.data + out.displs[r], rank, r);
  RUN(nonblocking, Alltoallv, alltoallv, out.data, out.counts, out.displs, MPI_INT, in.data,
      in.counts, in.displs, MPI_INT, comm);
  for (int r = 0; r < size; ++r) check_block(in.data + in.displs[r], r, rank);

  RUN(nonblocking, Alltoallw, alltoallw, out.data, out.counts, out.bytes, out.types, in.data,
      in.counts, in.bytes, in.types, comm);
  for (int r = 0; r < size; ++r) check_block(in.data + in.displs[r], r, rank);

  null_types_of_nothing(nonblocking, &out, &in);
  RUN(nonblocking, Alltoallv, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out.data,
      out.counts, out.displs, MPI_INT, comm);
  for (int r = 0; r < size; ++r) check_block(out.data + out.displs[r], r, rank);
  free(out.data), free(in.data);
}

static void sums(int nonblocking) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int counts[MOST], total = 0, before = 0, first = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = 5 * r;
    if (r == rank) first = total;
    total += counts[r];
  }
  int *mine = calloc((size_t)total + 3 * MOST, sizeof(int)), sum[LONGEST];
  for (int i = 0; i < total + 3 * size; ++i) mine[i] = rank + i;
  RUN(nonblocking, Reduce_scatter, reduce_scatter, mine, sum, counts, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < counts[rank]; ++i) {
    CHECK(sum[i] == size * (size - 1) / 2 + size * (first + i));
  }
  RUN(nonblocking, Reduce_scatter_block, reduce_scatter_block, mine, sum, 3, MPI_INT, MPI_SUM,
      comm);
  for (int i = 0; i < 3; ++i) CHECK(sum[i] == size * (size - 1) / 2 + size * (3 * rank + i));
  RUN(nonblocking, Reduce_scatter, reduce_scatter, MPI_IN_PLACE, mine, counts, MPI_INT, MPI_SUM,
      comm);
  for (int i = 0; i < counts[rank]; ++i) {
    CHECK(mine[i] == size * (size - 1) / 2 + size * (first + i));
  }
  free(mine);

  RUN(nonblocking, Scan, scan, &rank, sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum[0] == rank * (rank + 1) / 2);
  sum[0] = -1;
  RUN(nonblocking, Exscan, exscan, &rank, sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(rank == 0 || sum[0] == rank * (rank - 1) / 2);
  before = rank;
  RUN(nonblocking, Scan, scan, MPI_IN_PLACE, &before, 1, MPI_INT, MPI_SUM, comm);
  CHECK(before == rank * (rank + 1) / 2);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((const int*)in)[i];
}

/* Legal: what is pending completes as if they were still there (MPI 4.1, 2.5.1). Rank 0 comes
 * late, so that the others have most of the work ahead of them when they free. */
static void free_what_is_used(void) {
  enum { EACH = 100 };
  static int out[MOST][2 * EACH], in[MOST][2 * EACH], mine[EACH], sum[EACH];
  MPI_Datatype every_other;
  MPI_Op sum_up;
  MPI_Type_vector(EACH, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Datatype block;
  MPI_Type_create_resized(every_other, 0, sizeof out[0], &block);
  MPI_Type_commit(&block);
  MPI_Type_free(&every_other);
  MPI_Op_create(add, 1, &sum_up);
  for (int i = 0; i < EACH; ++i) {
    mine[i] = rank + i;
    for (int r = 0; r < size; ++r) out[r][2 * i] = value(rank, r, i);
  }
  MPI_Request requests[2];
  if (rank == 0) usleep(100000);
  MPI_Ialltoall(out, 1, block, in, 1, block, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(mine, sum, EACH, MPI_INT, sum_up, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&block);
  MPI_Op_free(&sum_up);
  CHECK(block == MPI_DATATYPE_NULL && sum_up == MPI_OP_NULL);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < EACH; ++i) {
    CHECK(sum[i] == size * (size - 1) / 2 + size * i);
    for (int r = 0; r < size; ++r) CHECK(in[r][2 * i] == value(r, rank, i));
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= MOST);
  for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
    blocks_of_ranks(nonblocking);
    blocks_of_pairs(nonblocking);
    sums(nonblocking);
  }
  if (argc > 1 && strcmp(argv[1], "pending") == 0) {
    for (int i = 0; i < 3; ++i) free_what_is_used();
  }
  if (rank == 0) printf("uneven ok\n");
  MPI_Finalize();
  return 0;
}
