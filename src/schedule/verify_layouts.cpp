#include "schedule/verify_layouts.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace stretto {
namespace {

std::vector<int> groups_of_places(const std::vector<int>& sizes, int places) {
  std::vector<int> group_of;
  for (int group = 0; std::ssize(group_of) < places; ++group) {
    const int size = sizes[static_cast<std::size_t>(group) % sizes.size()];
    const auto left = places - static_cast<int>(group_of.size());
    group_of.insert(group_of.end(), static_cast<std::size_t>(std::min(size, left)), group);
  }
  return group_of;
}

// Places as ranks that are dealt round the groups come to them.
std::vector<int> dealt(const std::vector<int>& group_of) {
  std::vector<int> turn(group_of.size());  // of each place in its group
  for (std::size_t place = 1; place < turn.size(); ++place) {
    turn[place] = group_of[place] == group_of[place - 1] ? turn[place - 1] + 1 : 0;
  }
  std::vector<int> places(group_of.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, {},
                           [&](int place) { return turn[static_cast<std::size_t>(place)]; });
  return places;
}

std::vector<int> shuffled(int ranks, unsigned seed) {
  std::vector<int> places(static_cast<std::size_t>(ranks));
  std::iota(places.begin(), places.end(), 0);
  // Not std::shuffle, which is not the same everywhere.
  std::minstd_rand random(seed);
  for (std::size_t left = places.size(); left > 1; --left) {
    std::swap(places[left - 1], places[random() % left]);
  }
  return places;
}

}  // namespace

Layout layout_of_places(const std::vector<LevelSizes>& levels, int ranks, Placement placement,
                        unsigned seed) {
  std::vector<Layout::Groups> found;
  found.reserve(levels.size());
  for (const LevelSizes& level : levels) {
    found.push_back({level.name, groups_of_places(level.sizes, ranks)});
  }
  if (placement == Placement::in_order || found.empty()) return Layout(std::move(found));
  const std::vector<int> places =
      placement == Placement::shuffled ? shuffled(ranks, seed) : dealt(found.back().group_of);
  for (Layout::Groups& level : found) {
    const std::vector<int> of_place = std::exchange(level.group_of, {});
    for (const int place : places) {
      level.group_of.push_back(of_place[static_cast<std::size_t>(place)]);
    }
  }
  return Layout(std::move(found));
}

std::vector<Layout> layouts_to_prove(int ranks) {
  const auto hosts = [&](std::vector<int> sizes, Placement placement, unsigned seed = 1) {
    return layout_of_places({{kHostLevel, std::move(sizes)}}, ranks, placement, seed);
  };
  const std::vector<LevelSizes> several{{kCoreComplexLevel, {2, 1}},
                                        {kSocketLevel, {3, 4}},
                                        {kHostLevel, {7, 1, 8}},
                                        {"rack", {15, 9}}};
  const auto seed = static_cast<unsigned>(ranks);
  return {
      Layout{},
      hosts({ranks}, Placement::in_order),
      hosts({1}, Placement::in_order),
      hosts({4}, Placement::in_order),
      hosts({4}, Placement::round_robin),
      hosts({4}, Placement::shuffled, seed),
      hosts({(ranks + 1) / 2}, Placement::round_robin),
      hosts({5, 1, 3}, Placement::in_order),
      hosts({3, 1, 6, 1}, Placement::shuffled, seed + 1),
      hosts({1, std::max(ranks - 2, 1), 1}, Placement::shuffled, seed + 2),
      layout_of_places(several, ranks, Placement::in_order),
      layout_of_places(several, ranks, Placement::shuffled, seed),
      // Hosts are not known, only what is within them.
      layout_of_places({{kSocketLevel, {3}}}, ranks, Placement::shuffled, seed),
  };
}

}  // namespace stretto
