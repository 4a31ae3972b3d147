#include "replay/replay.hpp"

#include <deque>
#include <memory>

#include "model/placing.hpp"
#include "replay/groups.hpp"
#include "replay/rank.hpp"

namespace stretto::replay {
namespace {

std::vector<std::vector<Rank>> places_by_scenario(const std::vector<model::Scenario>& scenarios,
                                                  const std::vector<Part>& parts) {
  std::vector<Location> locations;
  locations.reserve(parts.size());
  for (const Part& part : parts) locations.push_back(part.location);
  std::vector<std::vector<Rank>> places;
  places.reserve(scenarios.size());
  for (const model::Scenario& scenario : scenarios) {
    places.push_back(model::places_of(scenario, locations));
  }
  return places;
}

}  // namespace

std::vector<Part> parts_of(const trace::Trace& trace) {
  std::vector<Part> parts;
  parts.reserve(trace.ranks.size());
  for (const trace::RankTrace& rank : trace.ranks) {
    Part part{.trace = &rank, .ops = rank.ops, .location = rank.location};
    for (const trace::Comm& comm : rank.comms) {
      part.comms.push_back({comm.id, std::make_shared<const std::vector<int>>(comm.members)});
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Replayed> replay(const std::vector<model::Scenario>& scenarios,
                             const std::vector<Part>& parts, Sections* sections) {
  const auto places = places_by_scenario(scenarios, parts);
  ReplayedGroups groups(scenarios, places);
  std::vector<std::unique_ptr<RankReplay>> ranks;
  std::deque<int> ready;
  std::deque<RankSections> by_rank;  // whose addresses stay
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto rank = static_cast<int>(i);
    ranks.push_back(std::make_unique<RankReplay>(parts[i], rank, scenarios, places, groups));
    if (sections != nullptr) {
      by_rank.push_back(sections->of_rank(parts[i].trace->call_sites));
      ranks.back()->sort_into(by_rank.back());
    }
    ready.push_back(rank);
  }
  World world(ranks, ready);
  while (!ready.empty()) {
    const int rank = ready.front();
    ready.pop_front();
    ranks[static_cast<std::size_t>(rank)]->run(world);
  }
  std::vector<Replayed> replayed;
  for (const auto& rank : ranks) {
    rank->require_end();
    replayed.push_back(rank->result());
  }
  for (RankSections& rank : by_rank) rank.end();
  if (sections != nullptr) {
    for (const RankSections& rank : by_rank) sections->add(rank);
  }
  return replayed;
}

}  // namespace stretto::replay
