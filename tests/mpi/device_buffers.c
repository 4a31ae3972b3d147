/* Collectives whose buffers lie in the memory of a device, on some of the ranks.
 *
 * Usage: device_buffers LIBCUDA early|late first|last|all|none|managed CASE...
 *   The runtime (standin/cuda.c) is loaded before or after MPI_Init; which ranks' buffers are the
 *   device's; what is called. Prints "CASE ok" on rank 0.
 *
 * Knows nothing of Stretto: it passes on a GPU-aware MPI alone (standin/aware_mpi.c). For three
 * ranks or more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { N = 40, MOST = 8, ALL = N * MOST };

typedef unsigned long long Address;

static int on_device; /* this rank's buffers */
static int *in, *out; /* of ALL ints each, perhaps the device's */
static int host[ALL]; /* what `out` holds */
static int even[MOST], at[MOST], at_bytes[MOST];
static MPI_Datatype ints[MOST];
static const MPI_Comm world = MPI_COMM_WORLD;

static int (*allocate)(Address*, size_t);
static int (*allocate_managed)(Address*, size_t, unsigned);
static int (*copy)(Address, Address, size_t);

static void load(const char* path, int managed) {
  void* const runtime = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  CHECK(runtime != NULL);
  allocate = (int (*)(Address*, size_t))dlsym(runtime, "cuMemAlloc_v2");
  allocate_managed = (int (*)(Address*, size_t, unsigned))dlsym(runtime, "cuMemAllocManaged");
  copy = (int (*)(Address, Address, size_t))dlsym(runtime, "cuMemcpy");
  ((int (*)(unsigned))dlsym(runtime, "cuInit"))(0);
  /* A device takes longer than that to be set up, and is not looked for at each call. */
  const struct timespec set_up = {0, 10 * 1000 * 1000};
  nanosleep(&set_up, NULL);
  Address addresses[2];
  for (int i = 0; i < 2; ++i) {
    if (managed)
      allocate_managed(&addresses[i], ALL * sizeof(int), 1);
    else if (on_device)
      allocate(&addresses[i], ALL * sizeof(int));
    else
      addresses[i] = (Address)calloc(ALL, sizeof(int));
  }
  in = (int*)addresses[0];
  out = (int*)addresses[1];
}

/* Element i of rank r's input is 1000 r + i. */
static void fill(int* buffer) {
  int values[ALL];
  for (int i = 0; i < ALL; ++i) values[i] = 1000 * rank + i;
  copy((Address)buffer, (Address)values, sizeof values);
}
static void fetch(const int* buffer) { copy((Address)host, (Address)buffer, sizeof host); }

static void expect(int first, int count, int value, int step) {
  for (int i = 0; i < count; ++i) CHECK(host[first + i] == value + step * i);
}
static void expect_sum(int first_element, int count) {
  fetch(out);
  expect(0, count, 1000 * size * (size - 1) / 2 + size * first_element, size);
}
/* Rank r's first N elements from N r on, for each r. */
static void expect_all(int first_element) {
  fetch(out);
  for (int r = 0; r < size; ++r) expect(N * r, N, 1000 * r + first_element, 1);
}

static void bcast(void) {
  MPI_Bcast(in, N, MPI_INT, 0, world);
  fetch(in);
  expect(0, N, 0, 1);
}
static void reduce(void) {
  MPI_Reduce(in, rank == 1 ? out : NULL, N, MPI_INT, MPI_SUM, 1, world);
  if (rank == 1) expect_sum(0, N);
}
static void allreduce(void) {
  MPI_Allreduce(in, out, N, MPI_INT, MPI_SUM, world);
  expect_sum(0, N);
}
static void in_place(void) {
  fill(out);
  MPI_Allreduce(MPI_IN_PLACE, out, N, MPI_INT, MPI_SUM, world);
  expect_sum(0, N);
  fill(out);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : out, N, MPI_INT, rank == 0 ? out : NULL, N, MPI_INT, 0,
             world);
  if (rank == 0) expect_all(0);
}
static void scan(void) {
  MPI_Scan(in, out, N, MPI_INT, MPI_SUM, world);
  fetch(out);
  expect(0, N, 1000 * rank * (rank + 1) / 2, rank + 1);
}
static void reduce_scatter(void) {
  MPI_Reduce_scatter(in, out, even, MPI_INT, MPI_SUM, world);
  expect_sum(N * rank, N);
}
static void gather(void) {
  MPI_Gather(in, N, MPI_INT, out, N, MPI_INT, 0, world);
  if (rank == 0) expect_all(0);
}
static void gatherv(void) {
  MPI_Gatherv(in, N, MPI_INT, rank == 0 ? out : NULL, even, at, MPI_INT, 0, world);
  if (rank == 0) expect_all(0);
}
static void scatter(void) {
  MPI_Scatter(in, N, MPI_INT, out, N, MPI_INT, 0, world);
  fetch(out);
  expect(0, N, N * rank, 1);
}
static void allgather(void) {
  MPI_Allgather(in, N, MPI_INT, out, N, MPI_INT, world);
  expect_all(0);
}
static void alltoall(void) {
  MPI_Alltoall(in, N, MPI_INT, out, N, MPI_INT, world);
  expect_all(N * rank);
}
static void alltoallv(void) {
  MPI_Alltoallv(in, even, at, MPI_INT, out, even, at, MPI_INT, world);
  expect_all(N * rank);
}
static void alltoallw(void) {
  MPI_Alltoallw(in, even, at_bytes, ints, out, even, at_bytes, ints, world);
  expect_all(N * rank);
}
/* The address is in the type. */
static void bottom(void) {
  MPI_Datatype there;
  MPI_Aint address;
  const int length = N;
  MPI_Get_address(in, &address);
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &there);
  MPI_Type_commit(&there);
  MPI_Bcast(MPI_BOTTOM, 1, there, 0, world);
  MPI_Type_free(&there);
  fetch(in);
  expect(0, N, 0, 1);
}

/* Tells the stand-in, which does not know what a wait has completed. */
static void waited(void) {
  void (*const tell)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "standin_waited");
  if (tell != NULL) tell();
}

static void wait_for(MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  waited();
}

static void nonblocking(void) {
  MPI_Request request;
  MPI_Ibcast(in, N, MPI_INT, 0, world, &request);
  wait_for(&request);
  fetch(in);
  expect(0, N, 0, 1);
  fill(in);
  MPI_Iallreduce(in, out, N, MPI_INT, MPI_SUM, world, &request);
  wait_for(&request);
  expect_sum(0, N);
}
static void persistent(void) {
  typedef int Init(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*);
  Init* init = (Init*)dlsym(RTLD_DEFAULT, "MPI_Allreduce_init");
  if (init == NULL) init = (Init*)dlsym(RTLD_DEFAULT, "MPIX_Allreduce_init"); /* Open MPI 4.1 */
  MPI_Request request;
  init(in, out, N, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&request);
    wait_for(&request);
    expect_sum(0, N);
  }
  MPI_Request_free(&request);
}
/* From rank 0, alone in its group, to the others; and of a group whose other ranks have no part. */
static void groups(void) {
  MPI_Comm local, inter;
  MPI_Comm_split(world, rank > 0, 0, &local);
  MPI_Intercomm_create(local, 0, world, rank > 0 ? 0 : 1, 7, &inter);
  MPI_Bcast(in, N, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter);
  fetch(in);
  expect(0, N, 0, 1);
  fill(in);
  const int as_root = rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(in, N, MPI_INT, rank == 0 ? 0 : as_root, inter);
  fetch(in);
  if (rank < 2) expect(0, N, 1000, 1);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}
/* Of a part of the ranks, and of one. */
static void parts(void) {
  MPI_Comm part;
  MPI_Comm_split(world, rank % 2, 0, &part);
  MPI_Bcast(in, N, MPI_INT, 0, part);
  fetch(in);
  expect(0, N, 1000 * (rank % 2), 1);
  MPI_Comm_free(&part);
  fill(in);
  MPI_Allreduce(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  fetch(out);
  expect(0, N, 1000 * rank, 1);
}
static void nothing(void) {
  MPI_Request request;
  MPI_Barrier(world);
  MPI_Ibarrier(world, &request);
  wait_for(&request);
  MPI_Bcast(NULL, 0, MPI_INT, 0, world);
}

/* The same by Stretto's own interface. */
static void c_interface(void) {
  typedef int Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  typedef int Iallreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, void**);
  typedef int Wait(void**);
  void* request;
  ((Allreduce*)dlsym(RTLD_DEFAULT, "stretto_allreduce"))(in, out, N, MPI_INT, MPI_SUM, world);
  expect_sum(0, N);
  fill(out);
  ((Iallreduce*)dlsym(RTLD_DEFAULT, "stretto_iallreduce"))(in, out, N, MPI_INT, MPI_SUM, world,
                                                           &request);
  ((Wait*)dlsym(RTLD_DEFAULT, "stretto_wait"))(&request);
  waited();
  expect_sum(0, N);
  ((int (*)(void))dlsym(RTLD_DEFAULT, "stretto_finalize"))();
}

#define CASE(name) {#name, name}
static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {CASE(bcast),       CASE(reduce),     CASE(allreduce),      CASE(in_place),
             CASE(scan),        CASE(gather),     CASE(gatherv),        CASE(scatter),
             CASE(allgather),   CASE(alltoall),   CASE(alltoallv),      CASE(alltoallw),
             CASE(bottom),      CASE(groups),     CASE(reduce_scatter), CASE(parts),
             CASE(nonblocking), CASE(persistent), CASE(nothing),        CASE(c_interface)};

int main(int argc, char** argv) {
  CHECK(argc > 3);
  const int late = strcmp(argv[2], "late") == 0;
  /* Which rank this is shows after MPI_Init only, so the buffers are made there. */
  if (!late) CHECK(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) != NULL);
  int provided; /* threads, so that the C interface has its own */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  CHECK(size <= MOST);
  const char* where = argv[3];
  on_device = strcmp(where, "all") == 0 || (strcmp(where, "first") == 0 && rank == 0) ||
              (strcmp(where, "last") == 0 && rank == size - 1);
  for (int r = 0; r < size; ++r) {
    even[r] = N, at[r] = N * r, at_bytes[r] = (int)sizeof(int) * N * r, ints[r] = MPI_INT;
  }
  /* As of a program that did without for a while. */
  int answer = 0;
  MPI_Allreduce(&rank, &answer, 1, MPI_INT, MPI_MAX, world);
  CHECK(answer == size - 1);
  load(argv[1], strcmp(where, "managed") == 0);
  for (int i = 4; i < argc; ++i) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
      if (strcmp(argv[i], cases[c].name) != 0) continue;
      fill(in);
      cases[c].run();
      if (rank == 0) printf("%s ok\n", argv[i]);
    }
  }
  MPI_Finalize();
  return 0;
}
