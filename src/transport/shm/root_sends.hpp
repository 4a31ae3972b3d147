// What roots send to all ranks of a communicator without a message: each rank has a ring of cache
// lines that only it writes, and all others read there what it says of each of its collectives, in
// their order: the data, where they are short, or that they come in another way. So the root alone
// decides, and others need not know how many bytes there are.
//
// An entry is there once the number of its first line is stored, which is done last. A line is
// written again once all others have read what was there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace stretto::shm {

class RootSends {
 public:
  static constexpr std::size_t kMostBytes = 8192;  // of an entry's data
  static constexpr std::size_t kMostRanks = 16;
  static constexpr int kSets = 8;  // for the communicators with the lowest sets alone

  // `memory` of each rank, that of all its sets, as a transport has it for all.
  RootSends(std::span<std::byte* const> memory, int me, int set)
      : me_(static_cast<std::size_t>(me)), next_(memory.size(), 0) {
    for (std::byte* const base : memory) sets_.push_back(reinterpret_cast<Set*>(base) + set);
  }

  // The root's: may it write an entry of so many bytes? If not it must wait for others to read.
  [[nodiscard]] bool has_room(std::size_t bytes) {
    const std::uint64_t end = next_[me_] + lines_of(bytes);
    if (end <= read_ + kLines) return true;
    read_ = next_[me_];
    for (std::size_t rank = 0; rank < sets_.size(); ++rank) {
      if (rank == me_) continue;
      read_ = std::min(read_, sets_[rank]->read[me_].load(std::memory_order_acquire));
    }
    return end <= read_ + kLines;
  }
  // `bytes` at `from` are what it sends.
  void show(const std::byte* from, std::size_t bytes) {
    for_pieces(me_, 0, bytes, [&from](std::byte* line, std::size_t length) {
      std::memcpy(line, from, length);
      from += length;
    });
    show_head(bytes, static_cast<std::uint32_t>(bytes));
  }
  // What it sends comes in another way.
  void show_elsewhere() { show_head(0, kElsewhere); }

  // The others': is the next entry of `root` there?
  [[nodiscard]] bool is_shown(int root) const {
    const std::size_t from = at(root);
    const Line& line = line_of(from, next_[from]);
    return line.number.load(std::memory_order_acquire) == next_[from] + 1;
  }
  [[nodiscard]] bool is_elsewhere(int root) const { return word(root) == kElsewhere; }
  [[nodiscard]] std::size_t bytes(int root) const { return word(root); }
  // Copies `length` of them, from the `offset`th on.
  void read(int root, std::size_t offset, std::byte* to, std::size_t length) const {
    for_pieces(at(root), offset, length, [&to](const std::byte* line, std::size_t piece) {
      std::memcpy(to, line, piece);
      to += piece;
    });
  }
  // It has been read.
  void finish(int root) {
    const std::size_t from = at(root);
    next_[from] += lines_of(is_elsewhere(root) ? 0 : bytes(root));
    sets_[me_]->read[from].store(next_[from], std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t kElsewhere = UINT32_MAX;
  static constexpr std::size_t kLine = 64;
  static constexpr std::uint64_t kLines = 256;
  // The first word of any line is for its number, so that no data are ever taken for one.
  static constexpr std::size_t kInLine = kLine - sizeof(std::uint64_t);
  static constexpr std::size_t kHead = 8;  // of an entry, before its data
  static constexpr std::size_t kInFirst = kInLine - kHead;

  struct alignas(kLine) Line {
    std::atomic<std::uint64_t> number;  // of lines before it, and one
    std::array<std::byte, kInLine> data;
  };
  static_assert(sizeof(Line) == kLine);
  struct alignas(kLine) Set {
    std::array<Line, kLines> lines;
    // Of each root's lines: so many has this rank read.
    alignas(kLine) std::array<std::atomic<std::uint64_t>, kMostRanks> read;
  };

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  static std::uint64_t lines_of(std::size_t bytes) {
    return bytes <= kInFirst ? 1 : 1 + (bytes - kInFirst + kInLine - 1) / kInLine;
  }
  static_assert(1 + kMostBytes / kInLine < kLines);

  [[nodiscard]] Line& line_of(std::size_t rank, std::uint64_t number) const {
    return sets_[rank]->lines[number % kLines];
  }
  [[nodiscard]] std::uint32_t word(int root) const {
    std::uint32_t word = 0;
    std::memcpy(&word, line_of(at(root), next_[at(root)]).data.data(), sizeof word);
    return word;
  }
  void show_head(std::size_t bytes, std::uint32_t word) {
    Line& first = line_of(me_, next_[me_]);
    std::memcpy(first.data.data(), &word, sizeof word);
    first.number.store(next_[me_] + 1, std::memory_order_release);
    next_[me_] += lines_of(bytes);
  }
  // Where a part of the data of a rank's next entry lies.
  template <class Use>
  void for_pieces(std::size_t rank, std::size_t offset, std::size_t length, const Use& use) const {
    std::uint64_t number = next_[rank];
    std::size_t begin = kHead + offset;  // in the line
    if (begin >= kInLine) {
      number += begin / kInLine;
      begin %= kInLine;
    }
    while (length > 0) {
      const std::size_t piece = std::min(length, kInLine - begin);
      use(line_of(rank, number).data.data() + begin, piece);
      length -= piece;
      begin = 0;
      ++number;
    }
  }

  std::vector<Set*> sets_;  // by rank
  std::size_t me_;
  std::vector<std::uint64_t> next_;  // by rank: lines that it has written, as far as this one is
  std::uint64_t read_ = 0;           // lines of its own that all have read, as far as is known

 public:
  // That a rank needs.
  static constexpr std::size_t kMemory = kSets * sizeof(Set);
};

}  // namespace stretto::shm
