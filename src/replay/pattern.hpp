// What all ranks of a trace have in common: the same calls, with neighbours in a grid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/grid.hpp"
#include "trace/trace.hpp"

namespace stretto::replay {

struct Pattern {
  Grid grid{};
  bool sends = false;      // messages
  bool uses_grid = false;  // or has collectives along it; else any grid does
  int alike = 0;           // ranks that do what another one at the same kind of border does
  double computing = 0;    // those ranks' computing differs by up to so much, as a share
  double bytes = 0;        // and what they send
  // For each rank the dimensions along which each of its communicators lies; empty: not used.
  std::vector<std::vector<std::optional<unsigned>>> comms{};
};

// The grid of the fewest dimensions in which all ranks at the same kind of border do the same;
// nothing where there is none. Then `broken` says, of the grid in which ranks are alike for
// longest, which rank does what other than which, if that is why.
[[nodiscard]] std::optional<Pattern> pattern_of(const trace::Trace& trace,
                                                std::string* broken = nullptr);

}  // namespace stretto::replay
