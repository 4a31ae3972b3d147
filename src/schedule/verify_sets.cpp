#include "schedule/verify_sets.hpp"

#include <algorithm>
#include <bit>

#include "schedule/verify_words.hpp"

namespace stretto {
namespace {

std::size_t hash_of(const std::vector<std::uint64_t>& bits) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : bits) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
  }
  return hash;
}

}  // namespace

RankSets::RankSets(int size) : size_(size) {
  const std::size_t words = (static_cast<std::size_t>(size) + 63) / 64;
  for (int rank = 0; rank < size; ++rank) {
    Set one{std::vector<std::uint64_t>(words), 1, rank, rank};
    const auto bit = static_cast<std::size_t>(rank);
    one.bits[bit / 64] = std::uint64_t{1} << (bit % 64);
    add(std::move(one));
  }
  up_to_.push_back(0);
  for (int rank = 1; rank < size; ++rank) up_to_.push_back(join(up_to_.back(), rank, true));
  from_.resize(static_cast<std::size_t>(size), size - 1);
  for (int rank = size - 2; rank >= 0; --rank) {
    from_[static_cast<std::size_t>(rank)] = join(rank, last_from(rank + 1), true);
  }
}

RankSets::Id RankSets::add(Set set) {
  const Id id = static_cast<Id>(sets_.size());
  by_hash_.emplace(hash_of(set.bits), id);
  sets_.push_back(std::move(set));
  return id;
}

RankSets::Id RankSets::join(Id left, Id right, bool in_order) {
  const std::uint64_t key =
      (static_cast<std::uint64_t>(left) << 32U) | static_cast<std::uint32_t>(right);
  const auto known = joins_.find(key);
  if (known != joins_.end()) return known->second;
  const Id made = make(left, right, in_order);
  joins_.emplace(key, made);
  return made;
}

RankSets::Id RankSets::make(Id left, Id right, bool in_order) {
  const Set& a = set(left);
  const Set& b = set(right);
  // Sets joined in order are intervals, so the ends say all.
  if (in_order && b.lowest != a.highest + 1) return kRefused;
  if (shared(left, right) >= 0) return kRefused;

  Set both{a.bits, a.members + b.members, std::min(a.lowest, b.lowest),
           std::max(a.highest, b.highest)};
  for (std::size_t w = 0; w < both.bits.size(); ++w) both.bits[w] |= b.bits[w];
  const std::size_t hash = hash_of(both.bits);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (set(it->second).bits == both.bits) return it->second;
  }
  return add(std::move(both));
}

int RankSets::shared(Id left, Id right) const {
  const Set& a = set(left);
  const Set& b = set(right);
  for (std::size_t w = 0; w < a.bits.size(); ++w) {
    const std::uint64_t both = a.bits[w] & b.bits[w];
    if (both != 0) return static_cast<int>(w) * 64 + std::countr_zero(both);
  }
  return -1;
}

bool RankSets::has(const Set& set, int rank) const {
  const auto bit = static_cast<std::size_t>(rank);
  return ((set.bits[bit / 64] >> (bit % 64)) & 1U) != 0;
}

std::string RankSets::describe(Id id) const {
  const Set& members = set(id);
  std::string text = members.members == 1 ? "rank " : "ranks ";
  bool first = true;
  for (int rank = 0; rank < size_; ++rank) {
    if (!has(members, rank)) continue;
    int last = rank;
    while (last + 1 < size_ && has(members, last + 1)) ++last;
    text += words(first ? "" : ", ", rank);
    if (last > rank) text += words('-', last);
    first = false;
    rank = last;
  }
  return text;
}

}  // namespace stretto
