// What MPI_Alltoall costs on these ranks, for blocks from 8 bytes on: a small table, and hardly any
// time spent in anything else.
//
// For each size, after a barrier, every rank calls MPI_Alltoall `repetitions` times; the table has
// the slowest rank's time a call. The first word of every block changes with every call and is
// looked at after it (so no call may leave old data), the rest of the blocks after the last call.
//
// The data that travels depends on the number of ranks, and so does the checksum.
//
// Usage: alltoall [max_bytes [repetitions]]    blocks of 8, 16, 32 ... max_bytes, one to each rank

#include "../common/app.h"

static const char kUsage[] =
    "usage: alltoall [max_bytes [repetitions]]  (the largest block; default 1048576 1000)";

typedef struct {
  int rank, ranks;
  uint64_t *outgoing, *incoming;
} Blocks;

// One word of the block that `from` sends to `to`.
static uint64_t word(int from, int to, size_t i) {
  return app_mix(((uint64_t)from << 44) ^ ((uint64_t)to << 24) ^ i);
}

// The first word of all blocks that `from` sends with this call.
static uint64_t stamp(int from, int repetition) { return (uint64_t)from + (uint64_t)repetition; }

static void fill(const Blocks* blocks, size_t words) {
  uint64_t* out = blocks->outgoing;
  for (int to = 0; to < blocks->ranks; ++to)
    for (size_t i = 0; i < words; ++i, ++out) *out = word(blocks->rank, to, i);
}

// How many words are not what they should be; adds the others to the checksum.
static uint64_t check(const Blocks* blocks, size_t words, int last, uint64_t* checksum) {
  const uint64_t* in = blocks->incoming;
  uint64_t wrong = 0;
  for (int from = 0; from < blocks->ranks; ++from)
    for (size_t i = 0; i < words; ++i, ++in) {
      const uint64_t expected = i == 0 ? stamp(from, last) : word(from, blocks->rank, i);
      if (*in != expected) ++wrong;
      *checksum += app_mix(*in ^ words);
    }
  return wrong;
}

static uint64_t call(const Blocks* blocks, size_t words, int repetition) {
  uint64_t wrong = 0;
  for (int to = 0; to < blocks->ranks; ++to)
    blocks->outgoing[(size_t)to * words] = stamp(blocks->rank, repetition);
  MPI_Alltoall(blocks->outgoing, (int)words, MPI_UINT64_T, blocks->incoming, (int)words,
               MPI_UINT64_T, MPI_COMM_WORLD);
  for (int from = 0; from < blocks->ranks; ++from)
    if (blocks->incoming[(size_t)from * words] != stamp(from, repetition)) ++wrong;
  return wrong;
}

// One line of the table; returns the time it took this rank.
static double measure(const Blocks* blocks, size_t words, int repetitions, uint64_t* wrong) {
  double worst = 0;
  *wrong += call(blocks, words, repetitions);  // the first call may have to set things up
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int repetition = 0; repetition < repetitions; ++repetition)
    *wrong += call(blocks, words, repetition);
  const double seconds = MPI_Wtime() - start;
  MPI_Reduce(&seconds, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (blocks->rank == 0)
    printf("%8zu %14.2f\n", words * sizeof(uint64_t), worst / repetitions * 1e6);
  return seconds;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {{"max_bytes", 8, 1L << 26, 1L << 20},
                             {"repetitions", 1, 1000000, 1000}};
  app_arguments(argc, argv, kUsage, arguments, 2);
  const size_t most = (size_t)arguments[0].value / sizeof(uint64_t);
  const int repetitions = (int)arguments[1].value;

  Blocks blocks = {.rank = app_rank(), .ranks = app_size()};
  blocks.outgoing = app_allocate(most * (size_t)blocks.ranks, sizeof(uint64_t));
  blocks.incoming = app_allocate(most * (size_t)blocks.ranks, sizeof(uint64_t));
  double seconds = 0;
  uint64_t checksum = 0, wrong = 0;
  if (blocks.rank == 0) printf("%8s %14s\n", "bytes", "us per call");
  for (size_t words = 1; words <= most; words *= 2) {
    fill(&blocks, words);
    seconds += measure(&blocks, words, repetitions, &wrong);
    wrong += check(&blocks, words, repetitions - 1, &checksum);
  }

  checksum = app_total(checksum);
  wrong = app_total(wrong);
  free(blocks.outgoing);
  free(blocks.incoming);
  if (wrong > 0) app_exit(kWrongResult, "what arrived is not what was sent");
  app_report(checksum, seconds);
  MPI_Finalize();
}
