/* Whom does a rank that comes late to a collective keep waiting?
 *
 *   late COLLECTIVE BYTES [LATENESS_MS] [CALLS] [WARM_UP] [LATE_RANK]
 *                                        COLLECTIVE: bcast, scatter, gather, reduce,
 *                                        allreduce, allgather
 *
 * BYTES is the vector's length, or one rank's block's for scatter, gather and allgather. The root
 * is rank 0. Each rank in turn, or LATE_RANK alone, sleeps before the call, which all others begin
 * together; WARM_UP such calls are not counted. Prints for each late rank how much longer than in
 * calls that nobody is late to each rank spends until it leaves the call, median against median in
 * percent of the lateness, and then the largest and the median of what nobody had to wait: all but
 * the late rank itself, and less the lateness where a rank's result needs the late rank's data.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BCAST, SCATTER, GATHER, REDUCE, ALLREDUCE, ALLGATHER, COLLECTIVES, ROOT = 0, NOBODY = -1 };
static const char* const kNames[] = {"bcast",  "scatter",   "gather",
                                     "reduce", "allreduce", "allgather"};

typedef struct {
  int which, count, rank, size;
  double *send, *recv;
} Job;

static void call(const Job* job) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int count = job->count;
  switch (job->which) {
    case BCAST:
      MPI_Bcast(job->recv, count, MPI_DOUBLE, ROOT, comm);
      break;
    case SCATTER:
      MPI_Scatter(job->send, count, MPI_DOUBLE, job->recv, count, MPI_DOUBLE, ROOT, comm);
      break;
    case GATHER:
      MPI_Gather(job->send, count, MPI_DOUBLE, job->recv, count, MPI_DOUBLE, ROOT, comm);
      break;
    case REDUCE:
      MPI_Reduce(job->send, job->recv, count, MPI_DOUBLE, MPI_SUM, ROOT, comm);
      break;
    case ALLREDUCE:
      MPI_Allreduce(job->send, job->recv, count, MPI_DOUBLE, MPI_SUM, comm);
      break;
    default:
      MPI_Allgather(job->send, count, MPI_DOUBLE, job->recv, count, MPI_DOUBLE, comm);
  }
}

/* Is some of the late rank's data in what this rank gets? */
static int needs(int which, int late, int rank) {
  if (which == BCAST || which == SCATTER) return late == ROOT;
  if (which == GATHER || which == REDUCE) return rank == ROOT;
  return 1;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Asleep, not computing: there may be more ranks than cores. */
static void sleep_s(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

/* From when all are there until this rank leaves the call, lateness included. */
static double leaves_after_s(const Job* job, int late, double lateness_s, int calls) {
  double* all = malloc((size_t)calls * sizeof *all);
  for (int i = 0; i < calls; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (job->rank == late) sleep_s(lateness_s);
    call(job);
    all[i] = MPI_Wtime() - begin;
  }
  const double usual = median(all, calls);
  free(all);
  return usual;
}

static void usage(const Job* job) {
  if (job->rank == ROOT)
    fprintf(stderr,
            "usage: late COLLECTIVE BYTES [LATENESS_MS] [CALLS] [WARM_UP] [LATE_RANK]\n"
            "example: late bcast 65536 20 11\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Returns how many values were added to `unneeded`. */
static int show(const Job* job, int late, const double* percent, double* unneeded) {
  int added = 0;
  printf("late %d:", late);
  for (int rank = 0; rank < job->size; ++rank) {
    printf(" %.1f", percent[rank]);
    if (rank == late) continue;
    const double needed = needs(job->which, late, rank) ? 100 : 0;
    unneeded[added++] = percent[rank] > needed ? percent[rank] - needed : 0;
  }
  printf("\n");
  return added;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.size);
  const char* name = argc > 1 ? argv[1] : "";
  while (job.which < COLLECTIVES && strcmp(name, kNames[job.which]) != 0) ++job.which;
  const int bytes = argc > 2 ? atoi(argv[2]) : -1;
  const double lateness_s = (argc > 3 ? atof(argv[3]) : 20) / 1e3;
  const int calls = argc > 4 ? atoi(argv[4]) : 11, warm_up = argc > 5 ? atoi(argv[5]) : 3;
  const int only = argc > 6 ? atoi(argv[6]) : NOBODY;
  if (job.which == COLLECTIVES || bytes < 0 || lateness_s <= 0 || calls < 1 || warm_up < 1 ||
      only < NOBODY || only >= job.size)
    usage(&job);
  job.count = bytes / (int)sizeof(double);
  const size_t elements = ((size_t)job.count + 1) * (size_t)job.size;
  job.send = calloc(elements, sizeof *job.send);
  job.recv = calloc(elements, sizeof *job.recv);

  const size_t size = (size_t)job.size;
  double* percent = malloc(size * sizeof *percent);
  double* unneeded = malloc(size * size * sizeof *unneeded);
  int found = 0;
  for (int late = 0; late < job.size; ++late) {
    if (only != NOBODY && late != only) continue;
    leaves_after_s(&job, late, lateness_s, warm_up);
    const double alone_s = leaves_after_s(&job, NOBODY, 0, calls);
    const double longer_s = leaves_after_s(&job, late, lateness_s, calls) - alone_s;
    const double mine = 100 * longer_s / lateness_s;
    MPI_Gather(&mine, 1, MPI_DOUBLE, percent, 1, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
    if (job.rank == ROOT) found += show(&job, late, percent, unneeded + found);
  }
  if (job.rank == ROOT && found > 0) {
    const double usual = median(unneeded, found);
    printf("worst_percent %.1f\nmedian_percent %.1f\n", unneeded[found - 1], usual);
  }
  free(percent);
  free(unneeded);
  free(job.send);
  free(job.recv);
  MPI_Finalize();
  return 0;
}
