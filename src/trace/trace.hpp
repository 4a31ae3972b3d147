// A run's trace: what each rank did, and when each was done in every scenario of that run.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/call_site.hpp"
#include "topology/topology.hpp"
#include "trace/bytes.hpp"
#include "trace/folded.hpp"
#include "trace/op.hpp"

namespace stretto::trace {

struct Comm {
  std::int64_t id = 0;         // the same in the traces of all its ranks, and no other's
  std::vector<int> members{};  // in MPI_COMM_WORLD
};

inline constexpr std::uint64_t kMostRanks = 1 << 24;
// And blocks, of a rank: days of calls.
inline constexpr std::int64_t kMostItems = std::int64_t{1} << 36;

// All of a rank's items, and how many of them have a duration.
struct ItemCounts {
  std::int64_t items = 0;
  std::int64_t durations = 0;
};
// Nothing where there are more than kMostItems, or blocks that they send.
[[nodiscard]] std::optional<ItemCounts> counts_of(const Folded& program,
                                                  const std::vector<Op>& ops);

// What the run said of itself when it was over.
struct Ending {
  std::vector<double> ends{};  // ns, by scenario
  double computed_ns = 0;
  double blocked_ns = 0;
  std::vector<std::pair<std::string, std::int64_t>> flags{};
};

struct RankTrace {
  int rank = 0;
  int size = 1;
  Location location{};
  std::vector<Comm> comms{};
  std::vector<model::CallSite> call_sites{};
  std::vector<Op> ops{};
  Folded program{};   // of indices into `ops`
  Bytes durations{};  // whole ns, as Packer writes numbers, one for each compute and pass
  Ending ending{};
};

struct Trace {
  std::string about{};  // JSON: what was run, and how
  std::vector<RankTrace> ranks{};
};

// Reads a whole trace. Throws BadTrace, which names the byte, for whatever is damaged, cut off or
// not one. All indices in what it returns are good; whether messages and collectives fit together
// shows when it is replayed.
[[nodiscard]] Trace read_trace(std::istream& file);
// Trace::about alone.
[[nodiscard]] std::string read_about(std::istream& file);

}  // namespace stretto::trace
