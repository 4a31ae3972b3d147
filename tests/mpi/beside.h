/* What the programs of test_beside.py share: each runs one of its cases, and prints "beside ok" on
 * rank 0. They know nothing of Stretto. */
#ifndef BESIDE_H
#define BESIDE_H

#include <string.h>
#include <time.h>

#include "check.h"

typedef struct {
  const char* name;
  void (*run)(void);
  int thread_level;
} Case;

static inline void pause_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* The case that the program's argument names, from MPI_Init to MPI_Finalize. */
static void run_case(int argc, char** argv, const Case* cases, int count) {
  int provided, which = 0;
  while (which + 1 < count && strcmp(cases[which].name, argv[argc - 1]) != 0) ++which;
  MPI_Init_thread(&argc, &argv, cases[which].thread_level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(strcmp(cases[which].name, argv[argc - 1]) == 0);
  cases[which].run();
  if (rank == 0) printf("beside ok\n");
  MPI_Finalize();
}

#endif
