// What the sample programs share: arguments, a checksum that no reduction order can change, and the
// two lines they end with.
#ifndef APPS_COMMON_APP_H
#define APPS_COMMON_APP_H

#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBadArguments = 2, kWrongResult = 1 };

typedef struct {
  const char* name;
  long least, most;
  long value;  // the default until the arguments are read
} AppArgument;

static inline int app_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int app_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Every rank comes here with the same verdict, so one line is printed and nobody is left waiting.
static inline _Noreturn void app_exit(int code, const char* line) {
  if (app_rank() == 0) fprintf(code == 0 ? stdout : stderr, "%s\n", line);
  MPI_Finalize();
  exit(code);
}

// Reads `count` whole numbers; those not given keep their defaults. "--help" prints `usage`.
static inline void app_arguments(int argc, char** argv, const char* usage, AppArgument* arguments,
                                 int count) {
  char line[256];
  if (argc > 1 && strcmp(argv[1], "--help") == 0) app_exit(0, usage);
  if (argc - 1 > count) app_exit(kBadArguments, usage);
  for (int i = 0; i + 1 < argc; ++i) {
    char* end;
    const long value = strtol(argv[i + 1], &end, 10);
    if (end == argv[i + 1] || *end != '\0' || value < arguments[i].least ||
        value > arguments[i].most) {
      snprintf(line, sizeof line, "%s must be a whole number from %ld to %ld, not '%s'",
               arguments[i].name, arguments[i].least, arguments[i].most, argv[i + 1]);
      app_exit(kBadArguments, line);
    }
    arguments[i].value = value;
  }
}

static inline void* app_allocate(size_t count, size_t size) {
  void* memory = calloc(count ? count : 1, size);
  if (memory == NULL) {
    fprintf(stderr, "out of memory: %zu items of %zu bytes\n", count, size);
    MPI_Abort(MPI_COMM_WORLD, kWrongResult);
  }
  return memory;
}

// Gives back what app_allocate gave.
static inline void app_free(void* const* memory, size_t count) {
  for (size_t i = 0; i < count; ++i) free(memory[i]);
}

// A well-mixed 64-bit value for every key (the finaliser of SplitMix64).
static inline uint64_t app_mix(uint64_t key) {
  key += 0x9e3779b97f4a7c15u;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

// What item `key` with this value adds to a checksum. Sums are modulo 2^64, so they come out the
// same in any order; the key makes a value in the wrong place count.
static inline uint64_t app_term(uint64_t key, uint64_t value) {
  return app_mix(key ^ app_mix(value));
}

static inline uint64_t app_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The sum of every rank's share of the checksum, on all ranks.
static inline uint64_t app_total(uint64_t mine) {
  uint64_t total;
  MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

// The two lines: the checksum, and the main loop's time on the slowest rank.
static inline void app_report(uint64_t checksum, double my_seconds) {
  double seconds;
  MPI_Reduce(&my_seconds, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (app_rank() == 0) printf("checksum %016" PRIx64 "\ntime %.6f s\n", checksum, seconds);
}

#endif
