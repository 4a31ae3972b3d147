// Counts what a collective costs: messages, elements, and the longest path
// through all ranks' schedules in the alpha-beta-gamma model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/layout.hpp"

namespace stretto {

// Of one message (alpha), one element moved (beta) and one element reduced (gamma).
struct Weights {
  double alpha = 0;
  double beta = 0;
  double gamma = 0;
};

struct Interval {
  double start = 0;
  double end = 0;
};

struct Timeline {
  std::vector<std::vector<Interval>> ranks;  // of each rank's steps
  double end = 0;
};

// When each step happens if every rank has one port to send and one to receive,
// all enter at time 0, a message starts as soon as both its ends and both ports
// are ready, a rank reduces one thing at a time, and copies are free. Among
// messages that could start at once, the one ready for longest goes first, then
// the lower step, then the lower rank. The schedules must be correct (see verify).
[[nodiscard]] Timeline simulate(std::span<const Schedule> ranks, const Weights& weights);

// Messages between ranks that are this near, and no nearer.
struct LevelTraffic {
  std::string level;
  std::int64_t messages = 0;
  Count elements = 0;
};

struct Cost {
  std::int64_t messages = 0;
  Count elements = 0;             // moved between ranks
  std::int64_t rounds = 0;        // messages in the longest chain of dependent ones
  std::int64_t max_messages = 0;  // sent by one rank
  Count max_sent = 0;             // elements sent by one rank
  Count max_received = 0;         // elements received by one rank
  Count max_reduced = 0;          // elements reduced by one rank
  Count max_scratch = 0;          // elements of scratch on one rank
  // Critical path: time when only messages, only elements moved, only elements
  // reduced take time.
  double alpha = 0;
  double beta = 0;
  double gamma = 0;
  std::vector<LevelTraffic> levels{};  // of the layout, and "network" beyond them; none without
};

[[nodiscard]] Cost cost(std::span<const Schedule> ranks, const Layout& layout = {});

}  // namespace stretto
