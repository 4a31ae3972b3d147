// What is asked of a run in virtual time: a machine, and what on it is other than it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/shape.hpp"
#include "selection/selection.hpp"
#include "topology/machine.hpp"

namespace stretto::model {

// From so many bytes on a collective takes `factor` times what its schedule says.
struct Correction {
  std::int64_t bytes = 0;
  double factor = 1;
  double cold = 1;  // the same where the data are in no cache
};

// What the machine's own MPI took for it on so many ranks, in ns: for each of so many calls in a
// row, where each has the next rank as its root.
struct MeasuredCollective {
  std::int64_t bytes = 0;
  int ranks = 0;
  double time = 0;
  int calls = 1;
  double cold = 0;  // as time, where the data are in no cache
};

struct CollectiveRule {
  double factor = 1;                           // 0: free
  std::vector<MeasuredCollective> measured{};  // by bytes
  std::vector<Correction> corrections{};       // that follow; between two a line in log2(bytes)
};

struct Scenario {
  std::string name{};
  double computing = 1;       // takes so many times as long
  double point_to_point = 1;  // messages cost so many times as much
  bool overlap = false;       // nonblocking collectives go on while the program computes
  int ranks_per_host = 0;     // where ranks are placed anew; 0: as they are
  std::array<CollectiveRule, kCollectives> collectives{};
  Overrides algorithms{};
  Machine machine{};
  // Its network is supposed to be slower than the one that was measured: collectives go by the
  // algorithms and with the corrections that they have on that one, which correct_by_measurements
  // keeps here.
  std::optional<Slowdown> slower{};
  std::optional<Machine> before{};

  // Of a collective of so many bytes, which are in the ranks' caches or `cold`.
  [[nodiscard]] double factor(Collective collective, std::int64_t bytes, bool cold = false) const;
};

// Reads what `stretto whatif` writes, one fact a line; a machine's lines are machine.hpp's and end
// a scenario:
//
//   scenario NAME
//   computing FACTOR
//   point_to_point FACTOR
//   overlap perfect
//   ranks_per_host N
//   network ADDED_LATENCY_NS PER_BYTE_FACTOR
//   collective NAME FACTOR
//   measured NAME BYTES RANKS NS [CALLS [COLD_NS]]    (by rising BYTES)
//   algorithm COLLECTIVE NAME
//   machine NAME ...
//
// Throws BadMachine, which says what is wrong.
[[nodiscard]] std::vector<Scenario> read_scenarios(std::string_view text);

}  // namespace stretto::model
