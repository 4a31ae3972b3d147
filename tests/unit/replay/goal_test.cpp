// GOAL schedules: what is read, what is refused, and that traces written as schedules take as long.
#include "replay/goal.hpp"

#include <gtest/gtest.h>

#include <random>

#include "replay/programs.hpp"

namespace stretto::replay {
namespace {

Goal goal_of(const std::string& description) {
  std::istringstream text(description);
  return read_goal(text);
}

model::Scenario scenario() { return scenarios().front(); }

constexpr const char* kBoth = R"(// what two ranks do
num_ranks 2
rank 0 {
l1: calc 300 cpu 0
l2: send 1000b to 1 tag 3 cpu 0 nic 0
l2 requires l1
recv 8 b from 1 /* without a
label */
}
rank 1 {
a_1: recv 1000b from 0 tag 3
b2: send 8b to 0
b2 irequires a_1
}
)";

TEST(Goal, TakesWhatItsDependenciesAndTheMachineSay) {
  const Goal goal = goal_of(kBoth);
  EXPECT_EQ(goal.messages, 2);
  EXPECT_EQ(goal.bytes, 1008);
  EXPECT_EQ(goal.calc_ns, (std::vector<double>{300, 0}));
  const auto ends = run_goal(goal, scenario());
  EXPECT_EQ(ends[1], 300 + 100 + 1000 + 999 + 200);
  // What waits for a receive's start does not wait for its message.
  EXPECT_EQ(ends[0], 100 + 1000 + 7 + 200);
  model::Scenario slower = scenario();
  slower.computing = 10;
  // While rank 0 calculates its message comes, and has been ready for longer than the send.
  EXPECT_EQ(run_goal(goal, slower)[1], 3000 + 200 + 100 + 1000 + 999 + 200);
}

TEST(Goal, MessagesOfATagMatchInOrderAndTagsKeepThemApart) {
  const Goal goal = goal_of(
      "num_ranks 2\nrank 0 {\nsend 1b to 1 tag 2\nsend 500b to 1 tag 1\nsend 7b to 1 tag 2\n}\n"
      "rank 1 {\na: recv 500b from 0 tag 1\nb: recv 1b from 0 tag 2\nc: recv 7b from 0 tag 2\n}\n");
  const auto& steps = goal.ranks[1].steps;
  EXPECT_EQ(steps[0].to.span.count, 500);
  EXPECT_EQ(steps[1].to.span.count, 1);
  EXPECT_EQ(steps[2].to.span.count, 7);
}

TEST(Goal, WhatIsWrongIsSaidOfItsLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "line 1: there are no num_ranks"},
      {"rank 0 {\n}\n", "line 1: expected num_ranks"},
      {"num_ranks 0\n", "line 1: expected how many ranks there are, of at most 1048576"},
      {"num_ranks 1\nrank 1 {\n}\n", "line 2: expected a rank, of at most 0"},
      {"num_ranks 1\nrank 0 {\n", "line 3: the schedule of a rank has no '}'"},
      {"num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", "line 4: rank 0 has a schedule already"},
      {"num_ranks 1\nrank 0 {\nl1 calc 3\n}\n",
       "line 3: expected ':', requires or irequires after l1"},
      {"num_ranks 1\nrank 0 {\nl1: calc\n}\n", "line 3: expected a time in ns"},
      {"num_ranks 1\nrank 0 {\nl1: calc 1\nl1: calc 1\n}\n", "line 4: label l1 is given twice"},
      {"num_ranks 1\nrank 0 {\nl1: calc 1\nl1 requires l2\n}\n",
       "line 4: there is no label l2 before"},
      {"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\n\na requires b\nb requires a\n}\n",
       "line 6: operations wait for each other in a circle"},
      {"num_ranks 2\nrank 0 {\nsend 1b to 1\n}\n", "line 3: nobody receives the message"},
      {"num_ranks 2\nrank 0 {\nrecv 1b from 1\n}\n", "line 3: nobody sends the message"},
      {"num_ranks 2\nrank 0 {\nsend 1b from 1\n}\n", "line 3: expected to"},
      {"num_ranks 2\nrank 0 {\nrecv 1b from -1\n}\n",
       "line 3: who sends must be known here: -1 is no rank"},
      {"num_ranks 2\nrank 0 {\nrecv 1b from 1 tag -1\n}\n",
       "line 3: tags must be known here: -1 is none"},
      {"num_ranks 1\nrank 0 {\ncalc 1 cpu 1\n}\n",
       "line 3: a rank has one CPU and one NIC here, of number 0"},
      {"num_ranks 1\n/* no\nend", "line 2: a comment has no end"},
      {"num_ranks 1\nrank 0 {\ncalc 9999999999999999999999\n}\n", "line 3: a number is over 2^50"},
      {"num_ranks 1\n\x01", "line 2: a byte that is no letter stands where nothing begins so"},
  };
  for (const auto& [text, complaint] : wrong) {
    try {
      static_cast<void>(goal_of(text));
      ADD_FAILURE() << "was accepted: " << text;
    } catch (const BadGoal& bad) {
      EXPECT_STREQ(bad.what(), complaint);
    }
  }
}

TEST(Goal, RanksThatWaitForEachOtherInACircleAreRefused) {
  const Goal goal = goal_of(
      "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
      "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n");
  try {
    static_cast<void>(run_goal(goal, scenario()));
    ADD_FAILURE() << "was run";
  } catch (const BadGoal& bad) {
    EXPECT_STREQ(bad.what(), "ranks wait for each other's messages in a circle");
  }
}

// Whatever it is, it is run or refused.
TEST(Goal, OfDamagedSchedulesNoneDoesHarm) {
  const std::string whole = kBoth;
  const std::string letters = "{}: \n0123456789-/*abcdlrsendtorequires";
  std::mt19937 random(19);
  const auto below = [&](std::size_t end) { return random() % end; };
  int runs = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole;
    for (std::size_t change = 0; change <= below(3); ++change) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = letters[below(letters.size())];
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(20)));
      }
    }
    try {
      static_cast<void>(run_goal(goal_of(text), scenario()));
      ++runs;
    } catch (const BadGoal&) {
      continue;
    }
  }
  EXPECT_GT(runs, 100);
}

// In a schedule all that a rank does shares its ports; in a trace each collective has its own.
// Where ports are never busy there is no difference.
TEST(Goal, OfTracesTakeAsLongAsTheTraces) {
  const Program programs[] = {
      {.dims = {5}},
      {.dims = {4}, .alltoall = 4096},
      {.dims = {3, 4}, .is_periodic = false, .alltoall = 1200, .along_rows = true},
      {.dims = {4, 2}, .by_collective = true},
  };
  for (const bool has_gaps : {false, true}) {
    model::Scenario on = scenario();
    CostPiece& piece = on.machine.levels[0].pieces[0];
    if (!has_gaps) piece.gap = piece.gap_per_byte = 0;
    for (const Program& program : programs) {
      const trace::Trace trace = run(program);
      auto parts = parts_of(trace);
      parts[1].computing = 1.5;
      std::ostringstream text;
      write_goal(text, parts, on);
      const auto after = run_goal(goal_of(text.str()), on);
      const auto before = replay({on}, parts);
      for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        EXPECT_NEAR(after[rank] / before[rank].ends[0], 1, has_gaps ? 0.035 : 1e-4);
      }
    }
  }
}

TEST(Goal, MessagesReceivedInAnotherOrderFindTheirReceives) {
  const auto text = trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    if (rank == 0) {
      recorder.did({.kind = OpKind::send, .peer = 1, .bytes = 5});
      recorder.lasted(OpKind::compute, 9000);
      recorder.did({.kind = OpKind::send, .peer = 1, .bytes = 7});
    } else {
      recorder.did({.kind = OpKind::keep, .taken = {{0, 1}}, .slot = 4});
      recorder.did({.kind = OpKind::receive, .taken = {{trace::kKept, 4}, {0, 0}}});
    }
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  std::ostringstream written;
  write_goal(written, parts_of(trace), scenario());
  EXPECT_NE(written.str().find("l1: recv 7b from 0 tag 1073741825"), std::string::npos);
  EXPECT_NE(written.str().find("l2: recv 5b from 0 tag 1073741824"), std::string::npos);
  const auto ends = run_goal(goal_of(written.str()), scenario());
  EXPECT_NEAR(ends[1], ends_of(parts_of(trace))[1][0], 200);
}

}  // namespace
}  // namespace stretto::replay
