// The cores a process may run on, where the kernel counts more of them than fit in a cpu_set_t.
#include "topology/core_set.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "topology/topology.hpp"

namespace stretto {
namespace {

// As the kernel answers on a machine of 1,536 CPUs, of which the last is ours.
long large_machine(pid_t /*process*/, std::size_t bytes, unsigned long* mask) {
  constexpr std::size_t kBytes = 1536 / 8;
  if (bytes < kBytes) return -1;
  mask[1535 / 64] = 1UL << 1535 % 64;
  return kBytes;
}

long refusing(pid_t /*process*/, std::size_t /*bytes*/, unsigned long* /*mask*/) { return -1; }

TEST(CoreSet, HoldsMoreThanAThousandCores) {
  const CoreSet cores = usable_cores(large_machine);
  EXPECT_EQ(cores.count(), 1U);
  EXPECT_TRUE(cores[1535]);
}

TEST(CoreSet, IsEmptyWhereTheKernelDoesNotTell) { EXPECT_TRUE(usable_cores(refusing).none()); }

TEST(CoreSet, OfThisProcessIsNotEmpty) { EXPECT_TRUE(usable_cores().any()); }

TEST(Topology, CoresThatAreUnknownAreNotTooFew) {
  const std::array<Affinity, 3> affinities{};
  const Topology unknown(affinities);
  EXPECT_FALSE(unknown.knows_cores());
  EXPECT_FALSE(unknown.oversubscribed());
}

TEST(Topology, CoresThatAreKnownMayBeTooFew) {
  std::array<Affinity, 2> affinities{};
  for (Affinity& affinity : affinities) affinity.cores.set(5000);
  const Topology shared(affinities);
  EXPECT_TRUE(shared.knows_cores());
  EXPECT_TRUE(shared.oversubscribed());
}

TEST(Topology, TwoCoresForEachRankAreSpareOnes) {
  std::array<Affinity, 2> affinities{};
  for (Affinity& affinity : affinities) {
    for (const std::size_t core : {1U, 2U, 3U}) affinity.cores.set(core);
  }
  EXPECT_FALSE(Topology(affinities).has_spare_cores());
  affinities[0].cores.set(4);
  EXPECT_TRUE(Topology(affinities).has_spare_cores());
}

TEST(Topology, HostsOfOneMachineShareItsCores) {
  Affinity first = Affinity::here();
  Affinity second = first;
  second.host = {"another"};
  EXPECT_EQ(Topology(std::array{first, second}).hosts(), 2);
  const std::array machine{first.on_its_machine(), second.on_its_machine()};
  // Where the kernel does not tell they stay two.
  const bool known = std::filesystem::exists("/proc/sys/kernel/random/boot_id");
  EXPECT_EQ(Topology(machine).hosts(), known ? 1 : 2);
}

}  // namespace
}  // namespace stretto
