// Machines as they are described, and what their messages cost.
#include "topology/machine.hpp"

#include <gtest/gtest.h>

#include <string>

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

TEST(Machine, SlowsItsNetworkDownAndNoHost) {
  Machine machine = machine_of(kCluster);
  slow_network(machine, {.latency = 7, .per_byte = 3});
  const MessageCost near = message_cost(machine.levels[0], 11);
  EXPECT_DOUBLE_EQ(near.wire, 100 + 1);
  const MessageCost far = message_cost(machine.levels[1], 11);
  EXPECT_DOUBLE_EQ(far.wire, 1000 + 7 + 30);
  EXPECT_DOUBLE_EQ(far.gap, 300 + 30);
  EXPECT_DOUBLE_EQ(machine.levels[1].link_per_byte, 3 * 0.08);
  Machine alone = machine_of("level 0 0 0 host\nmessage 0 100 1 1 0 1 1\n");
  slow_network(alone, {.latency = 7});
  EXPECT_DOUBLE_EQ(message_cost(alone.levels[0], 1).wire, 107);
}

// Large messages whose ends wait inside a call: what the network takes is in their overhead.
TEST(Machine, SlowsDownWhatTheNetworkTakesOfAnOverhead) {
  Machine machine = machine_of(R"(level 0 0 0 host
message 0 1000 500 500 0 300 90
message 2048 1000 500 500 0 300 40
message 65536 1000 500 500 20 300 0
message 131072 1000 500 500 5 300 2
)");
  slow_network(machine, {.per_byte = 2});
  const auto& pieces = machine.levels[0].pieces;
  EXPECT_DOUBLE_EQ(pieces[0].gap_per_byte, 180);  // which says nothing of longer messages
  EXPECT_DOUBLE_EQ(pieces[1].gap_per_byte, 80);
  EXPECT_DOUBLE_EQ(pieces[1].overhead_per_byte, 0);
  // It stays where it was found: all of twice 20 was the network's.
  EXPECT_DOUBLE_EQ(pieces[2].gap_per_byte, 0);
  EXPECT_DOUBLE_EQ(pieces[2].overhead_per_byte, 40);
  EXPECT_DOUBLE_EQ(pieces[3].gap_per_byte, 4);  // no more than doubles what a byte takes
  EXPECT_DOUBLE_EQ(pieces[3].overhead_per_byte, 10);
  // What the first messages show goes on beyond 4 KiB, or is all that is shown.
  for (const char* const second : {"65536", "2048"}) {
    Machine two = machine_of(std::string("level 0 0 0 host\nmessage 0 9 9 9 0 3 40\nmessage ") +
                             second + " 9 9 9 20 3 0\n");
    slow_network(two, {.per_byte = 2});
    EXPECT_DOUBLE_EQ(two.levels[0].pieces[1].overhead_per_byte, 40) << second;
  }
  // Not that of one size, which is the way to another protocol, where sizes beside each other fit.
  Machine jumping = machine_of(
      "level 0 0 0 host\nmessage 0 9 9 9 0.5 3 0.8\nmessage 8192 9 9 9 0.5 3 3.6\n"
      "message 16384 9 9 9 0.5 3 0.8\n");
  slow_network(jumping, {.per_byte = 2});
  EXPECT_DOUBLE_EQ(jumping.levels[0].pieces[2].gap_per_byte, 1.6);
  EXPECT_DOUBLE_EQ(jumping.levels[0].pieces[2].overhead_per_byte, 0.5);
  Machine linked = machine_of("level 0 40 0 host\nmessage 0 1000 500 500 20 300 0\n");
  slow_network(linked, {.per_byte = 3});
  EXPECT_DOUBLE_EQ(linked.levels[0].pieces[0].overhead_per_byte, 60);
  // The link says it, where there is one, whatever a gap of some messages is.
  Machine copying =
      machine_of("level 0 0.1 0 host\nmessage 0 9 9 9 0.05 3 1\nmessage 65536 9 9 9 0.2 3 0.1\n");
  slow_network(copying, {.per_byte = 2});
  EXPECT_DOUBLE_EQ(copying.levels[0].pieces[1].gap_per_byte, 0.2);
  EXPECT_DOUBLE_EQ(copying.levels[0].pieces[1].overhead_per_byte, 0.2);
  Machine faster = machine_of("level 0 40 0 host\nmessage 0 1000 500 500 20 300 0\n");
  slow_network(faster, {.per_byte = 0.5});
  EXPECT_DOUBLE_EQ(faster.levels[0].pieces[0].gap_per_byte, 0);
  EXPECT_DOUBLE_EQ(faster.levels[0].pieces[0].overhead_per_byte, 10);
}

// Whose receiver waits inside a call for bytes to come, and they may come one way at a time.
TEST(Machine, SlowsDownAllOfARendezvousButWhatEndsSpend) {
  Machine machine = machine_of(R"(level 0 0 0 host
message 0 9 9 9 3 3 40
message 4096 9 9 9 1 3 40
message 65536 9 9 9 20 3 40 rendezvous
)");
  slow_network(machine, {.per_byte = 2});
  const auto& pieces = machine.levels[0].pieces;
  EXPECT_DOUBLE_EQ(pieces[1].gap_per_byte, 80);
  EXPECT_DOUBLE_EQ(pieces[1].overhead_per_byte, 1);
  EXPECT_DOUBLE_EQ(pieces[2].gap_per_byte, 80);
  EXPECT_DOUBLE_EQ(pieces[2].overhead_per_byte, 39);
  // No more than both ways one after the other take, and no more than a link says.
  for (const char* const level : {"level 0 0 0 host\n", "level 0 1 0 host\n"}) {
    Machine copying = machine_of(std::string(level) + R"(message 0 9 9 9 0.05 3 1
message 65536 9 9 9 20 3 1 rendezvous
)");
    slow_network(copying, {.per_byte = 2});
    const double more = copying.levels[0].link_per_byte > 0 ? 0 : 0.5;
    EXPECT_DOUBLE_EQ(copying.levels[0].pieces[1].overhead_per_byte, 20 + more);
  }
  Machine alone = machine_of("level 0 0 0 host\nmessage 0 9 9 9 20 3 40 rendezvous\n");
  slow_network(alone, {.per_byte = 2});
  EXPECT_DOUBLE_EQ(alone.levels[0].pieces[0].overhead_per_byte, 20);
}

TEST(Machine, AddsLatencyThreeTimesToAMessageThatIsAnsweredFirst) {
  Machine machine =
      machine_of("level 0 0 0 host\nmessage 0 9 8 7 0 3 1\nmessage 64 20 8 30 0 3 1 rendezvous\n");
  EXPECT_DOUBLE_EQ(message_cost(machine.levels[0], 64).answered, 0);
  slow_network(machine, {.latency = 100});
  EXPECT_DOUBLE_EQ(message_cost(machine.levels[0], 63).wire, 9 + 62 + 100);
  EXPECT_DOUBLE_EQ(message_cost(machine.levels[0], 63).answered, 0);
  EXPECT_DOUBLE_EQ(message_cost(machine.levels[0], 64).wire, 20 + 63 + 100);
  EXPECT_DOUBLE_EQ(message_cost(machine.levels[0], 64).answered, 200);
  for (const char* const damaged : {"eager", "rendezvous 1", "1"}) {
    const std::string text = "level 0 0 0 host\nmessage 0 9 8 7 0 3 1 ";
    EXPECT_THROW(static_cast<void>(read_machine(text + damaged + "\n")), BadMachine) << damaged;
  }
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

TEST(Machine, CountsHostsWhoseRanksFollowEachOther) {
  Machine machine = machine_of(kCluster);
  EXPECT_EQ(hosts_in_blocks(machine, 1), 1);
  EXPECT_EQ(hosts_in_blocks(machine, 4), 1);
  EXPECT_EQ(hosts_in_blocks(machine, 9), 3);
  machine.places = {9, 0, 1, 7};
  EXPECT_EQ(hosts_in_blocks(machine, 4), 3);
  machine.places = {9, 0, 10, 7};
  EXPECT_EQ(hosts_in_blocks(machine, 4), 0);
  machine.places.clear();
  machine.levels[0].name = "rack";
  EXPECT_EQ(hosts_in_blocks(machine, 9), 0);
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

TEST(Machine, MayHaveNoName) {
  EXPECT_EQ(machine_of("machine \nlevel 0 0 0 \nmessage 0 1 1 1 1 1 1\n").name, "");
}

class WrongMachine : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongMachine, IsRefusedWithItsLine) { expect_refused(GetParam(), machine_of); }

constexpr const char* kDamaged = "the machine's description is damaged";

// What is wrong with a machine its users learn before (tests/python/model/test_machine.py).
INSTANTIATE_TEST_SUITE_P(
    All, WrongMachine,
    ::testing::Values(
        Wrong{"", kDamaged}, Wrong{"level 4 0 0 x\n", kDamaged},
        Wrong{"level 4 0 0 x\nmessage 0 1 1 1 1 1 1\n", kDamaged},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 1\nlevel 0 0 0 y\nmessage 0 1 1 1 1 1 1\n",
              kDamaged},
        Wrong{"level 4 0 0 x\nmessage 0 1 1 1 1 1 1\nlevel 6 0 0 y\nmessage 0 1 1 1 1 1 1\n"
              "level 0 0 0 z\nmessage 0 1 1 1 1 1 1\n",
              kDamaged},
        Wrong{"level 0 0 0 x\nmessage 8 1 1 1 1 1 1\n", kDamaged},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 1\nmessage 0 1 1 1 1 1 1\n", kDamaged},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 -1\n", kDamaged},
        Wrong{"copy -1 0\nlevel 0 0 0 x\nmessage 0 1 1 1 1 1 1\n", kDamaged},
        Wrong{"level 0 -1 0 x\nmessage 0 1 1 1 1 1 1\n", kDamaged},
        Wrong{"level -1 0 0 x\nmessage 0 1 1 1 1 1 1\n", kDamaged},
        Wrong{"message 0 1 1 1 1 1 1\n", "machine, line 1 is damaged: message 0 1 1 1 1 1 1"},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1\n",
              "machine, line 2 is damaged: message 0 1 1 1 1 1"},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 nan\n",
              "machine, line 2 is damaged: message 0 1 1 1 1 1 nan"},
        Wrong{"level 0 0 0 x\nmessage 0 1 1 1 1 1 1 9\n",
              "machine, line 2 is damaged: message 0 1 1 1 1 1 1 9"},
        Wrong{"level x 0 0 y\n", "machine, line 1 is damaged: level x 0 0 y"},
        Wrong{"lvel 0\n", "machine, line 1 is damaged: lvel 0"}));

}  // namespace
}  // namespace stretto::model
