// Runs a trace again, in the simulator alone.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/call_site.hpp"
#include "model/scenario.hpp"
#include "replay/sections.hpp"
#include "trace/trace.hpp"

namespace stretto::replay {

// Its ranks share the list of its members.
struct PartComm {
  std::int64_t id = 0;
  std::shared_ptr<const std::vector<int>> members{};
};

// One rank of what is replayed: a trace's, or one made from it.
struct Part {
  const trace::RankTrace* trace = nullptr;  // its loops and durations
  std::vector<trace::Op> ops{};             // instead of the trace's
  std::vector<PartComm> comms{};
  Location location{};
  double computing = 1;  // computes so many times as long as the trace says
};

// Those of a trace, as they are.
[[nodiscard]] std::vector<Part> parts_of(const trace::Trace& trace);

// What became of one rank.
struct Replayed {
  std::vector<double> ends{};  // ns, by scenario
  double computed_ns = 0;
  std::vector<model::CallSiteTimes> call_sites{};  // by the trace's
  std::size_t left = 0;                            // messages that it never takes
};

// Messages or collectives do not fit together.
struct Unmatched : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Everything happens in the order in which the ranks recorded it, at the times that the model says.
// Throws Unmatched, naming a rank that waits in vain. Where time goes in the first
// scenario is added to `sections`, if any.
[[nodiscard]] std::vector<Replayed> replay(const std::vector<model::Scenario>& scenarios,
                                           const std::vector<Part>& parts,
                                           Sections* sections = nullptr);

}  // namespace stretto::replay
