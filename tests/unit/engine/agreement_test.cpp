#include "engine/agreement.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <thread>

#include "base/rank_context.hpp"
#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

Members members(MPI_Comm comm, bool is_inter = false) {
  Members of{.comm = comm, .is_inter = is_inter};
  MPI_Comm_rank(comm, &of.rank);
  return of;
}

TEST(KeepCommonBits, ABitStaysWhereAllHaveIt) {
  fake_mpi::Job job(3);
  job.run([](int rank) {
    std::array<std::uint64_t, 2> words{0b111U ^ (1U << rank),
                                       0b1000U | static_cast<unsigned>(rank)};
    EXPECT_EQ(keep_common_bits(members(MPI_COMM_WORLD), words), MPI_SUCCESS);
    EXPECT_EQ(words[0], 0U);
    EXPECT_EQ(words[1], 0b1000U);
  });
}

TEST(KeepCommonBits, OfBothGroups) {
  fake_mpi::Job job(2, {.others = 2});
  job.run([](int rank) {
    MPI_Comm comm = fake_mpi::connect_worlds();
    std::array<std::uint64_t, 1> words{0b11111U ^ (1U << rank)};
    EXPECT_EQ(keep_common_bits(members(comm, true), words), MPI_SUCCESS);
    EXPECT_EQ(words[0], 0b10000U);
    MPI_Comm_free(&comm);
  });
}

TEST(KeepCommonBits, TheMpisErrorIsReturned) {
  fake_mpi::Job job(1);
  job.fail(0, "Allreduce", 1, MPI_ERR_NO_MEM);
  job.run([](int /*rank*/) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::array<std::uint64_t, 1> words{1};
    EXPECT_EQ(keep_common_bits(members(MPI_COMM_WORLD), words), MPI_ERR_NO_MEM);
  });
}

TEST(Agree, TakesTheLowestIdThatIsFreeOnAllRanks) {
  fake_mpi::Job job(3);
  job.run([](int rank) {
    ContextIds ids(128);
    // Ids that this rank alone has in use already.
    for (int id = 0; id <= 70; ++id) {
      if (id == 70 || id % 3 == rank) {
        EXPECT_TRUE(ids.begin(0));
        ids.end(id);
      }
    }
    const Agreement agreement = agree(members(MPI_COMM_WORLD), 0, ids);
    EXPECT_EQ(agreement.error, MPI_SUCCESS);
    EXPECT_EQ(agreement.id, 71);
    EXPECT_EQ(agree(members(MPI_COMM_WORLD), 0, ids).id, 72);
    ids.give_back(71);
    EXPECT_EQ(agree(members(MPI_COMM_WORLD), 0, ids).id, 71);
  });
}

TEST(Agree, LooksFurtherThanItOffersAtFirst) {
  fake_mpi::Job job(2);
  job.run([](int /*rank*/) {
    ContextIds ids(8192);
    for (int id = 0; id < 5000; ++id) {
      EXPECT_TRUE(ids.begin(0));
      ids.end(id);
    }
    EXPECT_EQ(agree(members(MPI_COMM_WORLD), 0, ids).id, 5000);
  });
}

TEST(Agree, WhereNoneIsFreeOnAllThereIsNone) {
  fake_mpi::Job job(2);
  job.run([](int rank) {
    ContextIds ids(4);
    for (int id = rank; id < 4; id += 2) {
      EXPECT_TRUE(ids.begin(0));
      ids.end(id);
    }
    const Agreement agreement = agree(members(MPI_COMM_WORLD), 0, ids);
    EXPECT_EQ(agreement.error, MPI_SUCCESS);
    EXPECT_FALSE(agreement.id);
    EXPECT_TRUE(ids.begin(0));  // and nobody keeps the right to offer
    ids.end({});
  });
}

TEST(Agree, FlagsAreWhatAllRaise) {
  fake_mpi::Job job(2);
  job.run([](int rank) {
    ContextIds ids(8);
    const std::uint64_t mine = rank == 0 ? 0b011 : 0b110;
    EXPECT_EQ(agree(members(MPI_COMM_WORLD), mine, ids).flags, 0b010U);
  });
}

TEST(Agree, AnErrorTakesNoId) {
  fake_mpi::Job job(1);
  job.fail(0, "Allreduce", 1);
  job.run([](int /*rank*/) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    ContextIds ids(8);
    EXPECT_EQ(agree(members(MPI_COMM_WORLD), 0, ids).error, MPI_ERR_OTHER);
    EXPECT_EQ(agree(members(MPI_COMM_WORLD), 0, ids).id, 0);
  });
}

// Threads of a rank, on communicators of their own and in an order that differs from rank to rank,
// must not come to one id, and must not wait for each other for ever.
TEST(Agree, ThreadsAgreeOnSeveralCommunicatorsAtATime) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 5;
  fake_mpi::Job job(3);
  job.run([](int rank) {
    ContextIds ids(256);
    std::array<MPI_Comm, kThreads> comms{};
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::array<std::vector<int>, kThreads> taken;
    RankContext& here = RankContext::current();
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      const auto which = static_cast<std::size_t>((i + rank) % kThreads);
      threads.emplace_back([&, which] {
        const Running running(here);
        for (int round = 0; round < kRounds; ++round) {
          const Agreement agreement = agree(members(comms[which]), 0, ids);
          ASSERT_TRUE(agreement.id);
          taken[which].push_back(*agreement.id);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<int> all;
    for (std::size_t which = 0; which < kThreads; ++which) {
      for (const int id : taken[which]) {
        EXPECT_TRUE(all.insert(id).second) << id << " is two communicators'";
        std::array<int, 3> everyones{};
        MPI_Allgather(&id, 1, MPI_INT, everyones.data(), 1, MPI_INT, MPI_COMM_WORLD);
        EXPECT_EQ(everyones, (std::array<int, 3>{id, id, id}));
      }
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  });
}

}  // namespace
}  // namespace stretto
