// What a rank writes when the program finalizes: rank-N.json, and beside it
// rank-N.collectives and, with a trace, rank-N.trace.
#pragma once

#include "base/clock.hpp"
#include "intercept/profile/call_recorder.hpp"
#include "intercept/profile/clocks.hpp"

namespace stretto::intercept::profile {

struct ProfileSession {
  std::int64_t begin = 0;  // this rank's clock, ns
  std::int64_t end = 0;
  ClockSample clocks_at_begin;
  ClockSample clocks_at_end;
};

// Into the folder that STRETTO_PROFILE_FOLDER names; says so where it cannot.
void write_report(const ProfileSession& session, const CallRecorder& recorder);

}  // namespace stretto::intercept::profile
