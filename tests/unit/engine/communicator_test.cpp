#include "engine/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "engine/tasks.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;
using fake_mpi::WithStretto;

TEST(Communicators, WorldAndSelfAreKnownOnceAttached) {
  Job job(3);
  run_with_stretto(job, [](int rank) {
    const Communicator& world = attached(MPI_COMM_WORLD);
    EXPECT_EQ(world.rank, rank);
    EXPECT_EQ(world.size, 3);
    EXPECT_FALSE(world.is_inter());
    EXPECT_NE(world.channel, nullptr);
    const Communicator& self = attached(MPI_COMM_SELF);
    EXPECT_EQ(self.size, 1);
    EXPECT_EQ(self.channel, nullptr);
    EXPECT_FALSE(self.slots);
  });
}

TEST(Communicators, OneThatIsNotAttachedIsUnknown) {
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    MPI_Comm comm{};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT_EQ(communicators::find(comm), nullptr);
    MPI_Comm_free(&comm);
    EXPECT_EQ(communicators::find(MPI_COMM_NULL), nullptr);
  });
}

// In mode accelerate: none of the MPI's contexts is taken from the program.
TEST(Communicators, AllShareTheWorldsChannelByIdsOfTheirOwn) {
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    const Communicator& world = attached(MPI_COMM_WORLD);
    std::array<MPI_Comm, 3> comms{};
    std::set<int> ids{world.id};
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      ASSERT_TRUE(communicators::attach(comm));
      EXPECT_EQ(attached(comm).channel, world.channel);
      EXPECT_TRUE(ids.insert(attached(comm).id).second);
      EXPECT_TRUE(attached(comm).routes.ranks().empty());  // they are the world's
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  });
}

TEST(Communicators, AnIdIsAnothersOnceItsCommunicatorIsFreed) {
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    int first = -1;
    for (int round = 0; round < 3; ++round) {
      MPI_Comm comm{};
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      ASSERT_TRUE(communicators::attach(comm));
      if (round == 0) first = attached(comm).id;
      EXPECT_EQ(attached(comm).id, first);
      MPI_Comm_free(&comm);
      communicators::reap();
    }
  });
}

// Calls look for their plans by the layout, and should not have to compare it rank by rank.
TEST(Communicators, OfEqualLayoutsHaveTheSameOne) {
  Job job(4);
  run_with_stretto(job, [](int rank) {
    const auto layout_of_split = [&](int color, int key) {
      MPI_Comm comm{};
      MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
      EXPECT_TRUE(communicators::attach(comm));
      auto layout = communicators::layout_of(*communicators::find(comm), {});
      MPI_Comm_free(&comm);
      return layout;
    };
    const auto backwards = layout_of_split(0, -rank);
    EXPECT_EQ(layout_of_split(0, -rank), backwards);
    EXPECT_NE(layout_of_split(rank % 2, -rank), backwards);
  });
}

TEST(Communicators, KnowWhereTheirRanksAreInTheWorld) {
  Job job(4);
  run_with_stretto(job, [](int rank) {
    MPI_Comm reversed{};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &reversed);
    ASSERT_TRUE(communicators::attach(reversed));
    const Communicator& known = attached(reversed);
    EXPECT_EQ(known.routes.ranks(),
              (rank % 2 == 0 ? std::vector<Rank>{2, 0} : std::vector<Rank>{3, 1}));
    EXPECT_EQ(known.routes.to(0).peer, 2 + rank % 2);
    int sum = 0;
    EXPECT_EQ(run_blocking(allreduce(attached(reversed), &rank, &sum, 1)), MPI_SUCCESS);
    EXPECT_EQ(sum, rank % 2 == 0 ? 2 : 4);
    MPI_Comm_free(&reversed);
  });
}

TEST(Communicators, BetweenGroupsBothNumberAllRanksAlike) {
  Job job(5);
  run_with_stretto(job, [](int rank) {
    MPI_Comm group{};
    MPI_Comm inter{};
    const int color = rank < 3 ? 0 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, color == 0 ? 3 : 0, 7, &inter);
    ASSERT_TRUE(communicators::attach(inter));
    const Communicator& known = attached(inter);
    EXPECT_TRUE(known.is_inter());
    EXPECT_EQ(known.size, 5);
    EXPECT_EQ(known.rank, rank);
    EXPECT_EQ(known.routes.ranks(), (std::vector<Rank>{0, 1, 2, 3, 4}));
    EXPECT_EQ(known.groups.local, color == 0 ? 0 : 3);
    EXPECT_EQ(known.groups.remote, color == 0 ? 3 : 0);
    EXPECT_EQ(known.groups.local_size, color == 0 ? 3 : 2);
    EXPECT_EQ(known.groups.remote_size, color == 0 ? 2 : 3);
    int sum = 0;
    EXPECT_EQ(run_blocking(allreduce(attached(inter), &rank, &sum, 1)), MPI_SUCCESS);
    EXPECT_EQ(sum, 10);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
  });
}

// Theirs need not run Stretto, so nothing may be agreed on with them.
TEST(Communicators, WithRanksOfAnotherWorldStayUnknown) {
  Job job(2, {.others = 2});
  run_with_stretto(job, [](int /*rank*/) {
    communicators::expect_foreign_ranks();
    EXPECT_TRUE(communicators::expects_foreign_ranks());
    MPI_Comm inter = fake_mpi::connect_worlds();
    EXPECT_FALSE(communicators::attach(inter));
    EXPECT_EQ(communicators::find(inter), nullptr);
    MPI_Comm merged{};
    MPI_Intercomm_merge(inter, 0, &merged);
    EXPECT_FALSE(communicators::attach(merged));
    MPI_Comm own{};
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    EXPECT_TRUE(communicators::attach(own));
    for (MPI_Comm* comm : {&own, &merged, &inter}) MPI_Comm_free(comm);
  });
}

TEST(Communicators, SpawnedRanksExpectForeignOnesFromTheStart) {
  Job job(1, {.others = 1, .others_are_children = true});
  run_with_stretto(job,
                   [](int rank) { EXPECT_EQ(communicators::expects_foreign_ranks(), rank == 1); });
}

// Outside of mode accelerate a communicator has a channel of its own, whoever else is in the job.
TEST(Communicators, WithoutAWorldEachHasItsOwnChannel) {
  Job job(3);
  job.run([](int rank) {
    ASSERT_TRUE(Engine::get().open(MPI_THREAD_MULTIPLE, true));
    MPI_Comm pair{};
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &pair);
    if (rank < 2) {
      ASSERT_TRUE(communicators::attach(pair));
      int sum = 0;
      EXPECT_EQ(run_blocking(allreduce(attached(pair), &rank, &sum, 1)), MPI_SUCCESS);
      EXPECT_EQ(sum, 1);
      const MPI_Comm channel = attached(pair).channel->comm;
      EXPECT_NE(channel, MPI_COMM_NULL);
      MPI_Comm_free(&pair);
      communicators::reap();
    }
    stretto_finalize();
  });
}

TEST(Communicators, AnIntercommunicatorWithoutAWorldStaysUnknown) {
  Job job(1, {.others = 1});
  job.run([](int /*rank*/) {
    ASSERT_TRUE(Engine::get().open(MPI_THREAD_MULTIPLE, true));
    MPI_Comm inter = fake_mpi::connect_worlds();
    EXPECT_FALSE(communicators::attach(inter));
    MPI_Comm_free(&inter);
    stretto_finalize();
  });
}

TEST(Communicators, WhereTheMpiHasNoContextLeftOneStaysUnknownOnAllRanks) {
  Job job(2, {.contexts = 2});  // the ranks' own channels
  job.run([](int /*rank*/) {
    ASSERT_TRUE(Engine::get().open(MPI_THREAD_MULTIPLE, true));
    EXPECT_FALSE(communicators::attach(MPI_COMM_WORLD));
    EXPECT_EQ(communicators::find(MPI_COMM_WORLD), nullptr);
    stretto_finalize();
  });
}

TEST(Communicators, WhereNoIdIsLeftOneStaysUnknownUntilOneIsFree) {
  const Setting few("STRETTO_TAG_BITS", "13");
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    const int ids = attached(MPI_COMM_WORLD).channel->tags.ids();
    std::vector<MPI_Comm> comms(static_cast<std::size_t>(ids) - 1);
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      ASSERT_TRUE(communicators::attach(comm));
    }
    MPI_Comm more{};
    MPI_Comm_dup(MPI_COMM_WORLD, &more);
    EXPECT_FALSE(communicators::attach(more));
    MPI_Comm_free(&comms.back());
    communicators::reap();
    EXPECT_TRUE(communicators::attach(more));
    comms.back() = more;
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  });
}

// What runs on it goes on; then its id is given back.
TEST(Communicators, FreedWhileAnOperationRunsOnItEndsWithThat) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    MPI_Comm comm{};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ASSERT_TRUE(communicators::attach(comm));
    Communicator& known = attached(comm);
    int sum = 0;
    if (rank == 0) job.hold([](const fake_mpi::Envelope& each) { return each.tag > 0; });
    MPI_Barrier(MPI_COMM_WORLD);
    Operation* const operation = Engine::get().start(allreduce(known, &rank, &sum, 1), true, {});
    MPI_Comm_free(&comm);
    communicators::reap();
    EXPECT_EQ(known.operations, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.release();
    Engine::get().wait(*operation);
    EXPECT_EQ(sum, 1);
    Engine::release(operation);
    communicators::reap();
  });
}

// MPI_Finalize deals with them, and its callbacks for them come afterwards.
TEST(Communicators, LeakedOnesAreNoHarm) {
  Job job(2);
  job.may_leave_objects();
  run_with_stretto(job, [](int /*rank*/) {
    MPI_Comm comm{};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ASSERT_TRUE(communicators::attach(comm));
    std::atomic_signal_fence(std::memory_order_seq_cst);
  });
}

// Threads make and free communicators at the same time, in orders that differ from rank to rank.
TEST(Communicators, ComeAndGoByTheDozenInSeveralThreads) {
  constexpr int kThreads = 4;
  Job job(3);
  run_with_stretto(job, [](int rank) {
    std::array<MPI_Comm, kThreads> parents{};
    for (MPI_Comm& parent : parents) {
      MPI_Comm_dup(MPI_COMM_WORLD, &parent);
      ASSERT_TRUE(communicators::attach(parent));
    }
    RankContext& here = RankContext::current();
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      const MPI_Comm parent = parents[static_cast<std::size_t>((i + rank) % kThreads)];
      threads.emplace_back([&here, parent, rank] {
        const Running running(here);
        for (int round = 0; round < 10; ++round) {
          MPI_Comm comm{};
          MPI_Comm_dup(parent, &comm);
          ASSERT_TRUE(communicators::attach(comm));
          int sum = 0;
          EXPECT_EQ(run_blocking(allreduce(attached(comm), &rank, &sum, 1)), MPI_SUCCESS);
          EXPECT_EQ(sum, 3);
          MPI_Comm_free(&comm);
          communicators::reap();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (MPI_Comm& parent : parents) MPI_Comm_free(&parent);
  });
}

TEST(Communicators, ATopologysNeighborsAreKept) {
  Job job(3);
  run_with_stretto(job, [](int rank) {
    MPI_Comm ring{};
    const int size = 3;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    ASSERT_TRUE(communicators::attach(ring));
    ASSERT_NE(attached(ring).graph, nullptr);
    EXPECT_EQ(attached(ring).graph->at(rank).sources.size(), 2U);
    MPI_Comm_free(&ring);
  });
}

TEST(PersistentTags, AreOneEachUntilItIsNotHeldAnyMore) {
  const Setting few("STRETTO_TAG_BITS", "15");
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    Communicator& world = attached(MPI_COMM_WORLD);
    const auto slots = static_cast<std::size_t>(world.channel->tags.width());
    std::vector<std::shared_ptr<TagRange>> held;
    std::set<int> tags;
    for (std::size_t i = 0; i < slots; ++i) {
      held.push_back(communicators::persistent_tag(world));
      ASSERT_NE(held.back(), nullptr);
      EXPECT_TRUE(tags.insert(held.back()->tag(0)).second);
    }
    // One that only one rank has given back is not free.
    if (rank == 0) held[2].reset();
    EXPECT_EQ(communicators::persistent_tag(world), nullptr);
    const int tag = rank == 0 ? 0 : held[2]->tag(0);
    held[2].reset();
    const auto again = communicators::persistent_tag(world);
    ASSERT_NE(again, nullptr);
    if (rank == 1) {
      EXPECT_EQ(again->tag(0), tag);
    }
  });
}

TEST(PersistentTags, OnOneRankAloneThereAreAlwaysSome) {
  Job job(1);
  run_with_stretto(job, [](int /*rank*/) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NE(communicators::persistent_tag(attached(MPI_COMM_SELF)), nullptr);
    }
  });
}

TEST(PersistentTags, AFailedAgreementGivesNone) {
  const Setting few("STRETTO_TAG_BITS", "13");
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Communicator& world = attached(MPI_COMM_WORLD);
    std::vector<std::shared_ptr<TagRange>> held;
    for (int i = 0; i < world.channel->tags.width(); ++i) {
      held.push_back(communicators::persistent_tag(world));
    }
    held.clear();
    job.fail(rank, "Allreduce", 1);
    EXPECT_EQ(communicators::persistent_tag(world), nullptr);
    EXPECT_NE(communicators::persistent_tag(world), nullptr);
  });
}

}  // namespace
}  // namespace stretto
