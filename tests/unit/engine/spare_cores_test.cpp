// What the progress thread does on a host whose ranks have no core to spare.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>

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
  // Two ranks between which messages are held back at first, and an allreduce is pending.
  template <class Body>
  void run(bool spare_cores, const Body& body) {
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
      int sum = 0;
      Operation* const operation =
          engine.start(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1), true, {});
      body(engine, fake);
      MPI_Barrier(MPI_COMM_WORLD);
      network->hold(false);
      eventually([&] { return operation->done(); });
      EXPECT_EQ(sum, 1);
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

  std::shared_ptr<FakeNetwork> network = std::make_shared<FakeNetwork>();
  Job job{2};
};

// Each time twice.
TEST_F(SpareCores, WithoutThemWhatNobodyWaitsForIsPolledForRarely) {
  run(false, [](const Engine& engine, const FakeTransport& fake) {
    const long polls = polls_of(40, engine, fake);
    EXPECT_GE(polls, 2 * 4);
    EXPECT_LE(polls, 2 * 20);
  });
}

TEST_F(SpareCores, WithoutThemItIsPolledForOnceAnotherRankWaits) {
  run(false, [this](const Engine& engine, const FakeTransport& fake) {
    network->set_awaited(true);
    EXPECT_GE(polls_of(40, engine, fake), 2 * 38);
  });
}

TEST_F(SpareCores, WithThemItIsPolledForAllTheSame) {
  run(true, [](const Engine& engine, const FakeTransport& fake) {
    EXPECT_GE(polls_of(40, engine, fake), 2 * 38);
  });
}

// Ranks of a host without spare cores that wake each other.
class Doorbells : public testing::Test {
 protected:
  using Begin = std::function<Operation*(int rank)>;

  // `begin` begins something on each rank while messages are held back, and `body` is run on rank
  // 0.
  void run(int ranks, const Begin& begin, const std::function<void()>& body) {
    const fake_mpi::NeverNative never_native;
    network->hold(true);
    network->set_awaited(false);
    network->set_doorbells();
    Job job(ranks);
    job.run([&](int rank) {
      Transports transports = fake_mpi::by_the_mpi();
      transports.insert(transports.begin(),
                        std::make_unique<FakeTransport>(network, [](int, int) { return true; }));
      const fake_mpi::WithStretto stretto(std::move(transports));
      Engine& engine = Engine::get();
      engine.set_hosts({.numbers = {.hosts = 1}});
      engines.at(static_cast<std::size_t>(rank)) = &engine;
      Operation* const operation = begin(rank);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) body();
      MPI_Barrier(MPI_COMM_WORLD);
      network->hold(false);
      engine.wait(*operation);
      Engine::release(operation);
      MPI_Barrier(MPI_COMM_WORLD);
    });
  }

  long wakeups(int rank) {
    return engines.at(static_cast<std::size_t>(rank)).load()->progress_wakeups();
  }

  std::shared_ptr<FakeNetwork> network = std::make_shared<FakeNetwork>();
  std::array<std::atomic<Engine*>, 4> engines{};
  std::array<int, 4> data{};
  Begin bcast_from_0 = [this](int rank) {
    return Engine::get().start(
        bcast(attached(MPI_COMM_WORLD), &data.at(static_cast<std::size_t>(rank)), 1, 0), true, {});
  };
};

// Rank 0 itself looks again and again, as something of the MPI's is pending besides.
TEST_F(Doorbells, LetTheThreadSleepWhereItIsNotNeeded) {
  run(2, bcast_from_0, [this] {
    const long before = wakeups(1);
    const long first = wakeups(0);
    Engine::get().add_background(1);
    eventually([&] { return wakeups(0) >= first + 40; });
    EXPECT_LT(wakeups(1) - before, 30);
    Engine::get().add_background(-1);
  });
}

TEST_F(Doorbells, WakeWhoIsWaitedFor) {
  run(2, bcast_from_0, [this] {
    constexpr long kRings = 10;
    network->set_awaited(true);
    const long before = engines[1].load()->progress_rings();
    for (long rung = 1; rung <= kRings; ++rung) {
      eventually([&] { return network->doorbell(1).listens(); });
      for (const auto& each : Engine::get().transports()) each->ring_others();
      eventually([&] { return engines[1].load()->progress_rings() >= before + rung; });
    }
    // The other waits for this one, too.
    eventually([&] { return engines[0].load()->progress_rings() > 0; });
  });
}

// It moves what others wait for itself.
TEST_F(Doorbells, WakeNobodyWhoseOwnThreadWaits) {
  run(2, bcast_from_0, [this] {
    Engine& engine = Engine::get();
    eventually([&] { return network->doorbell(0).listens(); });
    int asked = 0;  // the first time before it waits
    engine.wait_until([&] {
      if (++asked > 1) {
        EXPECT_FALSE(network->doorbell(0).listens());
      }
      return asked > 100;
    });
    eventually([&] { return network->doorbell(0).listens(); });
  });
}

TEST_F(Doorbells, AreRungByWhoWaitsForLong) {
  run(2, bcast_from_0, [this] {
    Engine::get().wait_until([&] { return engines[1].load()->progress_rings() > 0; });
  });
}

}  // namespace
}  // namespace stretto
