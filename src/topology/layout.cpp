#include "topology/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace stretto {
namespace {

std::size_t index(int number) { return static_cast<std::size_t>(number); }

// Numbers from 0, in the order in which they first come.
template <class Key>
class Numbering {
 public:
  int of(Key key) {
    const auto next = static_cast<int>(known_.size());
    return known_.try_emplace(key, next).first->second;
  }

 private:
  std::unordered_map<Key, int> known_;
};

std::vector<int> runs_of(const std::vector<int>& group_of) {
  std::vector<int> runs(group_of.size());
  for (std::size_t rank = 1; rank < runs.size(); ++rank) {
    runs[rank] = runs[rank - 1] + (group_of[rank] != group_of[rank - 1] ? 1 : 0);
  }
  return runs;
}

}  // namespace

Partition::Partition(const std::vector<int>& group_of) : ranks_(static_cast<int>(group_of.size())) {
  Numbering<int> numbers;
  std::vector<int> numbered;
  numbered.reserve(group_of.size());
  bool in_blocks = true;
  for (const int group : group_of) {
    const bool follows = !numbered.empty() && group == group_of[numbered.size() - 1];
    const int number = follows ? numbered.back() : numbers.of(group);
    const bool is_new = number == groups();
    if (is_new) firsts_.push_back(static_cast<Rank>(numbered.size()));
    in_blocks = in_blocks && (is_new || follows);
    numbered.push_back(number);
  }
  if (in_blocks) return;
  begins_.assign(index(groups()) + 1, 0);
  for (const int group : numbered) ++begins_[index(group) + 1];
  for (std::size_t g = 1; g < begins_.size(); ++g) begins_[g] += begins_[g - 1];
  std::vector<int> next(begins_.begin(), begins_.end() - 1);
  members_.resize(numbered.size());
  for (std::size_t rank = 0; rank < numbered.size(); ++rank) {
    members_[index(next[index(numbered[rank])]++)] = static_cast<Rank>(rank);
  }
  group_of_ = std::move(numbered);
}

int Partition::group_of(Rank rank) const {
  if (!in_blocks()) return group_of_[index(rank)];
  return static_cast<int>(std::ranges::upper_bound(firsts_, rank) - firsts_.begin()) - 1;
}

int Partition::size_of(int group) const { return size_before(group + 1) - size_before(group); }

int Partition::size_before(int group) const {
  if (!in_blocks()) return begins_[index(group)];
  return group == groups() ? ranks_ : firsts_[index(group)];
}

RankMap Partition::members(int group) const {
  if (in_blocks()) return RankMap::from(firsts_[index(group)]);
  return RankMap::of(members_.data() + begins_[index(group)]);
}

int Partition::number_of(Rank rank) const {
  const int group = group_of(rank);
  if (in_blocks()) return rank - firsts_[index(group)];
  const auto begin = members_.begin() + begins_[index(group)];
  const auto end = members_.begin() + begins_[index(group) + 1];
  return static_cast<int>(std::lower_bound(begin, end, rank) - begin);
}

std::size_t Partition::bytes() const {
  return sizeof(int) *
         (firsts_.capacity() + group_of_.capacity() + members_.capacity() + begins_.capacity());
}

LayoutLevel::LayoutLevel(std::string name, const std::vector<int>& group_of)
    : name_(std::move(name)), groups_(group_of) {
  if (!groups_.in_blocks()) runs_.emplace(runs_of(group_of));
}

Layout::Layout(std::vector<Groups> levels) {
  // The outermost within itself: so that equal layouts have equal numbers, and hashes.
  for (std::size_t i = levels.size(); i-- > 0;) {
    const std::size_t outer = std::min(i + 1, levels.size() - 1);
    levels[i].group_of = groups_within(levels[outer].group_of, levels[i].group_of);
  }
  const auto mix = [this](std::size_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15U;
    hash_ ^= hash_ >> 29U;
  };
  for (Groups& level : levels) {
    mix(std::hash<std::string>{}(level.name));
    for (const int group : level.group_of) mix(index(group));
    levels_.emplace_back(std::move(level.name), level.group_of);
  }
}

const LayoutLevel* Layout::find(std::string_view name) const {
  const auto found = std::ranges::find(levels_, name, &LayoutLevel::name);
  return found == levels_.end() ? nullptr : &*found;
}

std::size_t Layout::level_between(Rank a, Rank b) const {
  std::size_t level = 0;
  while (level < levels_.size() &&
         levels_[level].groups().group_of(a) != levels_[level].groups().group_of(b)) {
    ++level;
  }
  return level;
}

std::size_t Layout::bytes() const {
  std::size_t bytes = sizeof(Layout) + levels_.capacity() * sizeof(LayoutLevel);
  for (const LayoutLevel& level : levels_) {
    bytes += level.groups().bytes();
    if (!level.groups().in_blocks()) bytes += level.runs().bytes();
  }
  return bytes;
}

std::vector<int> groups_within(const std::vector<int>& outer, const std::vector<int>& inner) {
  Numbering<std::uint64_t> numbers;
  std::vector<int> groups;
  groups.reserve(outer.size());
  for (std::size_t rank = 0; rank < outer.size(); ++rank) {
    groups.push_back(numbers.of(std::uint64_t{static_cast<std::uint32_t>(outer[rank])} << 32U |
                                static_cast<std::uint32_t>(inner[rank])));
  }
  return groups;
}

}  // namespace stretto
