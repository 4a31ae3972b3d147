// Where ranks are on a machine that has hosts, complexes, or neither.
#include "model/placing.hpp"

#include <gtest/gtest.h>

#include <random>

#include "model/small_machines.hpp"

namespace stretto::model {
namespace {

using Places = std::vector<Rank>;
using Locations = std::vector<Location>;

const std::string kMessage = "message 0 1 1 1 0 1 1\n";

// Complexes of so many ranks on hosts of so many; 0: no such level.
Scenario machine(int per_complex, int per_host, bool network = true) {
  std::string text = "machine m\n";
  const auto level = [&](int ranks, const char* name) {
    text += "level " + std::to_string(ranks) + " 0 0 " + name + "\n" + kMessage;
  };
  if (per_complex > 0) level(per_complex, "core complex");
  if (per_host > 0 || !network) level(network ? per_host : 0, "host");
  if (network) level(0, "network");
  Scenario scenario;
  scenario.machine = machine_of(text);
  return scenario;
}

TEST(Placing, PutsRanksOnTheirHosts) {
  EXPECT_EQ(places_of(machine(0, 2), Locations{{0}, {1}, {0}, {1}}), (Places{0, 2, 1, 3}));
  // Hosts that are not full, or that are as large as two.
  EXPECT_EQ(places_of(machine(0, 4), Locations{{0}, {1}, {0}}), (Places{0, 4, 1}));
  EXPECT_EQ(places_of(machine(0, 2), Locations{{0}, {0}, {0}, {1}}), (Places{0, 1, 2, 4}));
  EXPECT_EQ(places_of(machine(0, 0), Locations{{0}, {1}, {0}}), (Places{0, 2, 1}));
}

TEST(Placing, PutsRanksOnTheirComplexes) {
  const Locations round_robin{{0, 0}, {0, 1}, {0, 0}, {0, 1}};
  EXPECT_EQ(places_of(machine(2, 4), round_robin), (Places{0, 2, 1, 3}));
  EXPECT_EQ(places_of(machine(2, 0, false), round_robin), (Places{0, 2, 1, 3}));
  // On one that has none they are in their order.
  EXPECT_EQ(places_of(machine(0, 4), round_robin), (Places{0, 1, 2, 3}));
  // Complexes that are not full begin where the machine's do.
  const Locations uneven{{0, 0}, {0, 1}, {0, 1}, {1, 2}, {1, 3}};
  EXPECT_EQ(places_of(machine(4, 8), uneven), (Places{0, 4, 5, 8, 12}));
}

TEST(Placing, OfRanksWithoutAComplexIsInTheirOrder) {
  EXPECT_EQ(places_of(machine(2, 4), Locations{{0}, {1}, {0}, {1}, {0}}), (Places{0, 4, 1, 5, 2}));
  EXPECT_EQ(places_of(machine(2, 0, false), Locations{{0}, {0}, {0}}), (Places{0, 1, 2}));
  EXPECT_EQ(places_of(machine(2, 4), Locations{{0, 0}, {0, 1}, {1}, {1}, {1}}),
            (Places{0, 2, 4, 5, 6}));
}

TEST(Placing, AHostStaysOneWhereTheMachineHasFewerComplexes) {
  // Three complexes, of which the machine's host has two: places 0 to 3.
  EXPECT_EQ(places_of(machine(2, 4), Locations{{0, 0}, {0, 1}, {0, 2}, {1, 3}, {1, 4}}),
            (Places{0, 1, 2, 4, 6}));
  // Where the host is the last level there is no end to it.
  EXPECT_EQ(places_of(machine(2, 0, false), Locations{{0, 0}, {0, 1}, {0, 2}}), (Places{0, 2, 4}));
}

TEST(Placing, IsInTheirOrderWhereTheScenarioPlacesThem) {
  Scenario scenario = machine(2, 4);
  scenario.ranks_per_host = 2;
  EXPECT_EQ(places_of(scenario, Locations{{0, 0}, {1, 1}, {0, 2}, {1, 3}}), (Places{0, 1, 2, 3}));
}

// On a machine that fits, two ranks are at the level that their locations are at.
TEST(Placing, KeepsWhoIsNearWhom) {
  std::mt19937 random(7);
  const Scenario scenario = machine(4, 16);
  for (int turn = 0; turn < 200; ++turn) {
    Locations locations;
    std::map<int, int> in_complex;
    for (int i = 0; i < 20; ++i) {
      const auto complex = static_cast<int>(random() % 12);  // four on each of three hosts
      if (++in_complex[complex] <= 4) locations.push_back({complex / 4, complex});
    }
    Machine machine = scenario.machine;
    machine.places = places_of(scenario, locations);
    for (std::size_t a = 0; a < locations.size(); ++a) {
      for (std::size_t b = 0; b < locations.size(); ++b) {
        const std::size_t level = locations[a].core_complex == locations[b].core_complex ? 0U
                                  : locations[a].host == locations[b].host               ? 1U
                                                                                         : 2U;
        ASSERT_EQ(machine.level_between(static_cast<Rank>(a), static_cast<Rank>(b)), level);
        ASSERT_TRUE(a == b || machine.places[a] != machine.places[b]);
      }
    }
  }
}

}  // namespace
}  // namespace stretto::model
