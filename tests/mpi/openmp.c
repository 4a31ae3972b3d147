/* What an OpenMP region takes by MPI_Wtime: in virtual time what its longest thread does, as the
 * one that called MPI_Init waits for the others.
 *
 * Threads sleep, so at least how long is known; at most it is what the kernel's clock shows.
 * Prints "openmp ok" on rank 0, or "no OpenMP" where the compiler has none. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { SHORT_MS = 40, LONG_MS = 80 };

static void sleep_ms(long ms) {
  const struct timespec time = {0, ms * 1000000};
  CHECK(nanosleep(&time, NULL) == 0);
}

/* For how long this thread could have run but others did: that is not in its time, even where its
 * region's other threads sleep meanwhile. */
static double delayed(void) {
  long long ran = 0, delay = 0;
  FILE* file = fopen("/proc/thread-self/schedstat", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lld %lld", &ran, &delay) != 2) delay = 0;
  fclose(file);
  return (double)delay * 1e-9;
}

/* Whatever tools make of clock_gettime. */
static double kernels_clock(void) {
  struct timespec now;
  CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) == 0);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void region(long first_ms, long others_ms) {
  const double delayed_before = delayed();
  const double real_begin = kernels_clock();
  const double begin = MPI_Wtime();
  int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
  {
    int is_first = 0;
#pragma omp master
    is_first = 1;
    sleep_ms(is_first ? first_ms : others_ms);
    ++threads;
  }
  const double took = MPI_Wtime() - begin;
  const double real = kernels_clock() - real_begin;
  CHECK(threads == 3);
  CHECK(took >= LONG_MS * 1e-3 - (delayed() - delayed_before));
  CHECK(took <= real);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef _OPENMP
  region(0, LONG_MS);
  region(SHORT_MS, LONG_MS);
  region(LONG_MS, SHORT_MS);
  if (rank == 0) printf("openmp ok\n");
#else
  (void)region;
  if (rank == 0) printf("no OpenMP\n");
#endif
  MPI_Finalize();
  return 0;
}
