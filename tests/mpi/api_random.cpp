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
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "stretto/stretto.h"

namespace {

constexpr int kKinds = 8;
constexpr const char* kNames[kKinds] = {"barrier", "bcast",   "reduce",    "allreduce",
                                        "gather",  "scatter", "allgather", "alltoall"};
constexpr MPI_Aint kGuard = 64;  // bytes around each buffer that nothing may touch

// An associative operation that does not commute: 2x2 matrices modulo 2^32.
void multiply(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  const auto* left = static_cast<const unsigned*>(in);
  auto* right = static_cast<unsigned*>(inout);
  for (int i = 0; i < *length; ++i, left += 4, right += 4) {
    const unsigned product[4] = {
        left[0] * right[0] + left[1] * right[2], left[0] * right[1] + left[1] * right[3],
        left[2] * right[0] + left[3] * right[2], left[2] * right[1] + left[3] * right[3]};
    std::copy(product, product + 4, right);
  }
}

struct Types {
  MPI_Datatype matrix{};    // 4 contiguous ints
  MPI_Datatype gapped{};    // every other int of 5
  MPI_Datatype negative{};  // lower bound below its address
  MPI_Datatype empty{};     // no bytes at all
  MPI_Op multiply_matrices{};

  Types() {
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_vector(3, 1, 2, MPI_INT, &gapped);
    int lengths[2] = {1, 2};
    MPI_Aint places[2] = {-8, 4};
    MPI_Datatype parts[2] = {MPI_INT, MPI_INT};
    MPI_Datatype plain{};
    MPI_Type_create_struct(2, lengths, places, parts, &plain);
    MPI_Type_create_resized(plain, -12, 28, &negative);
    MPI_Type_free(&plain);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    for (MPI_Datatype* type : {&matrix, &gapped, &negative, &empty}) MPI_Type_commit(type);
    MPI_Op_create(multiply, 0, &multiply_matrices);
  }
  ~Types() {
    for (MPI_Datatype* type : {&matrix, &gapped, &negative, &empty}) MPI_Type_free(type);
    MPI_Op_free(&multiply_matrices);
  }
};

class Buffer {
 public:
  Buffer(MPI_Datatype type, long elements, unsigned seed) {
    MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const MPI_Aint below = std::max<MPI_Aint>(0, -true_lower) + kGuard;
    const MPI_Aint above = std::max<MPI_Aint>(0, true_lower + true_extent) + kGuard;
    base_ = below;
    bytes_.resize(static_cast<std::size_t>(below + elements * extent + above));
    std::minstd_rand random(seed);
    for (auto& byte : bytes_) byte = static_cast<unsigned char>(random());
  }
  void* data() { return bytes_.data() + base_; }
  bool operator==(const Buffer&) const = default;

 private:
  std::vector<unsigned char> bytes_;
  MPI_Aint base_ = 0;
};

struct Job {
  int kind = 0;
  MPI_Comm comm{};
  int root = 0;
  int count = 0;
  MPI_Datatype send_type{};
  MPI_Datatype recv_type{};
  int send_count = 0;
  int recv_count = 0;
  MPI_Op op{};
  bool in_place = false;
  std::unique_ptr<Buffer> send, ours, theirs;
};

using Random = std::mt19937;
int pick(Random& random, int below) {
  return static_cast<int>(random() % static_cast<unsigned>(below));
}

void choose_types(Job& job, Random& random, const Types& types) {
  const bool reduces = job.kind == 2 || job.kind == 3;
  if (reduces) {
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

Job draw(Random& random, const std::vector<MPI_Comm>& comms, const Types& types, int world_rank) {
  Job job;
  job.kind = pick(random, kKinds);
  job.comm = comms[static_cast<std::size_t>(pick(random, static_cast<int>(comms.size())))];
  int size = 1, rank = 0;
  MPI_Comm_size(job.comm, &size);
  MPI_Comm_rank(job.comm, &rank);
  // Drawn alike on every rank, also where communicators of one name differ in size.
  job.root = pick(random, 60) % size;
  const int counts[] = {0, 1, 2, 7, 64, 1000, 5000};
  job.count = counts[pick(random, 7)];
  job.in_place = pick(random, 3) == 0 && job.kind >= 2;
  choose_types(job, random, types);
  const auto seed = static_cast<unsigned>(random());
  const unsigned my_seed = seed + 7919U * static_cast<unsigned>(world_rank);

  if (job.kind == 1 && rank == job.root) {
    // Ranks may describe one broadcast differently too.
    std::swap(job.send_type, job.recv_type);
    std::swap(job.send_count, job.recv_count);
  }
  const long blocks = size;
  job.send = std::make_unique<Buffer>(job.send_type, job.send_count * blocks, my_seed);
  job.ours = std::make_unique<Buffer>(job.recv_type, job.recv_count * blocks, my_seed + 1);
  job.theirs = std::make_unique<Buffer>(*job.ours);
  const bool root_only = job.kind == 2 || job.kind == 4 || job.kind == 5;
  if (root_only && rank != job.root) job.in_place = false;
  return job;
}

// `nonblocking` == nullptr: blocking.
int run_ours(Job& j, stretto_request* nonblocking) {
  void* recv = j.ours->data();
  const void* send = j.in_place ? MPI_IN_PLACE : j.send->data();
  switch (j.kind) {
    case 0:
      return nonblocking ? stretto_ibarrier(j.comm, nonblocking) : stretto_barrier(j.comm);
    case 1:
      return nonblocking
                 ? stretto_ibcast(recv, j.recv_count, j.recv_type, j.root, j.comm, nonblocking)
                 : stretto_bcast(recv, j.recv_count, j.recv_type, j.root, j.comm);
    case 2:
      return nonblocking
                 ? stretto_ireduce(send, recv, j.recv_count, j.recv_type, j.op, j.root, j.comm,
                                   nonblocking)
                 : stretto_reduce(send, recv, j.recv_count, j.recv_type, j.op, j.root, j.comm);
    case 3:
      return nonblocking ? stretto_iallreduce(send, recv, j.recv_count, j.recv_type, j.op, j.comm,
                                              nonblocking)
                         : stretto_allreduce(send, recv, j.recv_count, j.recv_type, j.op, j.comm);
    case 4:
      return nonblocking ? stretto_igather(send, j.send_count, j.send_type, recv, j.recv_count,
                                           j.recv_type, j.root, j.comm, nonblocking)
                         : stretto_gather(send, j.send_count, j.send_type, recv, j.recv_count,
                                          j.recv_type, j.root, j.comm);
    case 5: {
      void* to = j.in_place ? MPI_IN_PLACE : recv;
      return nonblocking ? stretto_iscatter(j.send->data(), j.send_count, j.send_type, to,
                                            j.recv_count, j.recv_type, j.root, j.comm, nonblocking)
                         : stretto_scatter(j.send->data(), j.send_count, j.send_type, to,
                                           j.recv_count, j.recv_type, j.root, j.comm);
    }
    case 6:
      return nonblocking ? stretto_iallgather(send, j.send_count, j.send_type, recv, j.recv_count,
                                              j.recv_type, j.comm, nonblocking)
                         : stretto_allgather(send, j.send_count, j.send_type, recv, j.recv_count,
                                             j.recv_type, j.comm);
    default:
      return nonblocking ? stretto_ialltoall(send, j.send_count, j.send_type, recv, j.recv_count,
                                             j.recv_type, j.comm, nonblocking)
                         : stretto_alltoall(send, j.send_count, j.send_type, recv, j.recv_count,
                                            j.recv_type, j.comm);
  }
}

void run_theirs(Job& j) {
  void* recv = j.theirs->data();
  const void* send = j.in_place ? MPI_IN_PLACE : j.send->data();
  switch (j.kind) {
    case 0:
      MPI_Barrier(j.comm);
      break;
    case 1:
      MPI_Bcast(recv, j.recv_count, j.recv_type, j.root, j.comm);
      break;
    case 2:
      MPI_Reduce(send, recv, j.recv_count, j.recv_type, j.op, j.root, j.comm);
      break;
    case 3:
      MPI_Allreduce(send, recv, j.recv_count, j.recv_type, j.op, j.comm);
      break;
    case 4:
      MPI_Gather(send, j.send_count, j.send_type, recv, j.recv_count, j.recv_type, j.root, j.comm);
      break;
    case 5:
      MPI_Scatter(j.send->data(), j.send_count, j.send_type, j.in_place ? MPI_IN_PLACE : recv,
                  j.recv_count, j.recv_type, j.root, j.comm);
      break;
    case 6:
      MPI_Allgather(send, j.send_count, j.send_type, recv, j.recv_count, j.recv_type, j.comm);
      break;
    default:
      MPI_Alltoall(send, j.send_count, j.send_type, recv, j.recv_count, j.recv_type, j.comm);
  }
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
        if (*job.ours == *job.theirs) continue;
        ++failures;
        std::printf("rank %d batch %d: %s differs: count %d root %d in place %d\n", rank, batch,
                    kNames[job.kind], job.count, job.root, job.in_place);
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
