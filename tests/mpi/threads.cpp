// Several threads of a program, each with nonblocking collectives in flight on a
// communicator of its own. Prints "threads ok" on rank 0.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <thread>
#include <vector>

#include "stretto/stretto.h"

namespace {

constexpr int kThreads = 3;
constexpr int kInFlight = 4;
constexpr int kRounds = 40;
constexpr int kCount = 2000;

void exercise(MPI_Comm comm, bool* right) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> mine(kCount);
  for (int i = 0; i < kCount; ++i) mine[static_cast<std::size_t>(i)] = rank + i;
  std::array<std::vector<int>, kInFlight> sums;
  for (auto& sum : sums) sum.resize(kCount);

  *right = true;
  for (int round = 0; round < kRounds; ++round) {
    std::array<stretto_request, kInFlight> requests{};
    for (std::size_t i = 0; i < kInFlight; ++i) {
      stretto_iallreduce(mine.data(), sums[i].data(), kCount, MPI_INT, MPI_SUM, comm, &requests[i]);
    }
    stretto_waitall(kInFlight, requests.data());
    for (auto& sum : sums) {
      for (int i = 0; i < kCount; ++i) {
        if (sum[static_cast<std::size_t>(i)] != size * (size - 1) / 2 + size * i) *right = false;
      }
      sum.assign(kCount, -1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 5);
  std::array<MPI_Comm, kThreads> comms{};
  std::array<bool, kThreads> right{};
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    stretto_attach(comm);
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back(exercise, comms[t], &right[t]);
  }
  int mine = 1, all = 0, rank = 0;
  for (const bool ok : right) mine = mine && ok;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  stretto_finalize();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("threads %s\n", all ? "ok" : "WRONG");
  MPI_Finalize();
  return all ? 0 : 1;
}
