// Schedules of the Group Operation Assembly Language (GOAL), as LogGOPSim and ATLAHS simulate them:
// read and run here, and written from traces.
//
//   num_ranks N
//   rank R {
//     [LABEL:] calc NS [cpu 0]
//     [LABEL:] send BYTESb to RANK [tag T] [cpu 0] [nic 0]
//     [LABEL:] recv BYTESb from RANK [tag T] [cpu 0] [nic 0]
//     LABEL requires LABEL         the first starts when the second is done
//     LABEL irequires LABEL        the first starts when the second may have started
//   }
//
// with comments as C++ has them. Hoefler, Siebert and Lumsdaine, "Group Operation Assembly
// Language", ICPP 2009; this is the grammar of LogGOPSim's txt2bin.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/scenario.hpp"
#include "replay/replay.hpp"
#include "schedule/schedule.hpp"

namespace stretto::replay {

// Not a schedule, or none that can be run: says so of a line.
struct BadGoal : std::runtime_error {
  BadGoal(int line, const std::string& what)
      : std::runtime_error("line " + std::to_string(line) + ": " + what) {}
  // Of all of it.
  explicit BadGoal(const std::string& what) : std::runtime_error(what) {}
};

struct Goal {
  // By rank. An element is a byte, and of a copy, which is a calc, a nanosecond.
  std::vector<Schedule> ranks{};
  std::int64_t messages = 0;
  std::int64_t bytes = 0;         // of all messages
  std::vector<double> calc_ns{};  // by rank
};

// Sends and receives of one pair and tag match in the order of their lines. Throws BadGoal.
[[nodiscard]] Goal read_goal(std::istream& text);

// When each rank is done, in ns, on the scenario's machine; its collectives mean nothing.
[[nodiscard]] std::vector<double> run_goal(const Goal& goal, const model::Scenario& scenario);

// Writes what was recorded, with computing and places as the scenario has them. Collectives are the
// messages of the algorithms' schedules that the model runs on its machine, and their copies and
// reductions what they take there. Throws Unmatched.
void write_goal(std::ostream& text, const std::vector<Part>& parts,
                const model::Scenario& scenario);

}  // namespace stretto::replay
