// Random collectives through stretto.h against the MPI's own, bit for bit.
//
//   api_random SEED BATCHES
//
// A batch starts several nonblocking collectives of random kind, communicator, root,
// count, datatype, operation and in-place choice, waits for them in random order by a
// random member of the wait family, runs the same calls on the MPI and compares whole
// buffers, gaps and guard bytes included. All ranks draw the same random numbers.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "random_data.hpp"
#include "stretto/stretto.h"

namespace {

enum class Kind {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,  // as in MPI-1
  reduce_scatter_block,
  scan,
  exscan,
  gatherv,
  scatterv,
  allgatherv,
  alltoallv,
  alltoallw,
  reduce_scatter  // blocks differ in size
};
constexpr const char* kNames[] = {"barrier",   "bcast",         "reduce",
                                  "allreduce", "gather",        "scatter",
                                  "allgather", "alltoall",      "reduce_scatter_block",
                                  "scan",      "exscan",        "gatherv",
                                  "scatterv",  "allgatherv",    "alltoallv",
                                  "alltoallw", "reduce_scatter"};
constexpr int kKinds = 17;
static_assert(std::size(kNames) == kKinds);

bool reduces(Kind kind) {
  return kind == Kind::reduce || kind == Kind::allreduce || kind == Kind::reduce_scatter_block ||
         kind == Kind::scan || kind == Kind::exscan || kind == Kind::reduce_scatter;
}
// One side of a collective whose blocks differ in size: a block a rank, in an order of its
// own and with gaps between them.
struct Blocks {
  std::vector<int> counts;
  std::vector<int> displs;  // in elements; of alltoallw in bytes
  std::vector<MPI_Datatype> types;
  int elements = 0;

  void add(int count) {
    counts.push_back(count);
    elements += count + 1;
  }
  // Last block first.
  void place() {
    displs.resize(counts.size());
    int place = 0;
    for (std::size_t i = counts.size(); i-- > 0;) {
      displs[i] = place;
      place += counts[i] + 1;
    }
  }
  void describe_by(int ints, MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 1;
    MPI_Type_get_extent(type, &lower, &extent);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] *= ints;
      displs[i] = displs[i] * ints * static_cast<int>(extent);
      types.push_back(type);
    }
  }
};

struct Job {
  Kind kind{};
  MPI_Comm comm{};
  int root = 0;
  int count = 0;
  MPI_Datatype send_type{};
  MPI_Datatype recv_type{};
  int send_count = 0;
  int recv_count = 0;
  MPI_Op op{};
  bool in_place = false;
  Blocks sends, recvs;
  std::unique_ptr<Buffer> send, ours, theirs;
};

using Random = std::mt19937;
int pick(Random& random, int below) {
  return static_cast<int>(random() % static_cast<unsigned>(below));
}

void choose_types(Job& job, Random& random, const Types& types) {
  if (reduces(job.kind)) {
    const bool matrices = pick(random, 3) == 0;
    job.recv_type = matrices ? types.matrix : MPI_INT;
    const MPI_Op usual[] = {MPI_SUM, MPI_MAX, MPI_BXOR};
    job.op = matrices ? types.multiply_matrices : usual[pick(random, 3)];
    job.send_type = job.recv_type;
    job.send_count = job.recv_count = job.count;
    return;
  }
  const MPI_Datatype all[] = {MPI_INT, MPI_INT, types.gapped, types.negative, types.empty};
  job.send_type = job.recv_type = all[pick(random, 5)];
  job.send_count = job.recv_count = job.count;
  // The same data by another description: three ints for one gapped element.
  const bool three_ints = job.send_type == types.gapped || job.send_type == types.negative;
  if (three_ints && pick(random, 2) == 0) {
    job.send_type = MPI_INT;
    job.send_count = 3 * job.count;
  }
}

// Elements that rank `from` sends rank `to`; alike both ways, as in place wants it.
int block_length(const Job& job, unsigned seed, int from, int to) {
  const auto mixed =
      seed + 31U * static_cast<unsigned>(from + to) + 17U * static_cast<unsigned>(from * to);
  return job.count == 0 ? 0 : static_cast<int>((mixed >> 2) % static_cast<unsigned>(job.count + 1));
}

void draw_blocks(Job& job, unsigned seed, int size, int rank) {
  const bool all_to_all = job.kind == Kind::alltoallv || job.kind == Kind::alltoallw;
  // Three ints for one element, see choose_types.
  const int ints = job.count > 0 ? std::max(1, job.send_count / job.count) : 1;
  for (int i = 0; i < size; ++i) {
    const int length = block_length(job, seed, i, all_to_all ? rank : 0);
    job.sends.add(length);
    job.recvs.add(length);
  }
  job.sends.place();
  job.recvs.place();
  const auto own = static_cast<std::size_t>(rank);
  job.send_count = job.sends.counts[own] * ints;
  job.recv_count = job.recvs.counts[own];
  if (job.kind == Kind::alltoallw) {
    job.sends.describe_by(ints, job.send_type);
    job.recvs.describe_by(1, job.recv_type);
  } else {
    for (int& count : job.sends.counts) count *= ints;
    for (int& place : job.sends.displs) place *= ints;
  }
  job.sends.elements *= ints;
}

bool is_set(const char* name, const char* value) {
  const char* const setting = std::getenv(name);
  return setting != nullptr && std::strcmp(setting, value) == 0;
}

// Is an alltoall of blocks that differ surely Stretto's? Open MPI 4.1's MPI_Ialltoallv and
// MPI_Ialltoallw in place end in truncated messages or hang.
bool is_ours_for_sure() {
  const char* const kForced = "STRETTO_SELECTION_ALLTOALL";
  return !is_set("STRETTO_PROGRESS_THREAD", "off") &&
         (is_set(kForced, "linear") || is_set(kForced, "pairwise"));
}

Job draw(Random& random, const std::vector<MPI_Comm>& comms, const Types& types, int world_rank) {
  Job job;
  job.kind = static_cast<Kind>(pick(random, kKinds));
  job.comm = comms[static_cast<std::size_t>(pick(random, static_cast<int>(comms.size())))];
  int size = 1, rank = 0;
  MPI_Comm_size(job.comm, &size);
  MPI_Comm_rank(job.comm, &rank);
  // Drawn alike on every rank, also where communicators of one name differ in size.
  job.root = pick(random, 60) % size;
  const int counts[] = {0, 1, 2, 7, 64, 1000, 5000};
  job.count = counts[pick(random, 7)];
  job.in_place = pick(random, 3) == 0 && job.kind >= Kind::reduce;
  const bool is_faulty = job.kind == Kind::alltoallv || job.kind == Kind::alltoallw;
  if (is_faulty && !is_ours_for_sure()) job.in_place = false;
  choose_types(job, random, types);
  const auto seed = static_cast<unsigned>(random());
  const unsigned my_seed = seed + 7919U * static_cast<unsigned>(world_rank);

  if (job.kind == Kind::bcast && rank == job.root) {
    // Ranks may describe one broadcast differently too.
    std::swap(job.send_type, job.recv_type);
    std::swap(job.send_count, job.recv_count);
  }
  long sent = static_cast<long>(job.send_count) * size;
  long received = static_cast<long>(job.recv_count) * size;
  if (job.kind >= Kind::gatherv) {
    draw_blocks(job, seed, size, rank);
    sent = job.sends.elements;
    received = job.recvs.elements;
    // In place the vector lies in the receive buffer.
    if (job.kind == Kind::reduce_scatter) sent = received = std::max(sent, received);
  }
  job.send = std::make_unique<Buffer>(job.send_type, sent, my_seed);
  job.ours = std::make_unique<Buffer>(job.recv_type, received, my_seed + 1);
  job.theirs = std::make_unique<Buffer>(*job.ours);
  const bool root_only = job.kind == Kind::reduce || job.kind == Kind::gather ||
                         job.kind == Kind::scatter || job.kind == Kind::gatherv ||
                         job.kind == Kind::scatterv;
  if (root_only && rank != job.root) job.in_place = false;
  return job;
}

// `request` == nullptr: blocking.
int run_ours(Job& j, stretto_request* request) {
  void* const recv = j.ours->data();
#define CALL(lower, Upper, ...) \
  request ? stretto_i##lower(__VA_ARGS__, request) : stretto_##lower(__VA_ARGS__)
#include "random_calls.inc"
#undef CALL
}

int run_theirs(Job& j) {
  void* const recv = j.theirs->data();
#define CALL(lower, Upper, ...) MPI_##Upper(__VA_ARGS__)
#include "random_calls.inc"
#undef CALL
}

void wait_somehow(std::vector<stretto_request>& requests, int how) {
  const int count = static_cast<int>(requests.size());
  std::vector<int> indices(requests.size());
  int flag = 0, index = 0, done = 0;
  switch (how) {
    case 0:
      stretto_waitall(count, requests.data());
      return;
    case 1:
      for (auto r = requests.rbegin(); r != requests.rend(); ++r) stretto_wait(&*r);
      return;
    case 2:
      while (!flag) stretto_testall(count, requests.data(), &flag);
      return;
    case 3:
      for (int i = 0; i <= count; ++i) stretto_waitany(count, requests.data(), &index);
      return;
    case 4:
      while (done != MPI_UNDEFINED) {
        stretto_waitsome(count, requests.data(), &done, indices.data());
      }
      return;
    case 5:
      for (auto& request : requests) {
        for (flag = 0; !flag;) stretto_test(&request, &flag);
      }
      return;
    default:
      for (index = 0; index != MPI_UNDEFINED || !flag;) {
        stretto_testany(count, requests.data(), &index, &flag);
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  const int batches = argc > 2 ? std::atoi(argv[2]) : 20;
  int rank = 0, size = 0, failures = 0;
  long calls = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  {
    const Types types;
    Random random(seed);
    std::vector<MPI_Comm> comms{MPI_COMM_WORLD, MPI_COMM_SELF};
    comms.resize(5);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[3]);  // reversed
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[4]);
    for (int batch = 0; batch < batches; ++batch) {
      std::vector<Job> jobs;
      std::vector<stretto_request> requests;
      for (int i = 1 + pick(random, 6); i > 0; --i)
        jobs.push_back(draw(random, comms, types, rank));
      const bool blocking = pick(random, 4) == 0;
      const int how = pick(random, 7);
      for (Job& job : jobs) {
        if (!blocking) requests.push_back(STRETTO_REQUEST_NULL);
        if (run_ours(job, blocking ? nullptr : &requests.back()) != MPI_SUCCESS) ++failures;
      }
      wait_somehow(requests, how);
      for (Job& job : jobs) {
        run_theirs(job);
        ++calls;
        const bool rest_undefined = job.in_place && (job.kind == Kind::reduce_scatter ||
                                                     job.kind == Kind::reduce_scatter_block);
        if (rest_undefined) {
          MPI_Aint lower = 0, extent = 0;
          MPI_Type_get_extent(job.recv_type, &lower, &extent);
          job.ours->take_rest(*job.theirs, job.recv_count * extent);
        }
        if (*job.ours == *job.theirs) continue;
        ++failures;
        std::printf("rank %d batch %d: %s differs: count %d root %d in place %d\n", rank, batch,
                    kNames[static_cast<int>(job.kind)], job.count, job.root, job.in_place);
      }
    }
    stretto_finalize();
    for (std::size_t i = 2; i < comms.size(); ++i) MPI_Comm_free(&comms[i]);
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld collectives, %d differences\n", calls, all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
