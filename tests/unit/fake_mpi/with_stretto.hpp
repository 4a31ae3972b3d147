// Jobs whose ranks run Stretto, as programs that call stretto.h do.
#pragma once

#include <gtest/gtest.h>

#include "engine/communicator.hpp"
#include "engine/engine.hpp"
#include "fake_mpi/job.hpp"
#include "settings.hpp"
#include "stretto/stretto.h"
#include "transport/mpi/mpi_transport.hpp"

namespace fake_mpi {

// Messages that the fake MPI carries, which fails and holds back those that a test names.
inline stretto::Transports by_the_mpi() {
  stretto::Transports transports;
  transports.push_back(std::make_unique<stretto::MpiTransport>());
  return transports;
}

// Stretto on this rank, until it goes out of scope: on all ranks of a world alike.
class WithStretto {
 public:
  // Whom its messages go by, and whether it has a progress thread.
  explicit WithStretto(stretto::Transports transports = by_the_mpi(), bool progress_thread = true) {
    EXPECT_TRUE(
        stretto::Engine::get().open(MPI_THREAD_MULTIPLE, progress_thread, std::move(transports)));
    stretto::communicators::expect_world();
    EXPECT_TRUE(stretto::communicators::attach(MPI_COMM_WORLD));
    EXPECT_TRUE(stretto::communicators::attach(MPI_COMM_SELF));
  }
  ~WithStretto() { stretto_finalize(); }
  WithStretto(const WithStretto&) = delete;
  WithStretto& operator=(const WithStretto&) = delete;
};

// No collective is the MPI's because that is expected to be faster.
struct NeverNative {
  stretto::Setting setting{"STRETTO_SELECTION", "stretto"};
};

// `program` on each rank of a job, with Stretto.
inline void run_with_stretto(Job& job, const std::function<void(int rank)>& program,
                             stretto::Transports (*transports)() = by_the_mpi) {
  const NeverNative never_native;
  job.run([&](int rank) {
    const WithStretto stretto(transports());
    program(rank);
  });
}

}  // namespace fake_mpi
