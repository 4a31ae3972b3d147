// Two transports serve one operation: which peer goes by which is decided once a communicator.

#include <gtest/gtest.h>

#include <numeric>

#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"
#include "transport/fake_transport.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::NeverNative;
using fake_mpi::WithStretto;

class TransportsAtOnce : public testing::Test {
 protected:
  // Pairs of ranks are near each other: 0 and 1, 2 and 3, ...
  template <class Body>
  void run(int ranks, const Body& body) {
    const NeverNative never_native;
    Job job(ranks);
    job.run([&](int rank) {
      Transports transports;
      transports.push_back(std::make_unique<FakeTransport>(
          network, [](int one, int other) { return one / 2 == other / 2; }));
      transports.push_back(std::make_unique<MpiTransport>());
      const WithStretto stretto(std::move(transports));
      body(job, rank);
    });
  }
  std::shared_ptr<FakeNetwork> network = std::make_shared<FakeNetwork>();
};

TEST_F(TransportsAtOnce, EachCarriesItsPeersMessages) {
  run(4, [&](Job& job, int rank) {
    Communicator& world = attached(MPI_COMM_WORLD);
    const long by_mpi = job.calls(rank, "Isend");
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = 0;
    EXPECT_EQ(run_blocking(allreduce(world, &rank, &sum, 1)), MPI_SUCCESS);
    EXPECT_EQ(sum, 6);
    // Recursive doubling: one message to the neighbour, and one to a rank farther away.
    EXPECT_EQ(job.calls(rank, "Isend") - by_mpi, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(network->messages(), 4);
  });
}

TEST_F(TransportsAtOnce, ACommunicatorsRanksGoByThoseOfTheGroup) {
  run(5, [&](Job& job, int rank) {
    MPI_Comm odd{};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
    ASSERT_TRUE(communicators::attach(odd));
    const long before = network->messages();
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> data(500);
    if (attached(odd).rank == 0) std::iota(data.begin(), data.end(), 0);
    EXPECT_EQ(run_blocking(bcast(attached(odd), data.data(), 500, 0)), MPI_SUCCESS);
    EXPECT_EQ(data[499], 499);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(network->messages(), before);  // no two of these are near each other
    MPI_Comm_free(&odd);
    static_cast<void>(job);
  });
}

TEST_F(TransportsAtOnce, AStallIsSaidWhicheverIsLate) {
  const Setting soon("STRETTO_STALL_SECONDS", "1");
  testing::internal::CaptureStderr();
  run(2, [&](Job& /*job*/, int rank) {
    if (rank == 0) network->hold(true);
    MPI_Barrier(MPI_COMM_WORLD);
    int data = 1 - rank;
    if (rank == 0) {
      RankContext& here = RankContext::current();
      std::thread later([&] {
        const Running running(here);
        std::this_thread::sleep_for(std::chrono::milliseconds(1300));
        network->hold(false);
      });
      EXPECT_EQ(run_blocking(bcast(attached(MPI_COMM_WORLD), &data, 1, 0)), MPI_SUCCESS);
      later.join();
    } else {
      EXPECT_EQ(run_blocking(bcast(attached(MPI_COMM_WORLD), &data, 1, 0)), MPI_SUCCESS);
      EXPECT_EQ(data, 1);
    }
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("has waited 1 s for rank 0 in bcast on 2 ranks"), std::string::npos) << said;
}

TEST_F(TransportsAtOnce, ManyOperationsAtATimeKeepApart) {
  run(4, [&](Job& /*job*/, int rank) {
    Communicator& world = attached(MPI_COMM_WORLD);
    std::vector<std::vector<int>> in;
    std::vector<std::vector<int>> out;
    std::vector<Operation*> operations;
    for (int i = 0; i < 12; ++i) {
      in.emplace_back(100, rank + i);
      out.emplace_back(100);
    }
    for (std::size_t i = 0; i < 12; ++i) {
      operations.push_back(
          Engine::get().start(allreduce(world, in[i].data(), out[i].data(), 100), true, {}));
    }
    for (std::size_t i = 0; i < 12; ++i) {
      Engine::get().wait(*operations[i]);
      EXPECT_EQ(out[i][99], 6 + 4 * static_cast<int>(i));
      Engine::release(operations[i]);
    }
  });
}

}  // namespace
}  // namespace stretto
