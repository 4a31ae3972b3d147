// The layout of a communicator: which of its ranks share a core complex, a socket, a host.
//
// It is what a schedule may depend on besides its shape, so all ranks must have the same. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/rank_map.hpp"

namespace stretto {

inline constexpr const char* kCoreComplexLevel = "core complex";
inline constexpr const char* kSocketLevel = "socket";
inline constexpr const char* kHostLevel = "host";

// All ranks in groups, which are numbered in the order of their first, lowest ranks. Where the
// ranks of each group follow each other, that takes four bytes a group, else eight a rank more.
class Partition {
 public:
  // Ranks are together that have the same number, whatever it is.
  explicit Partition(const std::vector<int>& group_of);

  [[nodiscard]] int groups() const { return static_cast<int>(firsts_.size()); }
  [[nodiscard]] bool in_blocks() const { return members_.empty(); }
  [[nodiscard]] int group_of(Rank rank) const;
  [[nodiscard]] int size_of(int group) const;
  // Of all the groups before this one, which may be the one after the last.
  [[nodiscard]] int size_before(int group) const;
  // Of the group's members, and of the groups' first ranks; ascending. They do not outlive this.
  [[nodiscard]] RankMap members(int group) const;
  [[nodiscard]] RankMap firsts() const { return RankMap::of(firsts_.data()); }
  // The rank's number among the members of its group.
  [[nodiscard]] int number_of(Rank rank) const;

  [[nodiscard]] std::size_t bytes() const;
  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  int ranks_ = 0;
  std::vector<Rank> firsts_;   // by group
  std::vector<int> group_of_;  // by rank; these three are empty where the groups are in blocks
  std::vector<Rank> members_;  // group by group
  std::vector<int> begins_;    // of each group among the members, and the end
};

class LayoutLevel {
 public:
  LayoutLevel(std::string name, const std::vector<int>& group_of);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Partition& groups() const { return groups_; }
  // The same, cut wherever the ranks of a group do not follow each other: for operations that do
  // not commute, which only neighbours in rank may join.
  [[nodiscard]] const Partition& runs() const { return runs_ ? *runs_ : groups_; }

  friend bool operator==(const LayoutLevel&, const LayoutLevel&) = default;

 private:
  std::string name_;
  Partition groups_;
  std::optional<Partition> runs_;  // where they differ
};

class Layout {
 public:
  // By rank. What has different numbers at a level further out is never together further in.
  struct Groups {
    std::string name;
    std::vector<int> group_of;
  };

  // Nothing is known of it, whatever its size.
  Layout() = default;
  // From the innermost level to the outermost.
  explicit Layout(std::vector<Groups> levels);

  [[nodiscard]] const std::vector<LayoutLevel>& levels() const { return levels_; }
  // nullptr where there is none of that name.
  [[nodiscard]] const LayoutLevel* find(std::string_view name) const;
  // The index of the innermost level that has both ranks in a group; levels().size() where none
  // has.
  [[nodiscard]] std::size_t level_between(Rank a, Rank b) const;

  [[nodiscard]] std::size_t hash() const { return hash_; }
  // What it takes of the heap.
  [[nodiscard]] std::size_t bytes() const;
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  std::size_t hash_ = 0;
  std::vector<LayoutLevel> levels_;
};

// Ranks are together that are so in both.
[[nodiscard]] std::vector<int> groups_within(const std::vector<int>& outer,
                                             const std::vector<int>& inner);

}  // namespace stretto
