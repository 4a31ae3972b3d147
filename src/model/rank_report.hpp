// What a rank of a run in virtual time reports, of a live run and of one that is replayed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "model/call_site.hpp"
#include "model/scenario.hpp"

namespace stretto::model {

struct RankReport {
  double computed_ns = 0;
  double blocked_ns = 0;         // of it: asleep, or waiting for a device
  std::span<const double> ends;  // ns, by scenario
  std::vector<std::pair<std::string, std::int64_t>> flags{};
  std::vector<std::pair<CallSite, CallSiteTimes>> call_sites{};
};

// Fields of the object that is being written.
void write(Json& json, const RankReport& report, const std::vector<Scenario>& scenarios);

}  // namespace stretto::model
