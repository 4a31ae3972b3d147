// Finds the other end of each message: the k-th send of a to b and b's k-th receive from a.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace stretto::model {

using OpId = std::int32_t;
inline constexpr OpId kNoOp = -1;

// A hash table by sender, receiver and ordinal, without removal: each message meets twice.
class Matching {
 public:
  // The end that came first, or kNoOp if this is the first.
  OpId meet(Rank from, Rank to, std::int32_t ordinal, OpId op) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(slots_, from, to, ordinal);
    if (slot.op != kNoOp) {
      --alone_;
      return slot.op;
    }
    slot = {from, to, ordinal, op};
    ++used_;
    ++alone_;
    return kNoOp;
  }

  // Messages of which one end has come so far.
  [[nodiscard]] std::int64_t alone() const { return alone_; }

 private:
  struct Slot {
    Rank from = 0;
    Rank to = 0;
    std::int32_t ordinal = 0;
    OpId op = kNoOp;
  };

  static Slot& find(std::vector<Slot>& slots, Rank from, Rank to, std::int32_t ordinal) {
    // Fibonacci hashing: the upper bits of a product by 2^64 over the golden ratio are mixed.
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    std::uint64_t key = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
    key = (key * kGolden) ^ static_cast<std::uint64_t>(ordinal);
    key *= kGolden;
    const std::size_t mask = slots.size() - 1;
    std::size_t at = (key >> (64 - std::countr_zero(slots.size()))) & mask;
    const auto is_other = [&](const Slot& slot) {
      return slot.from != from || slot.to != to || slot.ordinal != ordinal;
    };
    while (slots[at].op != kNoOp && is_other(slots[at])) {
      at = (at + 1) & mask;
    }
    return slots[at];
  }

  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.op != kNoOp) find(larger, slot.from, slot.to, slot.ordinal) = slot;
    }
    slots_.swap(larger);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t used_ = 0;
  std::int64_t alone_ = 0;
};

}  // namespace stretto::model
