/* A plain MPI program that checks what it gets: every collective the drop-in handles,
 * blocking and nonblocking, and every way to complete a request.
 *
 * Knows nothing of Stretto: it passes on the MPI alone, and must pass under the drop-in
 * (with the argument `pending`, what is freed while pending: Open MPI 4.1 crashes on that).
 * Prints "dropin ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { COUNT = 1000, MANY = 6 };

static int* filled(int count, int first, int step) {
  int* values = malloc((size_t)(count > 0 ? count : 1) * sizeof *values);
  for (int i = 0; i < count; ++i) values[i] = first + step * i;
  return values;
}

static void check_each(const int* values, int count, int first, int step) {
  for (int i = 0; i < count; ++i) CHECK(values[i] == first + step * i);
}

/* Element i of the sum over ranks of (r + i). */
static void check_sum(const int* values, int members) {
  check_each(values, COUNT, members * (members - 1) / 2, members);
}

static void blocking(MPI_Comm comm) {
  int me, members;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  const int last = members - 1;
  int *mine = filled(COUNT, me, 1), *out = filled(COUNT, -1, 0);
  int* blocks = filled(COUNT * members, -1, 0);

  MPI_Barrier(comm);
  if (me == last) memcpy(out, mine, COUNT * sizeof *out);
  MPI_Bcast(out, COUNT, MPI_INT, last, comm);
  check_each(out, COUNT, last, 1);

  MPI_Reduce(mine, out, COUNT, MPI_INT, MPI_SUM, last, comm);
  if (me == last) check_sum(out, members);
  MPI_Allreduce(mine, out, COUNT, MPI_INT, MPI_SUM, comm);
  check_sum(out, members);

  /* What is not significant on a rank may hold anything. */
  void* const at_last = me == last ? blocks : MPI_IN_PLACE;
  MPI_Gather(mine, COUNT, MPI_INT, at_last, COUNT, MPI_INT, last, comm);
  if (me == last) {
    for (int r = 0; r < members; ++r) check_each(blocks + r * COUNT, COUNT, r, 1);
  }
  MPI_Scatter(at_last, COUNT, MPI_INT, out, COUNT, MPI_INT, last, comm);
  check_each(out, COUNT, me, 1);

  MPI_Allgather(mine, COUNT, MPI_INT, blocks, COUNT, MPI_INT, comm);
  for (int r = 0; r < members; ++r) check_each(blocks + r * COUNT, COUNT, r, 1);

  int* to_all = filled(COUNT * members, 0, 0);
  for (int r = 0; r < members; ++r) {
    for (int i = 0; i < COUNT; ++i) to_all[r * COUNT + i] = 100000 * me + 10000 * r + i;
  }
  MPI_Alltoall(to_all, COUNT, MPI_INT, blocks, COUNT, MPI_INT, comm);
  for (int r = 0; r < members; ++r) {
    check_each(blocks + r * COUNT, COUNT, 100000 * r + 10000 * me, 1);
  }
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to_all, COUNT, MPI_INT, comm);
  CHECK(memcmp(to_all, blocks, (size_t)(COUNT * members) * sizeof(int)) == 0);
  free(mine), free(out), free(blocks), free(to_all);
}

/* Starts MANY sums on `comm`; request i is complete when sums[i] is right. */
static void start_many(MPI_Comm comm, int* mine, int* sums[MANY], MPI_Request requests[MANY]) {
  for (int i = 0; i < MANY; ++i) {
    memset(sums[i], 0, COUNT * sizeof(int));
    MPI_Iallreduce(mine, sums[i], COUNT, MPI_INT, MPI_SUM, comm, &requests[i]);
    CHECK(requests[i] != MPI_REQUEST_NULL);
  }
}

static void complete_in_every_way(MPI_Comm comm) {
  int me, members, flag = 0, index, outcount, indices[MANY];
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  int *mine = filled(COUNT, me, 1), *sums[MANY];
  for (int i = 0; i < MANY; ++i) sums[i] = filled(COUNT, 0, 0);
  MPI_Request requests[MANY];
  MPI_Status status, statuses[MANY];

  start_many(comm, mine, sums, requests);
  for (int i = MANY - 1; i >= 0; --i) {
    MPI_Wait(&requests[i], &status);
    CHECK(requests[i] == MPI_REQUEST_NULL);
    check_sum(sums[i], members);
  }
  start_many(comm, mine, sums, requests);
  for (int i = 0; i < MANY; ++i) {
    for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, &status);
    CHECK(requests[i] != MPI_REQUEST_NULL);
    for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, &status);
    check_sum(sums[i], members);
  }
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  start_many(comm, mine, sums, requests);
  for (flag = 0; !flag;) MPI_Request_get_status_any(MANY, requests, &index, &flag, &status);
  CHECK(index >= 0 && index < MANY);
  check_sum(sums[index], members);
  /* Of several that are complete MPICH 5.0 tells of one. */
  for (outcount = 0; outcount == 0;)
    MPI_Request_get_status_some(MANY, requests, &outcount, indices, statuses);
  for (int i = 0; i < outcount; ++i) check_sum(sums[indices[i]], members);
  for (flag = 0; !flag;) MPI_Request_get_status_all(MANY, requests, &flag, statuses);
  for (int i = 0; i < MANY; ++i) CHECK(requests[i] != MPI_REQUEST_NULL);
  MPI_Waitall(MANY, requests, statuses);
  start_many(comm, mine, sums, requests);
  for (flag = 0; !flag;) MPI_Request_get_status_all(MANY, requests, &flag, statuses);
  for (int i = 0; i < MANY; ++i) check_sum(sums[i], members);
  MPI_Waitall(MANY, requests, statuses);
#endif
  start_many(comm, mine, sums, requests);
  MPI_Waitall(MANY, requests, statuses);
  for (int i = 0; i < MANY; ++i) check_sum(sums[i], members);

  start_many(comm, mine, sums, requests);
  for (flag = 0; !flag;) MPI_Testall(MANY, requests, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MANY; ++i) check_sum(sums[i], members);

  start_many(comm, mine, sums, requests);
  for (int left = MANY; left > 0; --left) {
    MPI_Waitany(MANY, requests, &index, &status);
    CHECK(index >= 0 && index < MANY);
    check_sum(sums[index], members);
  }
  MPI_Waitany(MANY, requests, &index, &status);
  CHECK(index == MPI_UNDEFINED);

  start_many(comm, mine, sums, requests);
  for (int left = MANY; left > 0;) {
    MPI_Testany(MANY, requests, &index, &flag, &status);
    if (flag) check_sum(sums[index], members), --left;
  }
  start_many(comm, mine, sums, requests);
  for (int left = MANY; left > 0; left -= outcount) {
    MPI_Waitsome(MANY, requests, &outcount, indices, statuses);
    CHECK(outcount > 0);
    for (int i = 0; i < outcount; ++i) check_sum(sums[indices[i]], members);
  }
  start_many(comm, mine, sums, requests);
  for (int left = MANY; left > 0; left -= outcount) {
    MPI_Testsome(MANY, requests, &outcount, indices, statuses);
    for (int i = 0; i < outcount; ++i) check_sum(sums[indices[i]], members);
  }
  for (int i = 0; i < MANY; ++i) free(sums[i]);
  free(mine);
}

static void free_pending_communicator(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int mine = rank, sum = -1;
  MPI_Request request;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size * (size - 1) / 2);
}

/* MPI allows no MPI_Request_free of a collective; the drop-in lets it complete by itself. */
static void free_pending_requests(void) {
  static int mine[COUNT], sum[MANY][COUNT];
  MPI_Request request;
  for (int i = 0; i < COUNT; ++i) mine[i] = rank + i;
  for (int i = 0; i < MANY; ++i) {
    MPI_Iallreduce(mine, sum[i], COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
  }
  /* Nobody can ask for them any more: MPI_Finalize has to see to it. */
}

static void mix_with_messages(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const int long_count = 100000;
  int *out = filled(long_count, rank, 1), *in = filled(long_count, -1, 0);
  int *sum = filled(COUNT, 0, 0), *mine = filled(COUNT, rank, 1);
  MPI_Request requests[4];
  MPI_Irecv(in, long_count, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(mine, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, long_count, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  check_each(in, long_count, left, 1);
  check_sum(sum, size);
  free(out), free(in), free(sum), free(mine);
}

/* A chain that only advances if the middle rank forwards while it is blocked elsewhere. */
static void forward_while_blocked(void) {
  if (size < 3) return;
  int value = rank == 0 ? 42 : 0, token = 0;
  MPI_Request request;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  if (rank == size - 1) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < size - 1; ++r) MPI_Send(&value, 1, MPI_INT, r, 3, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&token, 1, MPI_INT, size - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(token == 42);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK(value == 42);
}

/* Frees the type that is the attribute's value, with a call that Stretto takes part in. */
static int inner_types_freed;
static int free_inner(MPI_Datatype type, int key, void* inner, void* extra) {
  (void)type, (void)key, (void)extra;
  ++inner_types_freed;
  return MPI_Type_free((MPI_Datatype*)inner);
}

static void derived_types(int free_pending) {
  /* A column of a matrix, broadcast into a row. */
  enum { N = 50 };
  static double matrix[N][N], row[N];
  MPI_Datatype column;
  MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Datatype inner;
  int key;
  inner_types_freed = 0;
  MPI_Type_dup(MPI_DOUBLE, &inner);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, free_inner, &key, NULL);
  MPI_Type_set_attr(column, key, &inner);
  for (int i = 0; i < N; ++i) matrix[i][3] = i;
  MPI_Request request;
  if (rank == 0) {
    MPI_Ibcast(&matrix[0][3], 1, column, 0, MPI_COMM_WORLD, &request);
  } else {
    MPI_Ibcast(row, N, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  }
  if (free_pending) {
    MPI_Type_free(&column); /* legal: what is pending is not affected */
    usleep(100000);         /* a progress thread ends it meanwhile */
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(!free_pending || inner_types_freed == 1); /* no later than what used it */
  if (!free_pending) MPI_Type_free(&column);
  MPI_Type_free_keyval(&key);
  for (int i = 0; rank != 0 && i < N; ++i) CHECK(row[i] == i);
}

enum { FAR = 16 << 20 };

static void add_far_pairs(void* from, void* to, int* count, MPI_Datatype* type) {
  (void)type;
  if (*count == 0) return;
  CHECK(*count == 1);
  *(int*)((char*)to - FAR) += *(int*)((char*)from - FAR);
  *(int*)to += *(int*)from;
}

/* Elements that begin far before their address: so must whatever holds partial sums. */
static void types_before_their_address(void) {
  const MPI_Aint places[] = {-FAR, 0};
  char *mine = malloc(FAR + sizeof(int)), *sum = malloc(FAR + sizeof(int));
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Request request;
  MPI_Type_create_hindexed_block(2, 1, places, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(add_far_pairs, 0, &op);
  *(int*)mine = rank;
  *(int*)(mine + FAR) = 1;
  MPI_Iallreduce(mine + FAR, sum + FAR, 1, pair, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(*(int*)sum == size * (size - 1) / 2 && *(int*)(sum + FAR) == size);
  MPI_Op_free(&op), MPI_Type_free(&pair);
  free(mine), free(sum);
}

/* A handle may come back for a communicator that Stretto leaves to the MPI. */
static void handles_used_again(void) {
  int one = 1, sum = 0;
  MPI_Comm comm;
  MPI_Request request;
  for (int i = 0; i < 8; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum = 0;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == size);
    MPI_Comm_free(&comm);
  }
}

/* The standard ABI's library of Intel MPI 2021.19 ends the job whatever the handler is. */
static int heeds_error_handlers(void) {
#if defined(MPI_ABI)
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  return strstr(version, "Intel(R) MPI") == NULL;
#else
  return 1;
#endif
}

static void errors_are_the_mpis(void) {
  if (!heeds_error_handlers()) return;
  int value = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int error = MPI_Bcast(&value, 1, MPI_INT, size + 3, MPI_COMM_WORLD);
  int class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &class);
  CHECK(class == MPI_ERR_ROOT);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void many_communicators(void) {
  MPI_Comm comm;
  for (int i = 0; i < 200; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int pending = argc > 1 && strcmp(argv[1], "pending") == 0;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  for (int i = 0; i < 3; ++i) {
    blocking(MPI_COMM_WORLD);
    blocking(half);
    blocking(MPI_COMM_SELF);
    complete_in_every_way(MPI_COMM_WORLD);
    complete_in_every_way(half);
    mix_with_messages();
    forward_while_blocked();
    derived_types(pending);
  }
  types_before_their_address();
  handles_used_again();
  errors_are_the_mpis();
  many_communicators();
  MPI_Comm_free(&half);
  if (pending) free_pending_communicator(), free_pending_requests();
  if (rank == 0) printf("dropin ok\n");
  MPI_Finalize();
  return 0;
}
