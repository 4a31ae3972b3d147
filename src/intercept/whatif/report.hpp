// What a rank writes when the program finalizes: rank-N.json, and the end of its trace.
#pragma once

#include "intercept/whatif/process.hpp"

namespace stretto::intercept::whatif {

// Into the folder that STRETTO_WHATIF_FOLDER names; says so where it cannot. Of a run in virtual
// time, and of one in real time.
void write_report(Process& process, std::int64_t wall_ns);
void write_times(std::int64_t wall_ns);

}  // namespace stretto::intercept::whatif
