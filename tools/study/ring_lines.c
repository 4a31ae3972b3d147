/* What one process's vector takes to come to another's, and to be added up there, with nothing
 * else in between: what decision 31 says of cache lines, and what a reduce of two ranks can be.
 *
 *   cc -O3 -march=native -o ring_lines tools/study/ring_lines.c && ./ring_lines [BYTES]
 *
 * Prints the least time of each way, in us:
 *
 *   ring, left    copied into a ring of 128 KiB, and out of it
 *   ring, taken   the same; who reads first writes a byte of each line with what it is
 *   add, taken    the same, and added up straight from the ring
 *   add, pulled   read from the other's memory, and added up
 *   add, shared   each adds up a part (0.6 the root), and writes it into the root's memory
 *
 * Needs two processors and a kernel that lets the processes read each other's memory. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, CHUNK = 16 << 10, RING = 128 << 10, PULLED = 64 << 10, RUNS = 5, CALLS = 20 };
enum { CHUNKS = RING / CHUNK };

typedef struct {
  _Alignas(2 * LINE) atomic_ulong met[2]; /* how often each has come to meet */
  _Alignas(2 * LINE) atomic_ulong written;
  _Alignas(2 * LINE) atomic_ulong read;
  pid_t pid[2];
  float* in[2];
  float* out[2];
  _Alignas(4096) char ring[RING];
} Shared;

static Shared* shared;
static int me; /* 0: the root */
static size_t bytes;
static float *in, *out, *theirs;
static unsigned long meetings, chunks;

static void await(atomic_ulong* number, unsigned long least) {
  while (atomic_load_explicit(number, memory_order_acquire) < least) {
  }
}

static void meet(void) {
  atomic_store_explicit(&shared->met[me], ++meetings, memory_order_release);
  await(&shared->met[1 - me], meetings);
}

static void add(float* restrict sum, const float* restrict a, const float* restrict b, size_t n) {
  for (size_t i = 0; i < n / sizeof *sum; ++i) sum[i] = a[i] + b[i];
}

static void take(char* data) {
  for (size_t i = 0; i < CHUNK; i += LINE) {
    volatile char* byte = data + i;
    *byte = *byte;
  }
}

static void by_ring(int takes, int adds) {
  for (size_t at = 0; at < bytes; at += CHUNK) {
    char* place = shared->ring + chunks % CHUNKS * CHUNK;
    ++chunks;
    if (me == 1) {
      if (chunks > CHUNKS) await(&shared->read, chunks - CHUNKS);
      memcpy(place, (char*)in + at, CHUNK);
      atomic_store_explicit(&shared->written, chunks, memory_order_release);
      continue;
    }
    await(&shared->written, chunks);
    if (takes) take(place);
    const size_t first = at / sizeof *in;
    if (adds) {
      add(out + first, in + first, (float*)place, CHUNK);
    } else {
      memcpy(out + first, place, CHUNK);
    }
    atomic_store_explicit(&shared->read, chunks, memory_order_release);
  }
}

static void left(void) { by_ring(0, 0); }
static void taken(void) { by_ring(1, 0); }
static void added(void) { by_ring(1, 1); }

/* From `begin` to `end` of the vectors, by this process. */
static void add_pulled(size_t begin, size_t end) {
  for (size_t at = begin; at < end; at += PULLED) {
    const size_t some = end - at < PULLED ? end - at : PULLED, first = at / sizeof *in;
    const struct iovec here = {theirs, some}, there = {shared->in[1 - me] + first, some};
    if (process_vm_readv(shared->pid[1 - me], &here, 1, &there, 1, 0) < 0) _exit(1);
    float* sum = me == 0 ? out + first : theirs;
    add(sum, in + first, theirs, some);
    const struct iovec result = {sum, some}, place = {shared->out[0] + first, some};
    if (me == 1 && process_vm_writev(shared->pid[0], &result, 1, &place, 1, 0) < 0) _exit(1);
  }
}

static void pulled(void) {
  meet(); /* the data are there */
  if (me == 0) add_pulled(0, bytes);
}

static void shared_out(void) {
  const size_t part = bytes * 6 / 10 / CHUNK * CHUNK;
  meet();
  add_pulled(me == 0 ? 0 : part, me == 0 ? part : bytes);
}

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void measure(const char* name, void (*way)(void), float expected) {
  double least = 1e300;
  for (int run = 0; run < RUNS; ++run) {
    meet();
    const double start = now_us();
    for (int call = 0; call < CALLS; ++call) {
      way();
      meet(); /* it is done, on both sides */
    }
    const double time = (now_us() - start) / CALLS;
    if (time < least) least = time;
  }
  if (me == 1) return;
  size_t wrong = 0;
  for (size_t i = 0; i < bytes / sizeof *out; ++i) wrong += out[i] != expected;
  printf("%-12s %8.1f us%s\n", name, least, wrong == 0 ? "" : "  WRONG");
  fflush(stdout);
}

int main(int argc, char** argv) {
  bytes = argc > 1 ? strtoul(argv[1], NULL, 0) : 256 << 10;
  if (bytes == 0 || bytes % CHUNK != 0) {
    fprintf(stderr, "ring_lines: BYTES is to be a multiple of %d\n", CHUNK);
    return 2;
  }
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  me = fork() == 0 ? 1 : 0;
  if (me == 1) prctl(PR_SET_PDEATHSIG, SIGKILL); /* it would spin for ever, alone */
  cpu_set_t cpu;
  CPU_ZERO(&cpu);
  CPU_SET(me, &cpu);
  sched_setaffinity(0, sizeof cpu, &cpu);
  in = aligned_alloc(4096, bytes);
  out = aligned_alloc(4096, bytes);
  theirs = aligned_alloc(4096, PULLED);
  if (in == NULL || out == NULL || theirs == NULL) return 1;
  for (size_t i = 0; i < bytes / sizeof *in; ++i) in[i] = (float)(me + 1);
  memset(out, 0, bytes);
  shared->pid[me] = getpid();
  shared->in[me] = in;
  shared->out[me] = out;
  meet();
  measure("ring, left", left, 2);
  measure("ring, taken", taken, 2);
  measure("add, taken", added, 3);
  measure("add, pulled", pulled, 3);
  measure("add, shared", shared_out, 3);
  return 0;
}
