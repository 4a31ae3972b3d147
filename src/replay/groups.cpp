#include "replay/groups.hpp"

namespace stretto::replay {

constexpr std::size_t kMostMeetings = 10'000'000;

Group::Group(Members members, std::unique_ptr<model::GroupTimes> times)
    : members_(std::move(members)), times_(std::move(times)) {
  for (std::size_t i = 0; i < members_->size(); ++i) numbers_.emplace((*members_)[i], i);
}

bool Group::arrive(std::size_t member, std::int64_t number, const model::CollectiveCall& call,
                   std::span<const double> now) {
  Meeting& meeting = meetings_.try_emplace(number, size()).first->second;
  if (meetings_.size() > kMostMeetings) throw Unmatched("more collectives are open than fit");
  if (meeting.come == 0) meeting.first = member;
  const model::CollectiveCall& first = meeting.come == 0 ? call : meeting.calls[meeting.first];
  if (first.collective != call.collective || first.root != call.root) {
    throw Unmatched("ranks of a communicator are in different collectives");
  }
  meeting.calls[member] = call;
  meeting.times[member].assign(now.begin(), now.end());
  if (++meeting.come < size()) return false;
  std::vector<model::Arrival> arrivals;
  arrivals.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    arrivals.push_back({.call = meeting.calls[i], .times = meeting.times[i].data()});
  }
  meeting.ends = times_->of(arrivals);
  return true;
}

std::optional<Ends> Group::take(std::size_t member, std::int64_t number) {
  const auto found = meetings_.find(number);
  if (found == meetings_.end() || found->second.come < size()) return {};
  Ends answer;
  for (const model::CollectiveEnds& each : found->second.ends) {
    answer.free.push_back(each.free[member]);
    answer.ends.push_back(each.ends[member]);
  }
  if (++found->second.left == size()) meetings_.erase(found);
  return answer;
}

Group& Groups::of(const PartComm& comm) {
  auto& group = groups_[comm.id];
  if (!group) {
    group = std::make_unique<Group>(
        comm.members, std::make_unique<model::GroupTimes>(scenarios_, places_, *comm.members));
  }
  if (group->members() != comm.members && *group->members() != *comm.members) {
    throw Unmatched("ranks do not agree on who is in a communicator");
  }
  return *group;
}

}  // namespace stretto::replay
