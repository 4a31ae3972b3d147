// What a rank writes when the program finalizes: rank-N.json, and beside it rank-N.collectives,
// rank-N.messages, rank-N.channels and, with a trace, rank-N.trace. And what it writes before that:
// rank-N.snapshot, which is the JSON of a rank-N.collectives-M, a number that it names.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "intercept/profile/call_recorder.hpp"
#include "intercept/profile/clocks.hpp"
#include "intercept/shared/describe_rank.hpp"

namespace stretto::intercept::profile {

struct ProfileSession {
  RankDescription rank;
  std::int64_t begin = 0;  // this rank's clock, ns
  std::int64_t end = 0;
  ClockSample clocks_at_begin;
  ClockSample clocks_at_end;
};

// Into the folder that STRETTO_PROFILE_FOLDER names; says so where it cannot.
void write_report(const ProfileSession& session, CallRecorder& recorder);

// The same until now, which calls no MPI: `why` it is written where the program ends so. It takes
// the place of the one before, `number` less one, whole; false where it cannot be written.
[[nodiscard]] bool write_snapshot(const std::string& folder, const ProfileSession& session,
                                  CallRecorder& recorder, long number, std::string_view why);
// There is no use for it any more.
void remove_snapshot(const std::string& folder, const ProfileSession& session, long number);

}  // namespace stretto::intercept::profile
