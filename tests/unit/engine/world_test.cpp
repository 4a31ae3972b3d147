#include "engine/world.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

TEST(Survey, RanksOfOneProcessShareAHost) {
  fake_mpi::Job job(3);
  job.run([](int /*rank*/) {
    const Hosts hosts = survey(MPI_COMM_WORLD);
    EXPECT_EQ(hosts.numbers.hosts, 1);
    for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(hosts.numbers.host_of(rank), 0U);
    EXPECT_TRUE(hosts.knows_cores);
  });
}

// Whatever this machine has, some number of ranks is too many.
TEST(Survey, AllRanksAgreeThatThereAreMoreOfThemThanCores) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores > 32) GTEST_SKIP() << "as many threads as it takes are too many here";
  fake_mpi::Job job(cores + 1);
  job.run([](int /*rank*/) { EXPECT_TRUE(survey(MPI_COMM_WORLD).oversubscribed); });
}

TEST(Survey, HostsAreNumberedByTheirLowestRank) {
  fake_mpi::Job job(5, {.ranks_per_host = 2});
  job.run([](int /*rank*/) {
    const Hosts hosts = survey(MPI_COMM_WORLD);
    EXPECT_EQ(hosts.numbers.hosts, 3);
    for (int rank = 0; rank < 5; ++rank) {
      EXPECT_EQ(hosts.numbers.host_of(rank), static_cast<unsigned>(rank / 2));
    }
  });
}

TEST(Survey, OneRankAloneSharesNothing) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    const Hosts hosts = survey(MPI_COMM_SELF);
    EXPECT_EQ(hosts.numbers.hosts, 1);
    EXPECT_FALSE(hosts.oversubscribed);
  });
}

}  // namespace
}  // namespace stretto
