#include "model/group_times.hpp"

#include <algorithm>

namespace stretto::model {

GroupTimes::GroupTimes(const std::vector<Scenario>& scenarios,
                       const std::vector<std::vector<Rank>>& places,
                       const std::vector<int>& members) {
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    std::vector<Rank> sit;
    sit.reserve(members.size());
    for (const int member : members) sit.push_back(places[i][static_cast<std::size_t>(member)]);
    times_.push_back(std::make_unique<CollectiveTimes>(scenarios[i], std::move(sit)));
  }
}

const std::vector<CollectiveEnds>& GroupTimes::of(std::span<const Arrival> arrivals) {
  CollectiveCall call = arrivals.front().call;
  std::int64_t bytes = 0;
  for (const Arrival& each : arrivals) {
    bytes += each.call.bytes;
    call.uneven = call.uneven || each.call.uneven;
    call.cold = call.cold || each.call.cold;
  }
  if (call.uneven) call.bytes = bytes / static_cast<std::int64_t>(arrivals.size());
  ends_.resize(times_.size());
  begun_.resize(arrivals.size());
  for (std::size_t i = 0; i < times_.size(); ++i) {
    for (std::size_t rank = 0; rank < begun_.size(); ++rank) begun_[rank] = arrivals[rank].times[i];
    times_[i]->work_out(call, begun_, ends_[i]);
  }
  return ends_;
}

void SiteTimes::add(std::int64_t of_bytes, double before, double free, double after) {
  ++calls;
  bytes += of_bytes;
  waiting_ns += std::max(free - before, 0.0);
  transfer_ns += after - std::max(free, before);
}

}  // namespace stretto::model
