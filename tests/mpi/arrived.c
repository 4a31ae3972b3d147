// Which algorithm ran a collective, as seen from outside. Arguments: its name, bytes, which rank is
// late and by how many milliseconds. Half-way through the lateness each other rank looks which
// blocks it has got so far: who waits for whom is the algorithm's. Of reductions no part is to be
// seen, but results: numbers that are added in another order have other last bits. Rank 0 prints
// what each saw, in a line; or "hindered", where on a busy machine ranks came to the call so late,
// or looked so late, that it says nothing.
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { kMostRanks = 64, kText = kMostRanks + 1, kCallsBefore = 10 };

static int size = 1;
static int bytes = 0;
static volatile char* blocks = NULL;
static volatile sig_atomic_t has_looked = 0;
static volatile double looked_ms = 0;
static char seen[kText];

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void look(int signal) {
  (void)signal;
  for (int i = 0; i < size; ++i) {
    int arrived = 0;
    for (int k = 0; k < bytes; ++k) arrived += blocks[(size_t)i * (size_t)bytes + (size_t)k];
    seen[i] = arrived == bytes ? '1' : '0';
  }
  looked_ms = now_ms();
  has_looked = 1;
}

static int call(const char* name, char* in, char* out) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int reals = bytes / (int)sizeof(double);
  if (strcmp(name, "bcast") == 0) return MPI_Bcast(out, bytes, MPI_BYTE, 0, comm);
  if (strcmp(name, "gather") == 0) {
    return MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm);
  }
  if (strcmp(name, "scatter") == 0) {
    return MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm);
  }
  if (strcmp(name, "allgather") == 0) {
    return MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
  }
  if (strcmp(name, "alltoall") == 0) {
    return MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
  }
  if (strcmp(name, "reduce") == 0) {
    return MPI_Reduce(in, out, reals, MPI_DOUBLE, MPI_SUM, 0, comm);
  }
  if (strcmp(name, "allreduce") == 0) {
    return MPI_Allreduce(in, out, reals, MPI_DOUBLE, MPI_SUM, comm);
  }
  if (strcmp(name, "reduce_scatter") == 0) {
    return MPI_Reduce_scatter_block(in, out, reals, MPI_DOUBLE, MPI_SUM, comm);
  }
  if (strcmp(name, "scan") == 0) return MPI_Scan(in, out, reals, MPI_DOUBLE, MPI_SUM, comm);
  return MPI_Exscan(in, out, reals, MPI_DOUBLE, MPI_SUM, comm);
}

static void sum_up(const char* out) {
  uint64_t hash = 0;
  for (int i = 0; i < bytes; ++i) hash = (hash ^ (unsigned char)out[i]) * UINT64_C(1099511628211);
  snprintf(seen, sizeof seen, "%016llx", (unsigned long long)hash);
}

// All ranks are of one host, and so their clocks. Whoever is in the call for a quarter of the
// lateness, and sleeps or yields meanwhile, has done in it what can be done without the late rank.
static int was_hindered(double entered_ms, int is_late, double lateness_ms) {
  const double before = is_late ? 0 : entered_ms;
  const double after = is_late ? entered_ms : HUGE_VAL;
  const double first_look = is_late ? HUGE_VAL : looked_ms;
  const double last_look = is_late ? 0 : looked_ms;
  double lasts[2] = {before, last_look};
  double firsts[2] = {after, first_look};
  MPI_Allreduce(MPI_IN_PLACE, lasts, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, firsts, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return firsts[1] < lasts[0] + lateness_ms / 4 || firsts[0] < lasts[1];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 5 || size > kMostRanks) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* name = argv[1];
  bytes = atoi(argv[2]);
  const int late = atoi(argv[3]);
  const int ms = atoi(argv[4]);
  const int is_reduction = strstr(name, "reduce") != NULL || strstr(name, "scan") != NULL;
  const size_t room = (size_t)size * (size_t)bytes;
  char* in = malloc(room + 1);
  char* out = calloc(room + 1, 1);
  memset(in, 1, room);
  if (strcmp(name, "bcast") == 0 && rank == 0) memset(out, 1, (size_t)bytes);
  for (size_t i = 0; is_reduction && i < room / sizeof(double); ++i) {
    const double number = 1.0 / (double)(i + 3 * (size_t)rank + 1);
    memcpy(in + i * sizeof number, &number, sizeof number);
  }
  blocks = out;
  for (int i = 0; i < kCallsBefore; ++i) call(name, in, out);
  if (strcmp(name, "bcast") != 0 || rank != 0) memset(out, 0, room);
  signal(SIGALRM, look);
  MPI_Barrier(MPI_COMM_WORLD);
  const struct timespec lateness = {ms / 1000, ms % 1000 * 1000000L};
  const struct itimerval half = {{0, 0}, {ms / 2000, ms * 500L % 1000000}};
  if (rank == late) {
    nanosleep(&lateness, NULL);
  } else if (!is_reduction) {
    setitimer(ITIMER_REAL, &half, NULL);
  }
  const double entered_ms = now_ms();
  call(name, in, out);
  const struct timespec pause = {0, 1000000};
  while (rank != late && !is_reduction && !has_looked) nanosleep(&pause, NULL);
  if (is_reduction) sum_up(out);
  const int hindered = !is_reduction && was_hindered(entered_ms, rank == late, ms);
  char* all = calloc((size_t)size, kText);
  MPI_Gather(seen, kText, MPI_CHAR, all, kText, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0 && hindered) printf("hindered\n");
  for (int i = 0; rank == 0 && !hindered && i < size; ++i) {
    printf("%s%s", i == late ? "late" : all + (size_t)i * kText, i + 1 < size ? " " : "\n");
  }
  free(all);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
