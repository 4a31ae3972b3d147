/* Blocking broadcasts and scatters of ranks that share memory and cores, in random order: of all
 * lengths, roots in turn, in place or not, with datatypes that have gaps on some ranks only,
 * between other collectives, on several communicators, while now and then a rank is late.
 *
 *   root_sends [seed [calls [all]]]
 *
 * With "all" there are calls that not every MPI runs rightly: others have more room than the root
 * sends, or a type with addresses, and in the end less room. Prints "root sends ok" on rank 0.
 * All ranks share a core, unless ROOT_SENDS_APART is set. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { COMMS = 3, MOST = 3000, MOST_RANKS = 16, SPACE = 2 * MOST * MOST_RANKS };

/* The same numbers on all ranks, and those of a rank alone. */
static unsigned long long common, own;

static int value(int call, int who, int i) { return (call * 31 + who * 7 + i) % 1000; }

static int in[SPACE], out[SPACE];
static MPI_Datatype gaps; /* an int, and room for another */
static int with_all;

/* One core for all ranks, wherever the launcher has bound them: the first that there is. */
static void share_a_core(void) {
  for (size_t core = 0; core < CPU_SETSIZE; ++core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) return;
  }
}

static void broadcast(int call, int count, int root, int me, MPI_Comm comm) {
  const int is_short = with_all && count > 0 && count <= 300;
  /* Who does not know how short a text is has room for more, and MPIs let that pass more or less.
   */
  const int roomy = is_short && me != root && below(&own, 4) == 0;
  const int room = roomy ? count + below(&own, MOST - count) : count;
  /* Open MPI's segments are wrong where one rank has one element of a long type. */
  const int kind = below(&own, is_short ? 4 : 2);
  const int stride = kind == 1 ? 2 : 1;
  if (me == root)
    for (int i = 0; i < count; ++i) out[i * stride] = value(call, root, i);
  if (kind == 2) { /* where the data lie the type says */
    MPI_Datatype there;
    MPI_Aint at;
    MPI_Get_address(out, &at);
    MPI_Type_create_hindexed(1, &room, &at, MPI_INT, &there);
    MPI_Type_commit(&there);
    MPI_Bcast(MPI_BOTTOM, 1, there, root, comm);
    MPI_Type_free(&there);
  } else {
    MPI_Bcast(out, room, stride == 2 ? gaps : MPI_INT, root, comm);
  }
  for (int i = 0; i < count; ++i) {
    CHECK(out[i * stride] == value(call, root, i));
    CHECK(stride == 1 || out[2 * i + 1] == -1); /* what is in gaps stays */
  }
  if (kind != 2 && me != root) CHECK(out[count * stride] == -1);
}

static void scatter(int call, int count, int root, int me, int p, MPI_Comm comm) {
  const int sent = 1 + (below(&own, 4) == 0), received = 1 + (below(&own, 4) == 0);
  const int in_place = me == root && below(&own, 3) == 0;
  if (me == root)
    for (int i = 0; i < count * p; ++i) in[i * sent] = value(call, root, i);
  MPI_Scatter(in, count, sent == 2 ? gaps : MPI_INT, in_place ? MPI_IN_PLACE : out, count,
              received == 2 ? gaps : MPI_INT, root, comm);
  for (int i = 0; i < count && !in_place; ++i) {
    CHECK(out[i * received] == value(call, root, me * count + i));
    CHECK(received == 1 || out[2 * i + 1] == -1);
  }
}

/* A root that goes on, to what the others wait for before they come: by one call more than there is
 * room for in shared memory. Some MPIs let it go on by four alone. */
static void go_on(void) {
  enum { AHEAD = 7, LENGTH = 500 };
  for (int turn = 0; turn < 3; ++turn) {
    int word = turn;
    if (rank != 0) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int each = 0; each < AHEAD; ++each) {
      for (int i = 0; i < LENGTH; ++i) out[i] = rank == 0 ? value(each, turn, i) : -1;
      MPI_Bcast(out, LENGTH, MPI_INT, 0, MPI_COMM_WORLD);
      for (int i = 0; i < LENGTH; ++i) CHECK(out[i] == value(each, turn, i));
    }
    for (int to = 1; to < size && rank == 0; ++to) {
      MPI_Send(&word, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    }
  }
}

/* Calls without data, which some leave out, and some say by a type that has none. */
static void leave_out(void) {
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  for (int turn = 0; turn < 20; ++turn) {
    if (turn % 3 == rank % 3)
      MPI_Bcast(out, 2, nothing, turn % size, MPI_COMM_WORLD);
    else if (turn % 3 != (rank + 1) % 3)
      MPI_Bcast(NULL, 0, MPI_INT, turn % size, MPI_COMM_WORLD);
    out[0] = turn % size == rank ? turn : -1;
    MPI_Bcast(out, 1, MPI_INT, turn % size, MPI_COMM_WORLD);
    CHECK(out[0] == turn);
  }
  MPI_Type_free(&nothing);
}

/* Less than there is room for, in types that are not plain: a part of an element, too. */
static void part(void) {
  enum { SENT = 5, ROOM = 9 };
  MPI_Datatype row;
  MPI_Type_vector(ROOM, 1, 2, MPI_INT, &row);
  MPI_Type_commit(&row);
  for (int root = 0; root < size; ++root) {
    memset(out, -1, sizeof out);
    for (int i = 0; i < SENT && rank == root; ++i) in[i] = value(root, 1, i);
    if (rank == root)
      MPI_Bcast(in, SENT, MPI_INT, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(out, 1, row, root, MPI_COMM_WORLD);
    for (int i = 0; i < ROOM && rank != root; ++i) {
      CHECK(out[2 * i] == (i < SENT ? value(root, 1, i) : -1));
      CHECK(out[2 * i + 1] == -1);
    }
    memset(out, -1, sizeof out);
    for (int i = 0; i < SENT * size && rank == root; ++i) in[i] = value(root, 2, i);
    MPI_Scatter(in, SENT, MPI_INT, out, ROOM, gaps, root, MPI_COMM_WORLD);
    for (int i = 0; i < ROOM; ++i) {
      CHECK(out[2 * i] == (i < SENT ? value(root, 2, rank * SENT + i) : -1));
      CHECK(out[2 * i + 1] == -1);
    }
  }
  MPI_Type_free(&row);
}

/* An error on those that have too little room, after which calls go on. */
static void too_long(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 3; ++turn) {
    memset(out, -1, sizeof out);
    for (int i = 0; i < 20 && rank == 0; ++i) out[i] = i;
    const int error = MPI_Bcast(out, rank == 0 ? 20 : 10, MPI_INT, 0, comm);
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    CHECK(class == (rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
    CHECK(rank == 0 || out[10] == -1);
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  if (getenv("ROOT_SENDS_APART") == NULL) share_a_core();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= MOST_RANKS);
  common = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  own = common * 1000 + (unsigned long long)rank;
  with_all = argc > 3;
  const int calls = argc > 2 ? atoi(argv[2]) : 20000;
  MPI_Datatype pair;
  MPI_Type_contiguous(1, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 2 * sizeof(int), &gaps);
  MPI_Type_commit(&gaps);
  MPI_Comm comms[COMMS];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[1]); /* the other way round */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
  for (int call = 0; call < calls; ++call) {
    const int which = below(&common, COMMS + 1);
    const int kind = below(&common, 8);
    const int length = below(&common, 4);
    const int count = below(&common, length == 0 ? MOST : length == 1 ? 300 : 20);
    const MPI_Comm comm = which < COMMS ? comms[which] : MPI_COMM_WORLD;
    int me, p;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &p);
    const int root = below(&common, 1 << 20) % p;
    if (below(&own, 400) == 0) {
      const struct timespec late = {0, 1000 * below(&own, 3000)};
      nanosleep(&late, NULL);
    }
    memset(out, -1, (size_t)(2 * count + 2) * sizeof(int));
    if (kind < 4) {
      broadcast(call, count, root, me, comm);
    } else if (kind < 6) {
      scatter(call, count, root, me, p, comm);
    } else if (kind == 6) {
      MPI_Request request;
      if (me == root) out[0] = call;
      MPI_Ibcast(out, 1, MPI_INT, root, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(out[0] == call);
    } else {
      int sum = 0;
      MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
      CHECK(sum == p * (p - 1) / 2);
    }
  }
  if (with_all) {
    go_on();
    leave_out();
    part();
    too_long();
  }
  for (int i = 0; i < COMMS; ++i) MPI_Comm_free(&comms[i]);
  MPI_Type_free(&gaps);
  MPI_Type_free(&pair);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("root sends ok\n");
  MPI_Finalize();
  return 0;
}
