// Short blocks that the ranks of a communicator exchange without a message: each writes its own
// once, into memory that all of them see, and all others read it there.
//
// The exchanges of a communicator are counted, by all its ranks alike. What a rank writes in one
// is there once the place where it lies has that number, which is stored last. It has several such
// places, in turn, so that nobody who goes on waits for who has still to read. A place is written
// again once those whom its block was for have finished that exchange.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stretto::shm {

class SharedBlocks {
 public:
  // A rank has places for so many communicators, one after the other: see BlockSets. Those of the
  // first are longer.
  static constexpr int kSets = 16;
  static constexpr int kLongSets = 4;
  static constexpr std::size_t kMostBytes = 8240;       // of a block: at most
  static constexpr std::size_t kMostBytesShort = 1072;  // in the other sets
  static constexpr int kEveryone = -1;

  // `memory` of each rank, all of its sets, as a transport has it for all (Transport::Joined).
  SharedBlocks(std::span<std::byte* const> memory, int me, int set)
      : me_(static_cast<std::size_t>(me)),
        place_bytes_(set < kLongSets ? kLongPlace : kShortPlace) {
    for (std::byte* const base : memory) sets_.push_back(base + offset_of(set));
  }

  [[nodiscard]] int size() const { return static_cast<int>(sets_.size()); }
  // Of a block, on all ranks alike.
  [[nodiscard]] std::size_t most_bytes() const { return place_bytes_ - kHead; }

  // The next exchange begins for this rank.
  void begin() { ++number_; }
  // May this rank write its block? If not it must wait for others to finish earlier exchanges.
  [[nodiscard]] bool is_free() {
    const auto [number, reader] = written_[place()];
    if (number <= finished_) return true;
    if (reader != kEveryone) return finished_by(static_cast<std::size_t>(reader)) >= number;
    finished_ = number_;
    for (std::size_t rank = 0; rank < sets_.size(); ++rank) {
      if (rank != me_) finished_ = std::min(finished_, finished_by(rank));
    }
    return number <= finished_;
  }
  // Where it does so, and that it has, for one rank or all.
  [[nodiscard]] std::byte* own() const { return place_of(me_) + kHead; }
  void show(int reader = kEveryone) {
    written_[place()] = {number_, reader};
    word_at(place_of(me_)).store(number_, std::memory_order_release);
  }
  // Has that rank written its block? Then it lies here until this rank finishes the exchange.
  [[nodiscard]] bool is_shown(int rank) const {
    std::byte* const there = place_of(static_cast<std::size_t>(rank));
    return word_at(there).load(std::memory_order_acquire) == number_;
  }
  [[nodiscard]] const std::byte* block(int rank) const {
    return place_of(static_cast<std::size_t>(rank)) + kHead;
  }
  // This rank has read what it was to read: `all`, everyone's, who have all begun this exchange and
  // so finished the one before.
  void finish(bool all) {
    if (all) finished_ = std::max(finished_, number_ - 1);
    finished(me_).store(number_, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kPlaces = 4;

  using Word = std::atomic<std::uint64_t>;

  // A place is the number of its exchange and the block, and a set its places and then, in a line
  // of its own, the number of the exchange that has been finished last.
  static constexpr std::size_t kHead = alignof(std::max_align_t);
  static_assert(sizeof(Word) <= kHead);
  static constexpr std::size_t kLongPlace = kHead + kMostBytes;
  static constexpr std::size_t kShortPlace = kHead + kMostBytesShort;
  static_assert(kLongPlace % kLine == 0 && kShortPlace % kLine == 0);
  static constexpr std::size_t kLongSet = kPlaces * kLongPlace + kLine;
  static constexpr std::size_t kShortSet = kPlaces * kShortPlace + kLine;
  static constexpr std::size_t offset_of(int set) {
    const auto number = static_cast<std::size_t>(set);
    const std::size_t longer = std::min(number, std::size_t{kLongSets});
    return longer * kLongSet + (number - longer) * kShortSet;
  }

  [[nodiscard]] static Word& word_at(std::byte* at) { return *reinterpret_cast<Word*>(at); }
  [[nodiscard]] std::size_t place() const { return number_ % kPlaces; }
  [[nodiscard]] std::byte* place_of(std::size_t rank) const {
    return sets_[rank] + place() * place_bytes_;
  }
  [[nodiscard]] Word& finished(std::size_t rank) const {
    return word_at(sets_[rank] + kPlaces * place_bytes_);
  }
  [[nodiscard]] std::uint64_t finished_by(std::size_t rank) const {
    return finished(rank).load(std::memory_order_acquire);
  }

  std::vector<std::byte*> sets_;  // by rank
  std::size_t me_;
  std::size_t place_bytes_;
  std::uint64_t number_ = 0;    // of the exchange that has begun last
  std::uint64_t finished_ = 0;  // exchanges that all others have finished, as far as is known
  struct Written {
    std::uint64_t number = 0;
    int reader = kEveryone;
  };
  std::array<Written, kPlaces> written_{};

 public:
  // That a rank needs.
  static constexpr std::size_t kMemory = kLongSets * kLongSet + (kSets - kLongSets) * kShortSet;
};

// Which sets of places a rank has for communicators to come. None is used twice: who has left a
// communicator cannot know whether others still read what it wrote there. Thread-safe.
class BlockSets {
 public:
  using Bits = std::uint32_t;
  static constexpr Bits kAll = (Bits{1} << SharedBlocks::kSets) - 1;

  // Those left, for the ranks of a communicator to agree on one; none while another thread does.
  [[nodiscard]] Bits offer() {
    if (is_offering_.test_and_set(std::memory_order_acquire)) return 0;
    if (left_ == 0) is_offering_.clear(std::memory_order_release);
    return left_;
  }
  // What has been offered has `common` with all other ranks': the lowest of these is theirs now.
  // Returns its number, or -1.
  [[nodiscard]] int take(Bits offered, Bits common) {
    if (offered == 0) return -1;
    const int set = common == 0 ? -1 : std::countr_zero(common);
    if (set >= 0) left_ &= ~(Bits{1} << set);
    is_offering_.clear(std::memory_order_release);
    return set;
  }

 private:
  std::atomic_flag is_offering_;
  Bits left_ = kAll;
};

}  // namespace stretto::shm
