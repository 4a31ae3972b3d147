// What the progress thread does on a host whose ranks have no core to spare.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

#include "engine/tasks.hpp"
#include "engine/world.hpp"
#include "fake_mpi/with_stretto.hpp"
#include "transport/fake_transport.hpp"

namespace stretto {
namespace {

using fake_mpi::eventually;
using fake_mpi::Job;

class SpareCores : public testing::Test {
 protected:
  // Two ranks between which messages are held back at first, and an allreduce of `count` ints is
  // pending.
  template <class Body>
  void run(bool spare_cores, Count count, const Body& body) {
    const fake_mpi::NeverNative never_native;
    network->hold(true);
    network->set_awaited(false);
    job.run([&](int rank) {
      auto near = std::make_unique<FakeTransport>(network, [](int, int) { return true; });
      const FakeTransport& fake = *near;
      Transports transports = fake_mpi::by_the_mpi();
      transports.insert(transports.begin(), std::move(near));
      const fake_mpi::WithStretto stretto(std::move(transports));
      Engine& engine = Engine::get();
      engine.set_hosts({.numbers = {.hosts = 1}, .spare_cores = spare_cores});
      const std::vector<int> ranks(static_cast<std::size_t>(count), rank);
      std::vector<int> sums(ranks.size());
      Operation* const operation = engine.start(
          allreduce(attached(MPI_COMM_WORLD), ranks.data(), sums.data(), count), true, {});
      body(engine, fake);
      MPI_Barrier(MPI_COMM_WORLD);
      network->hold(false);
      eventually([&] { return operation->done(); });
      EXPECT_EQ(sums, std::vector<int>(ranks.size(), 1));
      Engine::release(operation);
    });
  }

  // How often it polls of so many times that it looks whether it should.
  static long polls_of(long looks, const Engine& engine, const FakeTransport& fake) {
    const long before = fake.polls();  // first, as it goes on meanwhile
    const long first = engine.progress_wakeups();
    eventually([&] { return engine.progress_wakeups() >= first + looks; });
    return fake.polls() - before;
  }

  static constexpr Count kLong = 10'000;  // ints: a message whose sender may wait for an answer

  std::shared_ptr<FakeNetwork> network = std::make_shared<FakeNetwork>();
  Job job{2};
};

// Each time twice.
TEST_F(SpareCores, WithoutThemWhatNobodyWaitsForIsPolledForRarely) {
  run(false, kLong, [](const Engine& engine, const FakeTransport& fake) {
    const long polls = polls_of(40, engine, fake);
    EXPECT_GE(polls, 2 * 4);
    EXPECT_LE(polls, 2 * 20);
  });
}

TEST_F(SpareCores, WithoutThemItIsPolledForOnceAnotherRankWaits) {
  run(false, kLong, [this](const Engine& engine, const FakeTransport& fake) {
    network->set_awaited(true);
    EXPECT_GE(polls_of(40, engine, fake), 2 * 38);
  });
}

TEST_F(SpareCores, WithThemItIsPolledForAllTheSame) {
  run(true, kLong, [](const Engine& engine, const FakeTransport& fake) {
    EXPECT_GE(polls_of(40, engine, fake), 2 * 38);
  });
}

// Of one rank the thread looks all the time whether it is needed, as something of the MPI's is
// pending besides; of the other it has no need to, until the same is true there.
TEST_F(SpareCores, WithoutThemTheThreadSleepsLongerWhereNoOtherRankNeedsAnything) {
  std::array<std::atomic<Engine*>, 2> engines{};
  run(false, 1, [&](Engine& engine, const FakeTransport& fake) {
    const int rank = attached(MPI_COMM_WORLD).rank;
    engines.at(static_cast<std::size_t>(rank)) = &engine;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      engine.add_background(1);
      const long before = engines[1].load()->progress_wakeups();
      polls_of(40, engine, fake);
      EXPECT_LT(engines[1].load()->progress_wakeups() - before, 30);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      engine.add_background(1);
      const long before = engines[0].load()->progress_wakeups();
      polls_of(40, engine, fake);
      EXPECT_GT(engines[0].load()->progress_wakeups() - before, 10);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    engine.add_background(-1);
  });
}

}  // namespace
}  // namespace stretto
