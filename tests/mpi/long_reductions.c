/* Long reductions of random shapes, each checked: types and operations that MPI knows and one of
 * the program's that does not commute, in place or not, blocking or not, with ranks that are late.
 *
 *   long_reductions ROUNDS SEED [refused]    the kernel lets nobody read another's memory
 *
 * Knows nothing of Stretto. Prints "long reductions ok" on rank 0. */
#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "refuse.h"

enum { MOST_BYTES = 900000 };

/* The map x -> a * x + b; `first` is applied first. Which of two is matters. */
typedef struct {
  unsigned a, b;
} Map;

static Map then(Map first, Map second) {
  return (Map){first.a * second.a, second.a * first.b + second.b};
}

static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((Map*)inout)[i] = then(((Map*)in)[i], ((Map*)inout)[i]);
}

typedef struct {
  double value;
  int place;
} Placed;

enum Kind { DOUBLES, FLOATS, INTS, LONGS, COMPLEX, SHORTS, MOST, PLACED, MAPS, KINDS };

static MPI_Datatype types[KINDS];
static MPI_Op ops[KINDS];
static const size_t sizes[KINDS] = {sizeof(double), sizeof(float),          sizeof(int),
                                    sizeof(long),   sizeof(double complex), sizeof(short),
                                    sizeof(double), sizeof(Placed),         sizeof(Map)};
static char *in, *out;

static int value(int from, size_t i) { return (int)((i * 7 + (size_t)from * 13) % 1009); }
static Map map_of(int from, size_t i) {
  return (Map){(unsigned)value(from, i) | 1U, (unsigned)value(from + 3, i)};
}

static void put(enum Kind kind, char* at, int from, size_t count) {
  memset(at, 0, count * sizes[kind]);
  for (size_t i = 0; i < count; ++i) {
    const int is = value(from, i);
    switch (kind) {
      case DOUBLES:
      case MOST:
        ((double*)at)[i] = is;
        break;
      case FLOATS:
        ((float*)at)[i] = (float)is;
        break;
      case INTS:
        ((int*)at)[i] = is;
        break;
      case LONGS:
        ((long*)at)[i] = is;
        break;
      case COMPLEX:
        ((double complex*)at)[i] = (double)is + 2.0 * is * I;
        break;
      case SHORTS:
        ((short*)at)[i] = (short)is;
        break;
      case PLACED:
        ((Placed*)at)[i] = (Placed){is, from};
        break;
      default:
        ((Map*)at)[i] = map_of(from, i);
    }
  }
}

/* Of the vectors of ranks 0 to `last`, from their element `begin` on. */
static void check(enum Kind kind, const char* at, int last, size_t begin, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int sum = 0, least = 1 << 20, most = -1, where = -1;
    Map map = {1, 0};
    for (int from = 0; from <= last; ++from) {
      const int is = value(from, begin + i);
      sum += is;
      if (is > most) most = is;
      if (is < least) least = is, where = from;
      map = then(map, map_of(from, begin + i));
    }
    switch (kind) {
      case DOUBLES:
        CHECK(((const double*)at)[i] == sum);
        break;
      case FLOATS:
        CHECK(((const float*)at)[i] == (float)sum);
        break;
      case INTS:
        CHECK(((const int*)at)[i] == sum);
        break;
      case LONGS:
        CHECK(((const long*)at)[i] == sum);
        break;
      case COMPLEX:
        CHECK(((const double complex*)at)[i] == (double)sum + 2.0 * sum * I);
        break;
      case SHORTS:
        CHECK(((const short*)at)[i] == (short)sum);
        break;
      case MOST:
        CHECK(((const double*)at)[i] == most);
        break;
      case PLACED:
        CHECK(((const Placed*)at)[i].value == least && ((const Placed*)at)[i].place == where);
        break;
      default:
        CHECK(((const Map*)at)[i].a == map.a && ((const Map*)at)[i].b == map.b);
    }
  }
}

static void wait_us(int us) {
  const struct timespec time = {0, us * 1000L};
  nanosleep(&time, NULL);
}

static void one(unsigned long long* random) {
  const enum Kind kind = (enum Kind)below(random, KINDS);
  const int which = below(random, 5), root = below(random, size);
  const int nonblocking = below(random, 2), in_place = below(random, 2);
  const int bytes = 20000 + below(random, below(random, 4) == 0 ? MOST_BYTES - 20000 : 180000);
  const int odd = 1 + below(random, 9000), late = below(random, 2 * size);
  const int per_rank = (int)((size_t)bytes / sizes[kind] / (which == 2 ? (size_t)size : 1));
  const size_t count = (size_t)per_rank, all = count * (size_t)(which == 2 ? size : 1);
  MPI_Datatype type = types[kind];
  MPI_Op op = ops[kind];
  /* Vectors that do not begin where memory is aligned best, after messages of any length. */
  RUN(nonblocking, Bcast, bcast, out, odd, MPI_BYTE, root, MPI_COMM_WORLD);
  char* const mine = in + 16 * below(random, 4);
  char* const result = out + 16 * below(random, 4);
  put(kind, mine, rank, all);
  if (in_place && (which != 0 || rank == root)) put(kind, result, rank, all);
  if (late == rank) wait_us(200);
  const void* const given = in_place && (which != 0 || rank == root) ? MPI_IN_PLACE : mine;
  if (which == 0) {
    RUN(nonblocking, Reduce, reduce, given, result, per_rank, type, op, root, MPI_COMM_WORLD);
    if (rank == root) check(kind, result, size - 1, 0, count);
  } else if (which == 1) {
    RUN(nonblocking, Allreduce, allreduce, given, result, per_rank, type, op, MPI_COMM_WORLD);
    check(kind, result, size - 1, 0, count);
  } else if (which == 2) {
    RUN(nonblocking, Reduce_scatter_block, reduce_scatter_block, given, result, per_rank, type, op,
        MPI_COMM_WORLD);
    check(kind, result, size - 1, count * (size_t)rank, count);
  } else if (which == 3) {
    RUN(nonblocking, Scan, scan, given, result, per_rank, type, op, MPI_COMM_WORLD);
    check(kind, result, rank, 0, count);
  } else {
    RUN(nonblocking, Exscan, exscan, given, result, per_rank, type, op, MPI_COMM_WORLD);
    if (rank > 0) check(kind, result, rank - 1, 0, count);
  }
}

int main(int argc, char** argv) {
  if (argc > 3) refuse(EPERM);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc > 2);
  unsigned long long random = strtoull(argv[2], NULL, 10);
  for (int kind = 0; kind < KINDS; ++kind) ops[kind] = MPI_SUM;
  types[DOUBLES] = types[MOST] = MPI_DOUBLE;
  types[FLOATS] = MPI_FLOAT;
  types[INTS] = MPI_INT;
  types[LONGS] = MPI_LONG;
  types[COMPLEX] = MPI_C_DOUBLE_COMPLEX;
  types[SHORTS] = MPI_SHORT;
  types[PLACED] = MPI_DOUBLE_INT;
  ops[MOST] = MPI_MAX;
  ops[PLACED] = MPI_MINLOC;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &types[MAPS]);
  MPI_Type_commit(&types[MAPS]);
  MPI_Op_create(compose, 0, &ops[MAPS]);
  in = malloc(MOST_BYTES + 64);
  out = malloc(MOST_BYTES + 64);
  CHECK(in != NULL && out != NULL);
  for (int round = 0; round < atoi(argv[1]); ++round) one(&random);
  free(out);
  free(in);
  MPI_Op_free(&ops[MAPS]);
  MPI_Type_free(&types[MAPS]);
  if (rank == 0) printf("long reductions ok\n");
  MPI_Finalize();
  return 0;
}
