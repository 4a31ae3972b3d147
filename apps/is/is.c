// Sorts whole numbers into buckets, and the buckets onto ranks: the communication of NPB's IS.
//
// Every iteration counts the keys of each bucket (MPI_Allreduce: how many all ranks have), gives
// each rank a run of buckets with about its share of the keys, tells the others how many keys to
// expect (MPI_Alltoall), sends them (MPI_Alltoallv) and sorts what came by counting. As in NPB,
// keys are bell-shaped, so the buckets in the middle hold most of them, and every iteration changes
// two keys first, so that no iteration has the answer of the one before.
//
// A key depends on its number among all keys only. There is one way to sort them, so the checksum,
// over every key and its place, is the same on any number of ranks.
//
// Usage: is [keys [iterations]]    keys in all, not on each rank

#include "../common/app.h"

enum {
  kKeyBits = 18,
  kRange = 1 << kKeyBits,
  kBucketBits = 10,
  kBuckets = 1 << kBucketBits,
  kShift = kKeyBits - kBucketBits,
  kProbes = 5,
};

static const char kUsage[] =
    "usage: is [keys [iterations]]  (keys in all, of 18 bits each; default 4194304 30)";

typedef struct {
  int rank, ranks;
  long total, first, count;  // keys: of all ranks, before this rank's, this rank's
  int *keys, *outgoing;      // this rank's, as they are and by bucket
  int *sizes, *all_sizes;    // of every bucket: this rank's keys, everyone's
  int *send_counts, *send_first, *recv_counts, *recv_first;  // one for each rank
  int *incoming, *sorted;                                    // what came, in any order and sorted
  long capacity, found;                                      // of these two; how many came
  long before;                                               // keys on lower ranks, after the sort
  int* places;  // for every key of this rank's buckets, the place its first one has
} Sort;

// Four uniform numbers together: most keys are in the middle.
static int key_number(long i) {
  const uint64_t bits = app_mix((uint64_t)i);
  return (int)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
}

static void set_key(const Sort* sort, long number, int key) {
  if (number >= sort->first && number < sort->first + sort->count)
    sort->keys[number - sort->first] = key;
}

static void change_keys(const Sort* sort, int iteration) {
  set_key(sort, iteration % sort->total, iteration % kRange);
  set_key(sort, sort->total - 1 - iteration % sort->total, kRange - 1 - iteration % kRange);
}

static void count_buckets(const Sort* sort) {
  memset(sort->sizes, 0, kBuckets * sizeof *sort->sizes);
  for (long i = 0; i < sort->count; ++i) ++sort->sizes[sort->keys[i] >> kShift];
  MPI_Allreduce(sort->sizes, sort->all_sizes, kBuckets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

// The rank to which a bucket goes that has `before` keys in the buckets below it.
static int owner(const Sort* sort, long before) {
  return before < sort->total ? (int)(before * sort->ranks / sort->total) : sort->ranks - 1;
}

// Lays the keys out by bucket, and so by the rank they go to. `*low` to `*high`, that one not
// included, are the buckets that come here.
static void pack(Sort* sort, int* low, int* high) {
  int start[kBuckets];
  int position = 0;
  long before = 0;
  *low = *high = 0;
  sort->before = 0;
  memset(sort->send_counts, 0, (size_t)sort->ranks * sizeof *sort->send_counts);
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    const int to = owner(sort, before);
    start[bucket] = position;
    position += sort->sizes[bucket];
    sort->send_counts[to] += sort->sizes[bucket];
    if (to == sort->rank) {
      if (*high == 0) {
        *low = bucket;
        sort->before = before;
      }
      *high = bucket + 1;
    }
    before += sort->all_sizes[bucket];
  }
  for (long i = 0; i < sort->count; ++i)
    sort->outgoing[start[sort->keys[i] >> kShift]++] = sort->keys[i];
}

static int lay_out(int ranks, const int* counts, int* first) {
  int sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    first[rank] = sum;
    sum += counts[rank];
  }
  return sum;
}

static void make_room(Sort* sort, long capacity) {
  if (capacity <= sort->capacity) return;
  free(sort->incoming);
  free(sort->sorted);
  sort->incoming = app_allocate((size_t)capacity, sizeof(int));
  sort->sorted = app_allocate((size_t)capacity, sizeof(int));
  sort->capacity = capacity;
}

static void send_keys(Sort* sort) {
  MPI_Alltoall(sort->send_counts, 1, MPI_INT, sort->recv_counts, 1, MPI_INT, MPI_COMM_WORLD);
  lay_out(sort->ranks, sort->send_counts, sort->send_first);
  sort->found = lay_out(sort->ranks, sort->recv_counts, sort->recv_first);
  make_room(sort, sort->found);
  MPI_Alltoallv(sort->outgoing, sort->send_counts, sort->send_first, MPI_INT, sort->incoming,
                sort->recv_counts, sort->recv_first, MPI_INT, MPI_COMM_WORLD);
}

// Sorts what came, keys from `low` on and below `high`. A few keys' places go into the checksum: as
// NPB's partial verification, what shows that this iteration was right.
static uint64_t sort_incoming(const Sort* sort, int low, int high, int iteration) {
  int* places = sort->places;
  uint64_t checksum = 0;
  memset(places, 0, (size_t)(high - low) * sizeof *places);
  for (long i = 0; i < sort->found; ++i) ++places[sort->incoming[i] - low];
  int place = 0;
  for (int key = 0; key < high - low; ++key) {
    const int count = places[key];
    places[key] = place;
    place += count;
  }
  for (int probe = 0; probe < kProbes; ++probe) {
    const int key = key_number(probe);
    if (key >= low && key < high)
      checksum += app_term((uint64_t)iteration * kProbes + (uint64_t)probe,
                           (uint64_t)(sort->before + places[key - low]));
  }
  for (long i = 0; i < sort->found; ++i)
    sort->sorted[places[sort->incoming[i] - low]++] = sort->incoming[i];
  return checksum;
}

static uint64_t iterate(Sort* sort, int iteration) {
  int low, high;
  change_keys(sort, iteration);
  count_buckets(sort);
  pack(sort, &low, &high);
  send_keys(sort);
  return sort_incoming(sort, low << kShift, high << kShift, iteration);
}

// Whether the keys are in order, on this rank and after those of all lower ranks, and are those
// there were.
static int is_sorted(const Sort* sort) {
  uint64_t wrong = 0, missing = 0;
  int largest = sort->found > 0 ? sort->sorted[sort->found - 1] : 0, below = 0;
  MPI_Exscan(&largest, &below, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (sort->rank == 0) below = 0;  // MPI_Exscan leaves it undefined there
  for (long i = 0; i < sort->found; ++i) {
    if (sort->sorted[i] < below) ++wrong;
    below = sort->sorted[i];
    missing -= app_mix((uint64_t)sort->sorted[i]);
  }
  for (long i = 0; i < sort->count; ++i) missing += app_mix((uint64_t)sort->keys[i]);
  wrong = app_total(wrong);
  return app_total(missing) == 0 && wrong == 0 &&
         app_total((uint64_t)sort->found) == (uint64_t)sort->total;
}

static uint64_t share_of_checksum(const Sort* sort) {
  uint64_t checksum = 0;
  for (long i = 0; i < sort->found; ++i)
    checksum += app_term((uint64_t)(sort->before + i), (uint64_t)sort->sorted[i]);
  return checksum;
}

static Sort make_sort(long total) {
  Sort sort = {.rank = app_rank(), .ranks = app_size(), .total = total};
  sort.first = total * sort.rank / sort.ranks;
  sort.count = total * (sort.rank + 1) / sort.ranks - sort.first;
  sort.keys = app_allocate((size_t)sort.count, sizeof(int));
  sort.outgoing = app_allocate((size_t)sort.count, sizeof(int));
  sort.sizes = app_allocate(kBuckets, sizeof(int));
  sort.all_sizes = app_allocate(kBuckets, sizeof(int));
  sort.send_counts = app_allocate((size_t)sort.ranks, sizeof(int));
  sort.send_first = app_allocate((size_t)sort.ranks, sizeof(int));
  sort.recv_counts = app_allocate((size_t)sort.ranks, sizeof(int));
  sort.recv_first = app_allocate((size_t)sort.ranks, sizeof(int));
  sort.places = app_allocate(kRange, sizeof(int));
  make_room(&sort, sort.count + sort.count / 4 + 1);
  for (long i = 0; i < sort.count; ++i) sort.keys[i] = key_number(sort.first + i);
  return sort;
}

static void free_sort(Sort* sort) {
  void* const memory[] = {sort->keys,        sort->outgoing,   sort->sizes,       sort->all_sizes,
                          sort->send_counts, sort->send_first, sort->recv_counts, sort->recv_first,
                          sort->places,      sort->incoming,   sort->sorted};
  app_free(memory, sizeof memory / sizeof *memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {{"keys", 1, 1L << 28, 1L << 22}, {"iterations", 1, 1000000, 30}};
  app_arguments(argc, argv, kUsage, arguments, 2);
  const int iterations = (int)arguments[1].value;

  Sort sort = make_sort(arguments[0].value);
  uint64_t checksum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int iteration = 0; iteration < iterations; ++iteration)
    checksum += iterate(&sort, iteration);
  const double seconds = MPI_Wtime() - start;

  const int sorted = is_sorted(&sort);
  checksum = app_total(checksum + share_of_checksum(&sort));
  free_sort(&sort);
  if (!sorted) app_exit(kWrongResult, "the keys are not sorted");
  app_report(checksum, seconds);
  MPI_Finalize();
}
