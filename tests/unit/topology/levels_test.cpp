// Which ranks are how near to each other.
#include "topology/levels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

#include "topology/small_tree.hpp"

namespace stretto {

// How a failed expectation shows them.
static void PrintTo(const Location& location, std::ostream* out) {
  *out << "{" << location.host << ", " << location.core_complex << "}";
}

namespace {

Affinity affinity(char host, int core_complex) {
  Affinity made;
  made.host[0] = host;
  made.core_complex = core_complex;
  return made;
}

Topology topology(const std::vector<Affinity>& affinities) { return Topology(affinities); }

struct Found {
  std::string name;
  int first, second, holds;

  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> found(const std::vector<Affinity>& affinities) {
  std::vector<Found> levels;
  for (const auto& each : levels_of(topology(affinities))) {
    levels.push_back({each.name, each.first, each.second, each.holds});
  }
  return levels;
}

using Levels = std::vector<Found>;
using Locations = std::vector<Location>;
constexpr int kNone = kNoComplex;

TEST(Topology, NumbersHostsAndComplexesByTheirLowestRanks) {
  const Topology two = topology(
      {affinity('b', 8), affinity('a', 4), affinity('b', 0), affinity('a', 0), affinity('b', 8)});
  EXPECT_EQ(two.hosts(), 2);
  EXPECT_EQ(two.locations(), (Locations{{0, 0}, {1, 1}, {0, 2}, {1, 3}, {0, 0}}));
}

TEST(Topology, OneComplexForAllOfAHostIsNone) {
  EXPECT_EQ(topology({affinity('a', 0), affinity('a', 0)}).locations(),
            (Locations{{0, kNone}, {0, kNone}}));
  // Another host may have some all the same.
  const Topology two =
      topology({affinity('a', 0), affinity('a', 0), affinity('b', 0), affinity('b', 8)});
  EXPECT_EQ(two.locations(), (Locations{{0, kNone}, {0, kNone}, {1, 0}, {1, 1}}));
}

TEST(Topology, AHostOnWhichARankMayRunAnywhereHasNoComplexes) {
  const Topology one = topology({affinity('a', 0), affinity('a', 8), affinity('a', kNone)});
  EXPECT_EQ(one.locations(), (Locations(3, {0, kNone})));
}

TEST(Affinity, KnowsItsComplexByTheTreeThatTheSettingNames) {
  const SmallTree tree;
  for (std::size_t core = 0; core < kMostCores; ++core) {
    const Affinity here = Affinity::here();
    if (!here.cores[core]) continue;
    tree.describe(static_cast<int>(core), 0, "3", "Unified", "0-1023");
  }
  setenv("STRETTO_TOPOLOGY_SYSFS", tree.root().c_str(), 1);
  const int complex = Affinity::here_with_complex().core_complex;
  setenv("STRETTO_TOPOLOGY_SYSFS", (tree.root() + "/nowhere").c_str(), 1);
  const int none = Affinity::here_with_complex().core_complex;
  unsetenv("STRETTO_TOPOLOGY_SYSFS");
  EXPECT_EQ(complex, 0);
  EXPECT_EQ(none, kNone);
  EXPECT_EQ(Affinity::here().core_complex, kNone);
}

TEST(Levels, AreThoseThatTwoRanksAreAt) {
  EXPECT_EQ(found({affinity('a', 0)}), Levels{});
  EXPECT_EQ(found({affinity('a', kNone), affinity('a', kNone), affinity('a', kNone)}),
            (Levels{{"host", 0, 1, 0}}));
  EXPECT_EQ(found({affinity('a', kNone), affinity('b', kNone)}), (Levels{{"network", 0, 1, 0}}));
  EXPECT_EQ(found({affinity('a', kNone), affinity('a', kNone), affinity('b', kNone)}),
            (Levels{{"host", 0, 1, 2}, {"network", 0, 2, 0}}));
}

TEST(Levels, ComplexesAreBelowTheHost) {
  EXPECT_EQ(found({affinity('a', 0), affinity('a', 0), affinity('a', 8), affinity('a', 8)}),
            (Levels{{"core complex", 0, 1, 2}, {"host", 0, 2, 0}}));
  EXPECT_EQ(found({affinity('a', 0), affinity('a', 8), affinity('a', 8), affinity('a', 8),
                   affinity('a', 16), affinity('b', 0), affinity('b', 8)}),
            (Levels{{"core complex", 1, 2, 3}, {"host", 0, 1, 3}, {"network", 0, 5, 0}}));
}

TEST(Levels, OneRankInEachComplexLeavesTheLevelOut) {
  EXPECT_EQ(found({affinity('a', 0), affinity('a', 8), affinity('b', 0), affinity('b', 8)}),
            (Levels{{"host", 0, 1, 2}, {"network", 0, 2, 0}}));
}

TEST(Levels, TheHostHoldsAllItsRanks) {
  // Five ranks on b, which has no complexes, want three complexes of two.
  std::vector<Affinity> affinities{affinity('a', 0), affinity('a', 0), affinity('a', 8)};
  for (int i = 0; i < 5; ++i) affinities.push_back(affinity('b', kNone));
  EXPECT_EQ(found(affinities),
            (Levels{{"core complex", 0, 1, 2}, {"host", 0, 2, 3}, {"network", 0, 3, 0}}));
}

TEST(Levels, TheLowestRankMayHaveNobodyNear) {
  EXPECT_EQ(found({affinity('a', kNone), affinity('b', kNone), affinity('b', kNone)}),
            (Levels{{"host", 1, 2, 2}, {"network", 0, 1, 0}}));
}

}  // namespace
}  // namespace stretto
