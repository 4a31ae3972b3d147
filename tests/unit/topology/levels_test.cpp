// Which ranks are how near to each other.
#include "topology/levels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

#include "topology/small_tree.hpp"

namespace stretto {

// How a failed expectation shows them.
static void PrintTo(const Seat& seat, std::ostream* out) {
  *out << "{" << seat.host << ", " << seat.core_complex << "}";
}

namespace {

Place place(char host, int core_complex) {
  Place made;
  made.host[0] = host;
  made.core_complex = core_complex;
  return made;
}

Topology topology(const std::vector<Place>& places) { return Topology(places); }

struct Found {
  std::string name;
  int first, second, holds;

  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> found(const std::vector<Place>& places) {
  std::vector<Found> levels;
  for (const auto& each : levels_of(topology(places))) {
    levels.push_back({each.name, each.first, each.second, each.holds});
  }
  return levels;
}

using Levels = std::vector<Found>;
using Seats = std::vector<Seat>;
constexpr int kNone = kNoComplex;

TEST(Topology, NumbersHostsAndComplexesByTheirLowestRanks) {
  const Topology two =
      topology({place('b', 8), place('a', 4), place('b', 0), place('a', 0), place('b', 8)});
  EXPECT_EQ(two.hosts(), 2);
  EXPECT_EQ(two.seats(), (Seats{{0, 0}, {1, 1}, {0, 2}, {1, 3}, {0, 0}}));
}

TEST(Topology, OneComplexForAllOfAHostIsNone) {
  EXPECT_EQ(topology({place('a', 0), place('a', 0)}).seats(), (Seats{{0, kNone}, {0, kNone}}));
  // Another host may have some all the same.
  const Topology two = topology({place('a', 0), place('a', 0), place('b', 0), place('b', 8)});
  EXPECT_EQ(two.seats(), (Seats{{0, kNone}, {0, kNone}, {1, 0}, {1, 1}}));
}

TEST(Topology, AHostOnWhichARankMayRunAnywhereHasNoComplexes) {
  const Topology one = topology({place('a', 0), place('a', 8), place('a', kNone)});
  EXPECT_EQ(one.seats(), (Seats(3, {0, kNone})));
}

TEST(Place, KnowsItsComplexByTheTreeThatTheSettingNames) {
  const SmallTree tree;
  for (std::size_t core = 0; core < kMostCores; ++core) {
    const Place here = Place::here();
    if (!here.cores[core]) continue;
    tree.describe(static_cast<int>(core), 0, "3", "Unified", "0-1023");
  }
  setenv("STRETTO_TOPOLOGY_SYSFS", tree.root().c_str(), 1);
  const int complex = Place::here_with_complex().core_complex;
  setenv("STRETTO_TOPOLOGY_SYSFS", (tree.root() + "/nowhere").c_str(), 1);
  const int none = Place::here_with_complex().core_complex;
  unsetenv("STRETTO_TOPOLOGY_SYSFS");
  EXPECT_EQ(complex, 0);
  EXPECT_EQ(none, kNone);
  EXPECT_EQ(Place::here().core_complex, kNone);
}

TEST(Levels, AreThoseThatTwoRanksAreAt) {
  EXPECT_EQ(found({place('a', 0)}), Levels{});
  EXPECT_EQ(found({place('a', kNone), place('a', kNone), place('a', kNone)}),
            (Levels{{"host", 0, 1, 0}}));
  EXPECT_EQ(found({place('a', kNone), place('b', kNone)}), (Levels{{"network", 0, 1, 0}}));
  EXPECT_EQ(found({place('a', kNone), place('a', kNone), place('b', kNone)}),
            (Levels{{"host", 0, 1, 2}, {"network", 0, 2, 0}}));
}

TEST(Levels, ComplexesAreBelowTheHost) {
  EXPECT_EQ(found({place('a', 0), place('a', 0), place('a', 8), place('a', 8)}),
            (Levels{{"core complex", 0, 1, 2}, {"host", 0, 2, 0}}));
  EXPECT_EQ(found({place('a', 0), place('a', 8), place('a', 8), place('a', 8), place('a', 16),
                   place('b', 0), place('b', 8)}),
            (Levels{{"core complex", 1, 2, 3}, {"host", 0, 1, 3}, {"network", 0, 5, 0}}));
}

TEST(Levels, OneRankInEachComplexLeavesTheLevelOut) {
  EXPECT_EQ(found({place('a', 0), place('a', 8), place('b', 0), place('b', 8)}),
            (Levels{{"host", 0, 1, 2}, {"network", 0, 2, 0}}));
}

TEST(Levels, TheHostHoldsAllItsRanks) {
  // Five ranks on b, which has no complexes, want three complexes of two.
  std::vector<Place> places{place('a', 0), place('a', 0), place('a', 8)};
  for (int i = 0; i < 5; ++i) places.push_back(place('b', kNone));
  EXPECT_EQ(found(places),
            (Levels{{"core complex", 0, 1, 2}, {"host", 0, 2, 3}, {"network", 0, 3, 0}}));
}

TEST(Levels, TheLowestRankMayHaveNobodyNear) {
  EXPECT_EQ(found({place('a', kNone), place('b', kNone), place('b', kNone)}),
            (Levels{{"host", 1, 2, 2}, {"network", 0, 1, 0}}));
}

}  // namespace
}  // namespace stretto
