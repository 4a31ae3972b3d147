/* Short blocking collectives of ranks that share memory, in random order: of all kinds, lengths
 * and roots, in place or not, with datatypes that have gaps on some ranks only, on several
 * communicators, of which some are freed and made anew, while now and then a rank is late.
 *
 *   shared_blocks [seed [calls]]
 *
 * Prints "shared blocks ok" on rank 0. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { COMMS = 5, MOST = 2200, MOST_RANKS = 16 };

/* The same numbers on all ranks, and those of a rank alone. */
static unsigned long long common, own;

static int value(int call, int who, int i) { return (call * 31 + who * 7 + i) % 1000; }

static MPI_Comm comms[COMMS];
static MPI_Datatype gaps; /* an int, and room for another */

/* `number` elements in a buffer where each takes `stride` ints. */
static int at(const int* buffer, int stride, int i) { return buffer[i * stride]; }

/* The handle of a type that was freed may be another one's: what was known of it is not of this. */
static void reuse_types(void) {
  static int in[2 * MOST], out[MOST * MOST_RANKS];
  for (int turn = 0; turn < 300; ++turn) {
    const int stride = 1 + turn / 100; /* 1: no gaps */
    MPI_Datatype type;
    if (stride == 1)
      MPI_Type_contiguous(4, MPI_INT, &type);
    else
      MPI_Type_vector(4, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 4 * stride; ++i)
      in[i] = i % stride == 0 ? value(turn, rank, i / stride) : -1;
    MPI_Allgather(in, 1, type, out, 4, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    for (int i = 0; i < 4 * size; ++i) CHECK(out[i] == value(turn, i / 4, i % 4));
  }
}

/* A message that its sender must move along, while both do nothing but agree that it has come. */
static void move_along(void) {
  enum { LONG = 1 << 20 };
  static char buffer[LONG];
  for (int turn = 0; turn < 5; ++turn) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Isend(buffer, LONG, MPI_CHAR, 1, turn, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Irecv(buffer, LONG, MPI_CHAR, 0, turn, MPI_COMM_WORLD, &request);
    for (int all = 0; !all;) {
      int here = 1;
      if (rank == 1) MPI_Test(&request, &here, MPI_STATUS_IGNORE);
      MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void renew(int which) {
  if (comms[which] != MPI_COMM_NULL) MPI_Comm_free(&comms[which]);
  switch (which % 3) {
    case 0:
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[which]);
      break;
    case 1: /* the other way round */
      MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[which]);
      break;
    default: /* halves */
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[which]);
  }
}

int main(int argc, char** argv) {
  static int in[2 * MOST * MOST_RANKS], out[2 * MOST * MOST_RANKS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= MOST_RANKS);
  common = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  own = common * 1000 + (unsigned long long)rank;
  const int calls = argc > 2 ? atoi(argv[2]) : 20000;
  MPI_Datatype pair;
  MPI_Type_contiguous(1, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 2 * sizeof(int), &gaps);
  MPI_Type_commit(&gaps);
  for (int i = 0; i < COMMS; ++i) {
    comms[i] = MPI_COMM_NULL;
    renew(i);
  }
  reuse_types();
  move_along();
  for (int call = 0; call < calls; ++call) {
    const int which = below(&common, COMMS + 1);
    const int kind = below(&common, 6);
    const int length = below(&common, 16); /* of blocks that are too long for some, or for all */
    const int count = 1 + below(&common, length == 0 ? MOST : length < 3 ? 400 : 20);
    const int in_place = below(&common, 3) == 0;
    const int root_seed = below(&common, 1 << 20);
    const int renews = below(&common, 500) == 0;
    if (renews) renew(which % COMMS);
    const MPI_Comm comm = which < COMMS ? comms[which] : MPI_COMM_WORLD;
    int me, p;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &p);
    const int root = root_seed % p;
    if (below(&own, 400) == 0) {
      const struct timespec late = {0, 1000 * below(&own, 2000)};
      nanosleep(&late, NULL);
    }
    memset(out, -1, 2 * sizeof out[0] * (size_t)(count * p));
    if (kind == 0) {
      MPI_Barrier(comm);
    } else if (kind == 1 || kind == 2) {
      const int all = kind == 1;
      const int mine_in_place = in_place && (all || me == root);
      int* const to = mine_in_place ? out : in;
      for (int i = 0; i < count; ++i) to[i] = value(call, me, i);
      const void* const from = mine_in_place ? MPI_IN_PLACE : in;
      if (all)
        MPI_Allreduce(from, out, count, MPI_INT, MPI_SUM, comm);
      else
        MPI_Reduce(from, out, count, MPI_INT, MPI_SUM, root, comm);
      for (int i = 0; i < count && (all || me == root); ++i) {
        int sum = 0;
        for (int who = 0; who < p; ++who) sum += value(call, who, i);
        CHECK(out[i] == sum);
      }
    } else if (kind == 3) {
      struct {
        double value;
        int who;
        int gap;
      } mine = {value(call, (me * 5) % p, 0), me, 0}, best = {0, 0, 77};
      MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
      double most = -1;
      for (int who = 0; who < p; ++who) {
        const double theirs = value(call, (who * 5) % p, 0);
        if (theirs > most) most = theirs;
      }
      CHECK(best.value == most && best.gap == 77);
    } else {
      /* Allgather and alltoall, of which each rank describes its data as it likes. */
      const int to_each = kind == 5;
      const int strided = below(&own, 3);
      const int sent = 1 + (strided == 1), received = 1 + (strided == 2);
      const int stride = in_place ? received : sent;
      int* const from = in_place ? out + (to_each ? 0 : me * count * received) : in;
      for (int who = 0; who < (to_each ? p : 1); ++who) {
        for (int i = 0; i < count; ++i) {
          from[(who * count + i) * stride] = value(call, me, i + (to_each ? who * 3 : 0));
        }
      }
      const void* const buffer = in_place ? MPI_IN_PLACE : in;
      const MPI_Datatype of_sent = sent == 2 ? gaps : MPI_INT;
      const MPI_Datatype of_received = received == 2 ? gaps : MPI_INT;
      if (to_each)
        MPI_Alltoall(buffer, count, of_sent, out, count, of_received, comm);
      else
        MPI_Allgather(buffer, count, of_sent, out, count, of_received, comm);
      for (int who = 0; who < p; ++who) {
        for (int i = 0; i < count; ++i) {
          const int place = who * count + i;
          CHECK(at(out, received, place) == value(call, who, i + (to_each ? me * 3 : 0)));
          CHECK(received == 1 || out[2 * place + 1] == -1); /* what is in gaps stays */
        }
      }
    }
  }
  for (int i = 0; i < COMMS; ++i) MPI_Comm_free(&comms[i]);
  MPI_Type_free(&gaps);
  MPI_Type_free(&pair);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("shared blocks ok\n");
  MPI_Finalize();
  return 0;
}
