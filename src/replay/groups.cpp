#include "replay/groups.hpp"

namespace stretto::replay {

constexpr std::size_t kMostOpen = 10'000'000;

bool ReplayedGroup::arrive(int rank, std::int64_t number, const model::CollectiveCall& call,
                           std::span<const double> now) {
  Open& open = open_[number];
  if (open_.size() > kMostOpen) throw Unmatched("more collectives are open than fit");
  if (!open.meeting.is_of(call)) {
    throw Unmatched("ranks of a communicator are in different collectives");
  }
  open.meeting.arrive(rank, call, now);
  if (open.meeting.arrived() < size()) return false;
  open.ends = times_.of(open.meeting);
  return true;
}

std::optional<EndsByScenario> ReplayedGroup::take(int rank, std::int64_t number) {
  const auto found = open_.find(number);
  if (found == open_.end() || found->second.ends.empty()) return {};
  const std::size_t member = times_.member(rank);
  EndsByScenario answer;
  for (const model::CollectiveEnds& each : found->second.ends) {
    answer.free.push_back(each.free[member]);
    answer.ends.push_back(each.ends[member]);
  }
  if (++found->second.left == size()) open_.erase(found);
  return answer;
}

ReplayedGroup& ReplayedGroups::of(const PartComm& comm) {
  auto& group = groups_[comm.id];
  if (!group) {
    group = std::make_unique<ReplayedGroup>(comm.members,
                                            model::GroupTimes(scenarios_, places_, *comm.members));
  }
  if (group->members() != comm.members && *group->members() != *comm.members) {
    throw Unmatched("ranks do not agree on who is in a communicator");
  }
  return *group;
}

}  // namespace stretto::replay
