#include "model/group_times.hpp"

#include <algorithm>

namespace stretto::model {

GroupTimes::GroupTimes(const std::vector<Scenario>& scenarios,
                       const std::vector<std::vector<Rank>>& places,
                       const std::vector<int>& members) {
  members_.reserve(members.size());
  for (const int member : members) members_.emplace(member, members_.size());
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    std::vector<Rank> own_places;
    own_places.reserve(members.size());
    for (const int member : members)
      own_places.push_back(places[i][static_cast<std::size_t>(member)]);
    times_.push_back(std::make_unique<CollectiveTimes>(scenarios[i], std::move(own_places)));
  }
}

// As its first rank has it, but for what all of them say together.
CollectiveCall GroupTimes::call_of(const Meeting& meeting) const {
  const auto first = std::find_if(meeting.ranks_.begin(), meeting.ranks_.end(),
                                  [&](int rank) { return member(rank) == 0; });
  CollectiveCall call = meeting.calls_[static_cast<std::size_t>(first - meeting.ranks_.begin())];
  std::int64_t bytes = 0;
  for (const CollectiveCall& each : meeting.calls_) {
    bytes += each.bytes;
    call.uneven = call.uneven || each.uneven;
    call.cold = call.cold || each.cold;
  }
  if (call.uneven) call.bytes = bytes / static_cast<std::int64_t>(meeting.calls_.size());
  return call;
}

const std::vector<CollectiveEnds>& GroupTimes::of(const Meeting& meeting) {
  const CollectiveCall call = call_of(meeting);
  const std::size_t ranks = meeting.arrived();
  ends_.resize(times_.size());
  begun_.resize(ranks);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    for (std::size_t each = 0; each < ranks; ++each) {
      begun_[member(meeting.ranks_[each])] = meeting.times_[each * times_.size() + i];
    }
    times_[i]->work_out(call, begun_, ends_[i]);
  }
  return ends_;
}

}  // namespace stretto::model
