// What a rank writes when the program finalizes: rank-N.json, and the end of its trace.
#pragma once

#include <optional>

#include "intercept/whatif/process.hpp"

namespace stretto::intercept::whatif {

// What a short exchange with a neighbour took as the program began, and, where time is virtual,
// what the machine's description has it take.
struct ExchangeTime {
  std::optional<double> exchange_ns{};
  std::optional<double> modelled_ns{};
};

// Into the folder that STRETTO_WHATIF_FOLDER names; says so where it cannot. Of a run in virtual
// time, and of one in real time, in which this thread could have run for so long while others did,
// if that is known.
void write_report(Process& process, std::int64_t wall_ns, const ExchangeTime& pace);
void write_times(std::int64_t wall_ns, std::optional<std::int64_t> waited_for_core_ns,
                 const ExchangeTime& pace);

}  // namespace stretto::intercept::whatif
