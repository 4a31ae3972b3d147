/* Calls that are wrong, and what the communicator's error handler and the caller hear of it.
 *
 * Usage: errors return|user|fatal blocking|nonblocking|both [CASE]...
 *   The cases, or all, with MPI_ERRORS_RETURN, a handler of our own or MPI_ERRORS_ARE_FATAL.
 *   Prints a line a case and rank, and "errors: survived" at the end.
 *
 * Knows nothing of Stretto: what it prints on the MPI alone it must print under the drop-in.
 * For three ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 300000 };

static MPI_Comm comm;   /* of the case */
static int nonblocking; /* whether it starts and waits */
static MPI_Request request;
static int in[MOST], out[MOST];
static const int counts[3] = {2, 2, 2}, displs[3] = {0, 2, 4}, negative[3] = {2, -1, 2};
static const int longer[3] = {1000, 1000, 1000};
static MPI_Datatype pair;

/* MPICH may have called the handler and yet return success, without a request. */
static int waited(int error) {
  if (error != MPI_SUCCESS || request == MPI_REQUEST_NULL) return error;
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The blocking call, or the other one and a wait. */
#define CASE(name, blocking, starting, ...)                                               \
  static int name(void) {                                                                 \
    return nonblocking ? waited(starting(__VA_ARGS__, &request)) : blocking(__VA_ARGS__); \
  }
#define T MPI_INT
#define N MPI_DATATYPE_NULL
CASE(bcast_root, MPI_Bcast, MPI_Ibcast, out, 1, T, 3, comm)
CASE(bcast_negative_root, MPI_Bcast, MPI_Ibcast, out, 1, T, -7, comm)
CASE(reduce_root, MPI_Reduce, MPI_Ireduce, in, out, 1, T, MPI_SUM, 3, comm)
CASE(gather_root, MPI_Gather, MPI_Igather, in, 1, T, out, 1, T, 3, comm)
CASE(scatter_root, MPI_Scatter, MPI_Iscatter, in, 1, T, out, 1, T, -7, comm)
CASE(gatherv_root, MPI_Gatherv, MPI_Igatherv, in, 2, T, out, counts, displs, T, 3, comm)
CASE(scatterv_root, MPI_Scatterv, MPI_Iscatterv, in, counts, displs, T, out, 2, T, 3, comm)
CASE(barrier_comm, MPI_Barrier, MPI_Ibarrier, MPI_COMM_NULL)
CASE(bcast_comm, MPI_Bcast, MPI_Ibcast, out, 1, T, 0, MPI_COMM_NULL)
CASE(allreduce_comm, MPI_Allreduce, MPI_Iallreduce, in, out, 1, T, MPI_SUM, MPI_COMM_NULL)
CASE(alltoallv_comm, MPI_Alltoallv, MPI_Ialltoallv, in, counts, displs, T, out, counts, displs, T,
     MPI_COMM_NULL)
CASE(bcast_count, MPI_Bcast, MPI_Ibcast, out, -1, T, 0, comm)
CASE(reduce_count, MPI_Reduce, MPI_Ireduce, in, out, -1, T, MPI_SUM, 0, comm)
CASE(allreduce_count, MPI_Allreduce, MPI_Iallreduce, in, out, -1, T, MPI_SUM, comm)
CASE(gather_count, MPI_Gather, MPI_Igather, in, -1, T, out, -1, T, 0, comm)
CASE(scatter_count, MPI_Scatter, MPI_Iscatter, in, -1, T, out, -1, T, 0, comm)
CASE(allgather_count, MPI_Allgather, MPI_Iallgather, in, -1, T, out, -1, T, comm)
CASE(alltoall_count, MPI_Alltoall, MPI_Ialltoall, in, -1, T, out, -1, T, comm)
CASE(allgatherv_counts, MPI_Allgatherv, MPI_Iallgatherv, in, 2, T, out, negative, displs, T, comm)
CASE(alltoallv_counts, MPI_Alltoallv, MPI_Ialltoallv, in, negative, displs, T, out, negative,
     displs, T, comm)
CASE(reduce_scatter_counts, MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out, negative, T, MPI_SUM,
     comm)
CASE(reduce_scatter_block_count, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out, -1,
     T, MPI_SUM, comm)
CASE(scan_count, MPI_Scan, MPI_Iscan, in, out, -1, T, MPI_SUM, comm)
CASE(exscan_count, MPI_Exscan, MPI_Iexscan, in, out, -1, T, MPI_SUM, comm)
CASE(bcast_type, MPI_Bcast, MPI_Ibcast, out, 1, N, 0, comm)
CASE(allreduce_type, MPI_Allreduce, MPI_Iallreduce, in, out, 1, N, MPI_SUM, comm)
CASE(gather_type, MPI_Gather, MPI_Igather, in, 1, N, out, 1, N, 0, comm)
CASE(allgather_type, MPI_Allgather, MPI_Iallgather, in, 1, T, out, 1, N, comm)
CASE(alltoall_type, MPI_Alltoall, MPI_Ialltoall, in, 1, N, out, 1, T, comm)
CASE(alltoallv_type, MPI_Alltoallv, MPI_Ialltoallv, in, counts, displs, N, out, counts, displs, T,
     comm)
CASE(reduce_op, MPI_Reduce, MPI_Ireduce, in, out, 1, T, MPI_OP_NULL, 0, comm)
CASE(allreduce_op, MPI_Allreduce, MPI_Iallreduce, in, out, 1, T, MPI_OP_NULL, comm)
CASE(reduce_scatter_op, MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out, counts, T, MPI_OP_NULL,
     comm)
CASE(scan_op, MPI_Scan, MPI_Iscan, in, out, 1, T, MPI_OP_NULL, comm)
CASE(allreduce_op_for_type, MPI_Allreduce, MPI_Iallreduce, in, out, 1, MPI_DOUBLE, MPI_BAND, comm)
CASE(reduce_op_for_type, MPI_Reduce, MPI_Ireduce, in, out, 1, MPI_DOUBLE, MPI_BXOR, 0, comm)
CASE(allreduce_op_for_derived, MPI_Allreduce, MPI_Iallreduce, in, out, 1, pair, MPI_SUM, comm)
CASE(allreduce_in_place_twice, MPI_Allreduce, MPI_Iallreduce, in, MPI_IN_PLACE, 1, T, MPI_SUM, comm)
CASE(bcast_truncated, MPI_Bcast, MPI_Ibcast, out, rank == 0 ? 1000 : 10, T, 0, comm)
CASE(bcast_truncated_long, MPI_Bcast, MPI_Ibcast, out, rank == 0 ? MOST : 10, T, 0, comm)
CASE(gather_truncated, MPI_Gather, MPI_Igather, in, rank == 0 ? 10 : 1000, T, out, 10, T, 0, comm)
CASE(scatter_truncated, MPI_Scatter, MPI_Iscatter, in, 1000, T, out, rank == 0 ? 1000 : 10, T, 0,
     comm)
CASE(gatherv_truncated, MPI_Gatherv, MPI_Igatherv, in, rank == 0 ? 2 : 1000, T, out, counts, displs,
     T, 0, comm)
CASE(scatterv_truncated, MPI_Scatterv, MPI_Iscatterv, in, longer, displs, T, out,
     rank == 0 ? 1000 : 2, T, 0, comm)
#undef T
#undef N

#define ROW(name) {#name, name}
static const struct {
  const char* name;
  int (*call)(void);
} cases[] = {
    ROW(bcast_root),
    ROW(bcast_negative_root),
    ROW(reduce_root),
    ROW(gather_root),
    ROW(scatter_root),
    ROW(gatherv_root),
    ROW(scatterv_root),
    ROW(barrier_comm),
    ROW(bcast_comm),
    ROW(allreduce_comm),
    ROW(alltoallv_comm),
    ROW(bcast_count),
    ROW(reduce_count),
    ROW(allreduce_count),
    ROW(gather_count),
    ROW(scatter_count),
    ROW(allgather_count),
    ROW(alltoall_count),
    ROW(allgatherv_counts),
    ROW(alltoallv_counts),
    ROW(reduce_scatter_counts),
    ROW(reduce_scatter_block_count),
    ROW(scan_count),
    ROW(exscan_count),
    ROW(bcast_type),
    ROW(allreduce_type),
    ROW(gather_type),
    ROW(allgather_type),
    ROW(alltoall_type),
    ROW(alltoallv_type),
    ROW(reduce_op),
    ROW(allreduce_op),
    ROW(reduce_scatter_op),
    ROW(scan_op),
    ROW(allreduce_op_for_type),
    ROW(reduce_op_for_type),
    ROW(allreduce_op_for_derived),
    ROW(allreduce_in_place_twice),
    ROW(bcast_truncated),
    ROW(bcast_truncated_long),
    ROW(gather_truncated),
    ROW(scatter_truncated),
    ROW(gatherv_truncated),
    ROW(scatterv_truncated),
};
enum { CASES = sizeof cases / sizeof *cases };

static int calls, on_the_right_one;

static void handler(MPI_Comm* where, int* error, ...) {
  (void)error;
  int result = MPI_UNEQUAL;
  ++calls;
  MPI_Comm_compare(*where, comm, &result);
  on_the_right_one = result == MPI_IDENT;
}

static const char* class_name(int error) {
  static const struct {
    int class;
    const char* name;
  } names[] = {
      {MPI_SUCCESS, "success"},         {MPI_ERR_ROOT, "root"},      {MPI_ERR_COMM, "comm"},
      {MPI_ERR_COUNT, "count"},         {MPI_ERR_TYPE, "type"},      {MPI_ERR_OP, "op"},
      {MPI_ERR_TRUNCATE, "truncate"},   {MPI_ERR_ARG, "arg"},        {MPI_ERR_BUFFER, "buffer"},
      {MPI_ERR_OTHER, "other"},         {MPI_ERR_INTERN, "intern"},  {MPI_ERR_REQUEST, "request"},
      {MPI_ERR_IN_STATUS, "in_status"}, {MPI_ERR_UNKNOWN, "unknown"}};
  static char number[32];
  int class = MPI_SUCCESS;
  MPI_Error_class(error, &class);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (names[i].class == class) return names[i].name;
  }
  snprintf(number, sizeof number, "%d", class);
  return number;
}

enum { LINE = 160 };

/* Rank 0 prints what each rank heard. */
static void tell(const char* name, int error) {
  char line[LINE], *lines = malloc((size_t)size * LINE);
  snprintf(line, LINE, "%s %s, rank %d: %s, %d calls%s", name,
           nonblocking ? "nonblocking" : "blocking", rank, class_name(error), calls,
           on_the_right_one ? "" : " for another communicator");
  MPI_Gather(line, LINE, MPI_CHAR, lines, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; ++r) puts(lines + r * LINE);
  fflush(stdout);
  free(lines);
}

static void run(int which, MPI_Errhandler errhandler) {
  /* Of its own: what is left of a wrong call must not meet the next one. */
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, errhandler);
  /* These hear of a null communicator and, from Open MPI, of a wrong MPI_IN_PLACE. Elsewhere
   * they stay fatal. */
  const char* name = cases[which].name;
  if (strstr(name, "_comm") != NULL || strstr(name, "_in_place") != NULL) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
  }
  request = MPI_REQUEST_NULL;
  calls = 0;
  on_the_right_one = 1;
  const int error = cases[which].call();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  tell(name, error);
}

static int is_chosen(const char* name, int count, char** names) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(name, names[i]) == 0) return 1;
  }
  return count == 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size == 3 && argc >= 3);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);

  MPI_Errhandler errhandler = MPI_ERRORS_RETURN;
  if (strcmp(argv[1], "user") == 0) MPI_Comm_create_errhandler(handler, &errhandler);
  if (strcmp(argv[1], "fatal") == 0) errhandler = MPI_ERRORS_ARE_FATAL;
  for (int i = 0; i < CASES; ++i) {
    if (!is_chosen(cases[i].name, argc - 3, argv + 3)) continue;
    for (nonblocking = 0; nonblocking < 2; ++nonblocking) {
      if (is_chosen(nonblocking ? "nonblocking" : "blocking", strcmp(argv[2], "both") != 0,
                    argv + 2))
        run(i, errhandler);
    }
  }
  if (rank == 0) printf("errors: survived\n");
  MPI_Finalize();
  return 0;
}
