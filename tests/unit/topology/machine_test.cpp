// Machines as they are described, and what their messages cost.
#include "topology/machine.hpp"

#include <gtest/gtest.h>

#include "model/refused.hpp"
#include "model/small_machines.hpp"

namespace stretto::model {
namespace {

constexpr const char* kCluster = R"(machine a cluster
copy 10 0.1
reduce 20 0.25
level 4 0 0.05 host
message 0 100 50 60 0.01 30 0.1
message 4096 300 150 160 0.02 90 0.2

level 0 0.08 0 network
message 0 1000 500 500 0 300 1
)";

TEST(Machine, IsReadFromItsDescription) {
  const Machine machine = machine_of(kCluster);
  EXPECT_EQ(machine.name, "a cluster");
  ASSERT_EQ(machine.levels.size(), 2U);
  EXPECT_EQ(machine.levels[0].name, "host");
  EXPECT_EQ(machine.levels[0].pieces.size(), 2U);
  EXPECT_DOUBLE_EQ(machine.levels[1].link_per_byte, 0.08);
}

TEST(Machine, HasContentionAmongThoseWhoseMessagesShareALink) {
  Machine machine = machine_of(kCluster);
  EXPECT_TRUE(machine.has_contention(2));  // on their host's medium
  machine.levels[0].medium_per_byte = 0;
  EXPECT_TRUE(machine.has_contention(8));
  EXPECT_TRUE(machine.has_contention(5));
  EXPECT_FALSE(machine.has_contention(4));
  machine.places = {5, 7, 4, 8};
  EXPECT_FALSE(machine.has_contention(3));
  EXPECT_TRUE(machine.has_contention(4));
}

TEST(Machine, FindsTheNearestLevelOfTwoRanks) {
  const Machine machine = machine_of(kCluster);
  EXPECT_EQ(machine.level_between(0, 3), 0U);
  EXPECT_EQ(machine.level_between(3, 4), 1U);
  EXPECT_EQ(machine.level_between(7, 4), 0U);
}

TEST(Machine, ChargesAMessageByItsPiece) {
  const Level host = machine_of(kCluster).levels[0];
  const MessageCost small = message_cost(host, 4095);
  EXPECT_DOUBLE_EQ(small.send, 50 + 40.95);
  EXPECT_DOUBLE_EQ(small.recv, 60 + 40.95);
  EXPECT_DOUBLE_EQ(small.gap, 30 + 409.4);
  EXPECT_DOUBLE_EQ(small.wire, 100 + 409.4);
  EXPECT_DOUBLE_EQ(message_cost(host, 4096).wire, 300 + 819);
  EXPECT_DOUBLE_EQ(message_cost(host, 0).wire, 100);
}

class WrongMachine : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongMachine, IsRefusedWithItsLine) { expect_refused(GetParam(), machine_of); }

INSTANTIATE_TEST_SUITE_P(
    All, WrongMachine,
    ::testing::Values(
        Wrong{"", "machine, line 1: there is no level"},
        Wrong{"level 4 0 0 x\n", "machine, line 2: the last level has no message"},
        Wrong{"level 4 0 0 x\nmessage 0 1 1 1 1 1 1\n",
              "machine, line 3: the last level must have RANKS 0: all"},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 1\nlevel 0 0 0 y\n",
              "machine, line 3: a level follows the last, whose RANKS is 0"},
        Wrong{"level 4 0 0 x\nmessage 0 1 1 1 1 1 1\nlevel 6 0 0 y\n",
              "machine, line 3: RANKS is no multiple of the level's before"},
        Wrong{"message 0 1 1 1 1 1 1\n", "machine, line 1: a message before any level"},
        Wrong{"level 0 0 0 x\nmessage 8 1 1 1 1 1 1\n",
              "machine, line 2: FROM_BYTES must be 0 first, then rise"},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1\n",
              "machine, line 2: G_PER_BYTE is no number of 0 or more"},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 nan\n",
              "machine, line 2: G_PER_BYTE is no number of 0 or more"},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 1 9\n", "machine, line 2: '9' is too much"},
        Wrong{"level -1 0 0 x\n", "machine, line 1: RANKS is no whole number from 0 to 1073741824"},
        Wrong{"lvel 0\n", "machine, line 1: unknown word 'lvel'"}));

}  // namespace
}  // namespace stretto::model
