/* What Stretto adds to MPI_Init, a communicator of all ranks and small ones, for the fake MPI.
 * Prints lines "name value": KiB of memory after each, at most and then, and
 * microseconds of each. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { COMMUNICATORS = 100 };

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void print_memory(const char* name) {
  char line[256];
  long most_kib = 0, kib = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file) != NULL) {
    sscanf(line, "VmHWM: %ld", &most_kib);
    sscanf(line, "VmRSS: %ld", &kib);
  }
  fclose(file);
  printf("%s_most_kib %ld\n%s_kib %ld\n", name, most_kib, name, kib);
}

int main(int argc, char** argv) {
  MPI_Comm all, small;
  print_memory("before");
  double start = now_us();
  MPI_Init(&argc, &argv);
  printf("init_us %.1f\n", now_us() - start);
  print_memory("init");
  start = now_us();
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  printf("dup_us %.1f\n", now_us() - start);
  print_memory("dup");
  start = now_us();
  for (int i = 0; i < COMMUNICATORS; ++i) MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &small);
  printf("small_us %.1f\n", (now_us() - start) / COMMUNICATORS);
  print_memory("small");
  MPI_Finalize();
  return 0;
}
