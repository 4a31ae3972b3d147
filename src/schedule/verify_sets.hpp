// Sets of ranks whose contributions a reduced element holds, one number a set.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace stretto {

class RankSets {
 public:
  using Id = std::int32_t;

  // Sets 0..size-1 hold one rank each.
  explicit RankSets(int size);

  // The union of two sets, or kRefused where they share a rank, or where
  // `in_order` is asked and right does not begin where left ends.
  [[nodiscard]] Id join(Id left, Id right, bool in_order);
  static constexpr Id kRefused = -1;

  // The lowest rank in both, -1 if none.
  [[nodiscard]] int shared(Id left, Id right) const;
  // The set of the ranks 0 to `last`.
  [[nodiscard]] Id up_to(int last) const { return up_to_[static_cast<std::size_t>(last)]; }
  // The set of the ranks `first` to the last one.
  [[nodiscard]] Id last_from(int first) const { return from_[static_cast<std::size_t>(first)]; }
  [[nodiscard]] Id everyone() const { return up_to_.back(); }
  // "rank 3", "ranks 0-2, 5"
  [[nodiscard]] std::string describe(Id id) const;

 private:
  struct Set {
    std::vector<std::uint64_t> bits;
    int members = 0;
    int lowest = 0;
    int highest = 0;
  };

  [[nodiscard]] const Set& set(Id id) const { return sets_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Id make(Id left, Id right, bool in_order);
  Id add(Set set);
  [[nodiscard]] bool has(const Set& set, int rank) const;

  int size_;
  std::vector<Set> sets_;
  std::unordered_map<std::uint64_t, Id> joins_;       // (left, right) -> union
  std::unordered_multimap<std::size_t, Id> by_hash_;  // equal sets must have equal numbers
  std::vector<Id> up_to_;
  std::vector<Id> from_;
};

}  // namespace stretto
