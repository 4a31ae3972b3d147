// Scenarios as they are written, and what they make of a collective's time.
#include "model/scenario.hpp"

#include <gtest/gtest.h>

#include "collectives/algorithm.hpp"
#include "model/refused.hpp"

namespace stretto::model {
namespace {

std::vector<Scenario> scenarios_of(const std::string& description) {
  return read_scenarios(description);
}

const CollectiveRule& rule_of(const Scenario& scenario, Collective collective) {
  return scenario.collectives[static_cast<std::size_t>(collective)];
}

#define ANY_MACHINE "machine m\nlevel 0 0 0 all\nmessage 0 1 1 1 0 1 1\n"

constexpr const char* kTwo = R"(scenario as it is
machine first one
level 0 0 0 all
message 0 100 10 10 0 0 1

scenario another
computing 0.5
point_to_point 2.5

overlap perfect
ranks_per_host 16
network 1500 2
collective allreduce 0
collective bcast 1.5
measured alltoall 8 4 1000.5
measured alltoall 256 4 2000 8
measured alltoall 1024 4 3000 8 4500
algorithm reduce_scatter linear
machine second one
copy 1 2
level 4 0 0 host
message 0 1 1 1 0 1 1
level 0 0 0 network
message 0 1 1 1 0 1 1
)";

TEST(Scenario, IsReadFromItsDescription) {
  const auto scenarios = scenarios_of(kTwo);
  ASSERT_EQ(scenarios.size(), 2U);
  const Scenario& other = scenarios[1];
  EXPECT_EQ(other.name, "another");
  EXPECT_DOUBLE_EQ(other.computing, 0.5);
  EXPECT_DOUBLE_EQ(other.point_to_point, 2.5);
  EXPECT_TRUE(other.overlap);
  EXPECT_EQ(other.ranks_per_host, 16);
  ASSERT_TRUE(other.slower.has_value());
  EXPECT_DOUBLE_EQ(other.slower->latency, 1500);
  EXPECT_DOUBLE_EQ(other.slower->per_byte, 2);
  EXPECT_DOUBLE_EQ(other.factor(Collective::allreduce, 8), 0);
  EXPECT_DOUBLE_EQ(other.factor(Collective::bcast, 8), 1.5);
  const auto& measured = rule_of(other, Collective::alltoall).measured;
  ASSERT_EQ(measured.size(), 3U);
  EXPECT_EQ(measured[0].bytes, 8);
  EXPECT_EQ(measured[0].ranks, 4);
  EXPECT_DOUBLE_EQ(measured[0].time, 1000.5);
  EXPECT_EQ(measured[0].calls, 1);
  EXPECT_EQ(measured[1].calls, 8);
  EXPECT_DOUBLE_EQ(measured[1].cold, 2000);
  EXPECT_DOUBLE_EQ(measured[2].cold, 4500);
  EXPECT_EQ(measured[1].bytes, 256);
  const auto forced = static_cast<std::size_t>(Collective::reduce_scatter);
  EXPECT_EQ(other.algorithms[forced].algorithm,
            find_algorithm(Collective::reduce_scatter, "linear"));
  EXPECT_EQ(other.machine.name, "second one");
  EXPECT_EQ(other.machine.levels.size(), 2U);
  EXPECT_DOUBLE_EQ(other.machine.copy_per_byte, 2);
}

TEST(Scenario, ThatSaysNothingIsTheRunAsItIs) {
  const Scenario plain = scenarios_of(kTwo)[0];
  EXPECT_EQ(plain.name, "as it is");
  EXPECT_DOUBLE_EQ(plain.computing, 1);
  EXPECT_DOUBLE_EQ(plain.point_to_point, 1);
  EXPECT_FALSE(plain.overlap);
  EXPECT_EQ(plain.ranks_per_host, 0);
  EXPECT_EQ(plain.machine.name, "first one");
  for (int i = 0; i < kCollectives; ++i) {
    EXPECT_DOUBLE_EQ(plain.factor(static_cast<Collective>(i), 1000), 1);
    EXPECT_EQ(plain.algorithms[static_cast<std::size_t>(i)].algorithm, nullptr);
  }
}

TEST(Scenario, KnowsEveryCollective) {
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    const std::string line = "collective " + std::string(name_of(collective)) + " 0.25\n";
    const Scenario scenario = scenarios_of("scenario x\n" + line + ANY_MACHINE)[0];
    for (int j = 0; j < kCollectives; ++j) {
      EXPECT_DOUBLE_EQ(scenario.factor(static_cast<Collective>(j), 8), i == j ? 0.25 : 1);
    }
  }
}

class ScenarioRefused : public ::testing::TestWithParam<Wrong> {};

TEST_P(ScenarioRefused, WithItsLine) { expect_refused(GetParam(), scenarios_of); }

#define NO_NUMBER "a number of 0 or more is missing"

INSTANTIATE_TEST_SUITE_P(
    All, ScenarioRefused,
    ::testing::Values(
        Wrong{"", "scenarios, line 0: there is no scenario"},
        Wrong{"\n \n", "scenarios, line 2: there is no scenario"},
        Wrong{"computing 1\n", "scenarios, line 1: a scenario must come first"},
        Wrong{ANY_MACHINE, "scenarios, line 1: a scenario must come first"},
        Wrong{"scenario x\ncomputnig 1\n", "scenarios, line 2: unknown word 'computnig'"},
        Wrong{"scenario x\ncomputing\n", "scenarios, line 2: " NO_NUMBER},
        Wrong{"scenario x\n\ncomputing -1\n", "scenarios, line 3: " NO_NUMBER},
        Wrong{"scenario x\ncomputing fast\n", "scenarios, line 2: " NO_NUMBER},
        Wrong{"scenario x\npoint_to_point inf\n", "scenarios, line 2: " NO_NUMBER},
        Wrong{"scenario x\npoint_to_point nan\n", "scenarios, line 2: " NO_NUMBER},
        Wrong{"scenario x\nranks_per_host\n",
              "scenarios, line 2: a whole number from 1 to 1073741824 is missing"},
        Wrong{"scenario x\nranks_per_host 1e300\n",
              "scenarios, line 2: a whole number from 1 to 1073741824 is missing"},
        Wrong{"scenario x\noverlap some\n",
              "scenarios, line 2: overlap is perfect where it is named"},
        Wrong{"scenario x\ncomputing 1 2\n", "scenarios, line 2: '2' is too much"},
        Wrong{"scenario x\nmeasured bcast 8 1 5\n",
              "scenarios, line 2: a whole number from 2 to 65536 is missing"},
        Wrong{"scenario x\nmeasured bcast 8 2 5 0\n",
              "scenarios, line 2: a whole number from 1 to 1000 is missing"},
        Wrong{"scenario x\nmeasured bcast 8 2 5 x\n",
              "scenarios, line 2: a whole number from 1 to 1000 is missing"},
        Wrong{"scenario x\nmeasured bcast 8 2 5 8 8 9\n", "scenarios, line 2: '9' is too much"},
        Wrong{"scenario x\nmeasured bcast 8 2 5 8 -1\n",
              "scenarios, line 2: a number of 0 or more is missing"},
        Wrong{"scenario x\nmeasured neighbor_allgather 8 4 5\n",
              "scenarios, line 2: a neighbourhood collective cannot be measured alone"},
        Wrong{"scenario x\nmeasured bcast 8 2 5\nmeasured bcast 8 2 5\n",
              "scenarios, line 3: BYTES must rise"},
        Wrong{"scenario x\noverlap\n", "scenarios, line 2: a word is missing"},
        Wrong{"scenario x\ncollective\n", "scenarios, line 2: a word is missing"},
        Wrong{"scenario x\ncollective bcst 1\n",
              "scenarios, line 2: there is no collective 'bcst'"},
        Wrong{"scenario x\ncollective bcast\n", "scenarios, line 2: " NO_NUMBER},
        Wrong{"scenario x\nmeasured\n", "scenarios, line 2: a word is missing"},
        Wrong{"scenario x\nmeasured all 8 4 1\n",
              "scenarios, line 2: there is no collective 'all'"},
        Wrong{"scenario x\nmeasured bcast 8 4\n", "scenarios, line 2: " NO_NUMBER},
        Wrong{"scenario x\nalgorithm\n", "scenarios, line 2: a word is missing"},
        Wrong{"scenario x\nalgorithm bcast\n", "scenarios, line 2: a word is missing"},
        Wrong{"scenario x\nalgorithm broadcast ring\n",
              "scenarios, line 2: there is no collective 'broadcast'"},
        Wrong{"scenario x\nalgorithm barrier ring\n",
              "scenarios, line 2: there is no such algorithm"},
        // A scenario ends with its machine, whose lines are counted from its first.
        Wrong{"scenario x\n", "the machine's description is damaged"},
        Wrong{"scenario x\nscenario y\n" ANY_MACHINE, "the machine's description is damaged"},
        Wrong{"scenario x\nmachine m\nlvel\n", "machine, line 2 is damaged: lvel"},
        Wrong{"scenario x\n" ANY_MACHINE "computing 1\n",
              "machine, line 4 is damaged: computing 1"}));

Scenario corrected(std::vector<Correction> corrections, double factor = 1) {
  Scenario scenario;
  CollectiveRule& rule = scenario.collectives[static_cast<std::size_t>(Collective::bcast)];
  rule.factor = factor;
  rule.corrections = std::move(corrections);
  return scenario;
}

TEST(Scenario, CorrectsOnALineInTheLogarithmOfTheSize) {
  const Scenario scenario = corrected({{16, 2}, {256, 4}, {512, 1}});
  const auto factor = [&](std::int64_t bytes) { return scenario.factor(Collective::bcast, bytes); };
  for (const std::int64_t bytes : {0, 1, 15, 16}) EXPECT_DOUBLE_EQ(factor(bytes), 2);
  EXPECT_DOUBLE_EQ(factor(32), 2.5);
  EXPECT_DOUBLE_EQ(factor(64), 3);
  EXPECT_DOUBLE_EQ(factor(256), 4);
  EXPECT_GT(factor(300), factor(400));
  for (const std::int64_t bytes : {512, 513, 1 << 30}) EXPECT_DOUBLE_EQ(factor(bytes), 1);
  EXPECT_DOUBLE_EQ(scenario.factor(Collective::reduce, 64), 1);
}

// No bytes and one byte are at one place of the line.
TEST(Scenario, CorrectsWhereThereAreNoBytes) {
  const Scenario scenario = corrected({{0, 5}, {1, 7}, {4, 9}});
  EXPECT_DOUBLE_EQ(scenario.factor(Collective::bcast, 0), 5);
  EXPECT_DOUBLE_EQ(scenario.factor(Collective::bcast, 1), 7);
  EXPECT_DOUBLE_EQ(scenario.factor(Collective::bcast, 2), 8);
}

TEST(Scenario, CorrectsColdDataByThemselves) {
  const Scenario scenario = corrected({{16, 2, 6}, {64, 4, 8}});
  EXPECT_DOUBLE_EQ(scenario.factor(Collective::bcast, 32), 3);
  EXPECT_DOUBLE_EQ(scenario.factor(Collective::bcast, 32, true), 7);
}

TEST(Scenario, MultipliesTheCorrectionByWhatIsAsked) {
  EXPECT_DOUBLE_EQ(corrected({{8, 3}}, 0.5).factor(Collective::bcast, 8), 1.5);
}

TEST(Scenario, CorrectsNothingThatIsFree) {
  EXPECT_EQ(corrected({{8, 3}}, 0).factor(Collective::bcast, 8), 0);
}

}  // namespace
}  // namespace stretto::model
