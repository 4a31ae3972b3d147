/* How much of a nonblocking collective hides behind computation, with no MPI_Test?
 *
 *   overlap COLLECTIVE BYTES [REPETITIONS]      COLLECTIVE: iallreduce, ibcast, ialltoall
 *
 * Times the collective alone (start + wait), makes a computation that takes as long, and
 * then does both: start, compute, wait. All times are those of the slowest rank; medians
 * over the repetitions. Perfect overlap: total = max(compute, communication), ratio 1;
 * none: ratio 2. `slowdown` is how much longer the same computation took while the
 * collective was pending.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 5 };

typedef struct {
  const char* name;
  int bytes; /* of the vector; of one rank's block for ialltoall */
  double* send;
  double* recv;
} Job;

static void start(const Job* job, MPI_Request* request) {
  const int count = job->bytes / (int)sizeof(double);
  if (strcmp(job->name, "iallreduce") == 0) {
    MPI_Iallreduce(job->send, job->recv, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
  } else if (strcmp(job->name, "ibcast") == 0) {
    MPI_Ibcast(job->recv, count, MPI_DOUBLE, 0, MPI_COMM_WORLD, request);
  } else {
    MPI_Ialltoall(job->send, count, MPI_DOUBLE, job->recv, count, MPI_DOUBLE, MPI_COMM_WORLD,
                  request);
  }
}

/* Work that stays in registers: what slows it down is losing the core, nothing else. The
 * volatile start keeps the compiler from doing it once for all repetitions. */
static double compute(long units) {
  static volatile double start_value = 1.0;
  double x = start_value;
  for (long i = 0; i < units; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

static double slowest(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

typedef struct {
  double total_s;
  double compute_s;
} Times;

/* units = 0: communication alone. communicate = 0: computation alone. */
static Times measure(const Job* job, long units, int communicate, int repetitions) {
  double* total = malloc((size_t)repetitions * sizeof *total);
  double* work = malloc((size_t)repetitions * sizeof *work);
  volatile double sink = 0;
  for (int i = -WARM_UP; i < repetitions; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (communicate) start(job, &request);
    const double before = MPI_Wtime();
    sink += compute(units);
    const double after = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const double end = MPI_Wtime();
    const double slowest_total = slowest(end - begin), slowest_work = slowest(after - before);
    if (i >= 0) total[i] = slowest_total, work[i] = slowest_work;
  }
  const Times times = {median(total, repetitions), median(work, repetitions)};
  free(total);
  free(work);
  return times;
}

static void usage(void) {
  fprintf(stderr,
          "usage: overlap iallreduce|ibcast|ialltoall BYTES [REPETITIONS]\n"
          "example: overlap iallreduce 131072 50\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Job job = {argc > 1 ? argv[1] : "", argc > 2 ? atoi(argv[2]) : 0, NULL, NULL};
  const int repetitions = argc > 3 ? atoi(argv[3]) : 50;
  const int known = strcmp(job.name, "iallreduce") == 0 || strcmp(job.name, "ibcast") == 0 ||
                    strcmp(job.name, "ialltoall") == 0;
  if (!known || job.bytes < (int)sizeof(double) || repetitions < 1) usage();
  const size_t elements = (size_t)job.bytes / sizeof(double) * (size_t)size;
  job.send = calloc(elements, sizeof(double));
  job.recv = calloc(elements, sizeof(double));
  for (size_t i = 0; i < elements; ++i) job.send[i] = rank + (double)i;

  const double comm_s = measure(&job, 0, 1, repetitions).total_s;
  const long trial = 2000000;
  const double trial_s = measure(&job, trial, 0, 5).compute_s;
  const long units = (long)ceil((double)trial * comm_s / trial_s);
  const double alone_s = measure(&job, units, 0, repetitions).compute_s;
  const Times both = measure(&job, units, 1, repetitions);

  if (rank == 0) {
    const double longer = comm_s > alone_s ? comm_s : alone_s;
    printf("%s %d bytes, %d ranks: communication %.1f us, computation %.1f us, both %.1f us\n",
           job.name, job.bytes, size, comm_s * 1e6, alone_s * 1e6, both.total_s * 1e6);
    printf("ratio %.3f\nslowdown %.3f\n", both.total_s / longer, both.compute_s / alone_s);
  }
  free(job.send);
  free(job.recv);
  MPI_Finalize();
  return 0;
}
