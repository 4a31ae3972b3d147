#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>

#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Envelope;
using fake_mpi::Job;
using fake_mpi::run_with_stretto;

// Messages of Stretto's, and not of its signals to itself.
bool between_ranks(const Envelope& each) { return each.from != each.to; }

// Once the MPI's locks are off again.
bool attention_is_over() {
  Engine::get().relax();
  return needs_no_attention();
}

TEST(Engine, OpensAndClosesOnce) {
  Job job(1);
  job.run([&](int /*rank*/) {
    Engine& engine = Engine::get();
    EXPECT_FALSE(engine.is_open());
    engine.close();  // does nothing
    EXPECT_TRUE(engine.open(MPI_THREAD_MULTIPLE, true));
    EXPECT_TRUE(engine.open(MPI_THREAD_MULTIPLE, true));
    EXPECT_EQ(job.calls(0, "Comm_create"), 1);
    EXPECT_TRUE(engine.is_open());
    EXPECT_TRUE(engine.has_progress_thread());
    EXPECT_TRUE(engine.program_has_threads());
    EXPECT_EQ(engine.background(), 0);
    stretto_finalize();
    EXPECT_FALSE(engine.is_open());
    stretto_finalize();
  });
}

TEST(Engine, WithoutAContextItStaysClosed) {
  Job job(1, {.contexts = 0});
  job.run([](int /*rank*/) {
    EXPECT_FALSE(Engine::get().open(MPI_THREAD_MULTIPLE, true));
    EXPECT_FALSE(Engine::get().is_open());
  });
}

TEST(Engine, OneRanksIsNotAnothers) {
  Job job(2);
  job.run([](int rank) {
    if (rank == 0) {
      ASSERT_TRUE(Engine::get().open(MPI_THREAD_MULTIPLE, true));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(Engine::get().is_open(), rank == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    stretto_finalize();
  });
}

TEST(Engine, AnMpiWithoutThreadsGetsNoProgressThread) {
  Job job(2, {.thread_level = MPI_THREAD_SERIALIZED});
  run_with_stretto(job, [](int rank) {
    EXPECT_FALSE(Engine::get().has_progress_thread());
    int sum = 0;
    EXPECT_EQ(run_blocking(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1)), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
  });
}

TEST(Engine, SaysWhenTheProgressThreadThatWasAskedForCannotBe) {
  const Setting on("STRETTO_PROGRESS_THREAD", "on");
  Job job(1, {.thread_level = MPI_THREAD_FUNNELED});
  testing::internal::CaptureStderr();
  job.run([](int /*rank*/) {
    ASSERT_TRUE(Engine::get().open(MPI_THREAD_SINGLE, false));
    EXPECT_FALSE(Engine::get().has_progress_thread());
    stretto_finalize();
  });
  EXPECT_NE(testing::internal::GetCapturedStderr().find("MPI_THREAD_MULTIPLE is not given"),
            std::string::npos);
}

TEST(Engine, TheSettingDecidesOnTheProgressThread) {
  Job job(1);
  for (const bool on : {true, false}) {
    const Setting setting("STRETTO_PROGRESS_THREAD", on ? "on" : "off");
    job.run([on](int /*rank*/) {
      ASSERT_TRUE(Engine::get().open(MPI_THREAD_MULTIPLE, !on));
      EXPECT_EQ(Engine::get().has_progress_thread(), on);
      stretto_finalize();
    });
  }
}

TEST(Engine, ManyOperationsAreUnderWayAtATime) {
  Job job(3);
  run_with_stretto(job, [&](int rank) {
    Communicator& world = attached(MPI_COMM_WORLD);
    if (rank == 0) job.hold(between_ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    constexpr std::size_t kMany = 20;
    std::array<int, kMany> in{};
    std::array<int, kMany> out{};
    std::vector<Operation*> operations;
    for (std::size_t i = 0; i < kMany; ++i) {
      in[i] = rank + static_cast<int>(i);
      operations.push_back(Engine::get().start(allreduce(world, &in[i], &out[i], 1), true, {}));
    }
    EXPECT_EQ(Engine::get().background(), static_cast<int>(kMany));
    EXPECT_FALSE(needs_no_attention());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release();
    for (std::size_t i = kMany; i-- > 0;) {
      Engine::get().wait(*operations[i]);
      EXPECT_EQ(out[i], 3 + 3 * static_cast<int>(i));
      Engine::release(operations[i]);
    }
    // The progress thread may still take the last one off its list.
    fake_mpi::eventually([] { return Engine::get().background() == 0; });
  });
}

// More messages under way than there are tags for: they wait for their turn.
TEST(Engine, MessagesWaitForTheirTagsTurn) {
  const Setting few("STRETTO_TAG_BITS", "13");
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    Communicator& world = attached(MPI_COMM_WORLD);
    ASSERT_LE(world.channel->tags.width(), 2);
    if (rank == 0) job.hold(between_ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    std::array<int, 12> data{};
    std::vector<Operation*> operations;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (rank == 0) data[i] = static_cast<int>(i);
      operations.push_back(Engine::get().start(bcast(world, &data[i], 1, 0), true, {}));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release();
    for (std::size_t i = 0; i < data.size(); ++i) {
      Engine::get().wait(*operations[i]);
      EXPECT_EQ(data[i], static_cast<int>(i));
      Engine::release(operations[i]);
    }
  });
}

TEST(Engine, AnMpiRequestCompletesWithItsOperation) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    if (rank == 0) job.hold(between_ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = 0;
    // Past the second barrier the operation may end at any time.
    const long ended = Engine::get().ended();
    MPI_Request request{};
    Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &rank, &sum, 1), true,
                        {.handle = &request});
    int flag = 1;
    native().Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    EXPECT_TRUE(Engine::get().owns(1, &request));
    const MPI_Request none = MPI_REQUEST_NULL;
    EXPECT_FALSE(Engine::get().owns(1, &none));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release();
    MPI_Status status{};
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);  // the progress thread moves it along
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    EXPECT_EQ(sum, 1);
    fake_mpi::eventually([&] { return Engine::get().ended() == ended + 1; });
    fake_mpi::eventually([] { return attention_is_over(); });
  });
}

TEST(Engine, AnMpiRequestMayBeFreedBeforeItsEnd) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    if (rank == 0) job.hold(between_ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    static std::array<int, 2> sums{};
    static std::array<int, 2> ranks{0, 1};
    const auto me = static_cast<std::size_t>(rank);
    sums[me] = 0;
    MPI_Request request{};
    Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &ranks[me], &sums[me], 1), true,
                        {.handle = &request});
    native().Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release();
    fake_mpi::eventually([] { return attention_is_over(); });
    Engine::get().progress();  // as any call of MPI's: from now on this thread sees it
    EXPECT_EQ(sums[me], 1);
  });
}

// As MPI_Finalize wants it (MPI 4.1, 3.7.3): what the program has freed still ends.
TEST(Engine, ClosingWaitsForWhatIsPending) {
  Job job(2);
  std::array<int, 2> sums{};
  std::array<int, 2> in{3, 4};
  run_with_stretto(job, [&](int rank) {
    const auto me = static_cast<std::size_t>(rank);
    MPI_Request request{};
    Engine::get().start(allreduce(attached(MPI_COMM_WORLD), &in[me], &sums[me], 1), true,
                        {.handle = &request});
    native().Request_free(&request);
  });
  EXPECT_EQ(sums, (std::array<int, 2>{7, 7}));
}

TEST(Engine, OnOneRankAloneOperationsRunWithoutAChannel) {
  Job job(1);
  run_with_stretto(job, [](int /*rank*/) {
    const int in = 5;
    int out = 0;
    EXPECT_EQ(run_blocking(allreduce(attached(MPI_COMM_SELF), &in, &out, 1)), MPI_SUCCESS);
    EXPECT_EQ(out, 5);
    EXPECT_EQ(run_blocking(barrier(attached(MPI_COMM_SELF))), MPI_SUCCESS);
  });
}

TEST(Engine, ThreadsStartAndWaitAtATime) {
  constexpr int kThreads = 3;
  Job job(2);
  run_with_stretto(job, [](int rank) {
    std::array<MPI_Comm, kThreads> comms{};
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      ASSERT_TRUE(communicators::attach(comm));
    }
    RankContext& here = RankContext::current();
    std::vector<std::thread> threads;
    for (const MPI_Comm comm : comms) {
      threads.emplace_back([&here, comm, rank] {
        const Running running(here);
        std::vector<int> data(300);
        std::vector<int> sums(300);
        for (int round = 0; round < 20; ++round) {
          std::iota(data.begin(), data.end(), rank + round);
          EXPECT_EQ(run_blocking(allreduce(attached(comm), data.data(), sums.data(), 300)),
                    MPI_SUCCESS);
          EXPECT_EQ(sums[299], 1 + 2 * (round + 299));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  });
}

// What a rank has begun with the MPI may be what another needs to come at all.
TEST(Engine, WhoWaitsMovesTheMpisOwnAlong) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    const long before = job.calls(0, "Iprobe");
    if (rank == 1) fake_mpi::eventually([&] { return job.calls(0, "Iprobe") > before + 2; });
    int sum = 0;
    stretto_allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 1);
  });
}

TEST(Engine, KeepingTheLocksAndRelaxingIsAlwaysAllowed) {
  Job job(1);
  run_with_stretto(job, [](int /*rank*/) {
    Engine& engine = Engine::get();
    engine.add_background(1);
    engine.relax();
    engine.add_background(-1);
    engine.relax();
    engine.keep_locks();
    engine.relax();
    engine.progress();
    EXPECT_EQ(engine.background(), 0);
  });
}

TEST(Engine, KnowsWhatTheWorldIsLike) {
  Job job(1);
  run_with_stretto(job, [](int /*rank*/) {
    Engine& engine = Engine::get();
    Hosts hosts;
    hosts.oversubscribed = true;
    hosts.numbers.hosts = 2;
    engine.set_hosts(hosts);
    EXPECT_TRUE(engine.oversubscribed());
    EXPECT_TRUE(engine.spans_hosts());
    EXPECT_EQ(communicators::world_hosts().numbers.hosts, 1);
  });
}

}  // namespace
}  // namespace stretto
