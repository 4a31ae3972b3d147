#include "topology/host_numbers.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_set>
#include <vector>

namespace stretto {
namespace {

// The lowest rank of each host, found by its word: open addressing, at most half full.
class LowestRanks {
 public:
  explicit LowestRanks(const std::uint64_t* words) : words_(words), table_(16, kNobody) {}

  // That of the host of `rank`: itself where its host is new.
  std::uint32_t find(std::uint32_t rank) {
    if (2 * hosts_ >= table_.size()) grow();
    std::uint32_t& place = place_of(rank);
    if (place == kNobody) {
      place = rank;
      ++hosts_;
    }
    return place;
  }
  [[nodiscard]] std::size_t hosts() const { return hosts_; }

 private:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  std::uint32_t& place_of(std::uint32_t rank) {
    const std::uint64_t word = words_[rank];
    const std::size_t mask = table_.size() - 1;
    std::size_t at = (word * 0x9e3779b97f4a7c15U) >> 32U & mask;
    while (table_[at] != kNobody && words_[table_[at]] != word) at = (at + 1) & mask;
    return table_[at];
  }

  void grow() {
    std::vector<std::uint32_t> old(2 * table_.size(), kNobody);
    old.swap(table_);
    for (const std::uint32_t rank : old) {
      if (rank != kNobody) place_of(rank) = rank;
    }
  }

  const std::uint64_t* words_;
  std::vector<std::uint32_t> table_;
  std::size_t hosts_ = 0;
};

}  // namespace

std::uint64_t host_word(std::string_view name) {
  std::uint64_t word = 0xcbf29ce484222325U;
  for (const char letter : name) {
    word = (word ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return word;
}

HostWords make_host_words(std::size_t ranks) {
  auto* const words = static_cast<std::uint64_t*>(std::calloc(ranks, sizeof(std::uint64_t)));
  if (words == nullptr) throw std::bad_alloc();
  return HostWords(words);
}

HostNumbers number_hosts(HostWords words, std::size_t ranks) {
  HostNumbers numbers;
  const auto differs = [&words](std::uint64_t word) { return word != words[0]; };
  if (std::none_of(words.get(), words.get() + ranks, differs)) return numbers;
  std::vector<bool> is_lowest(ranks);
  {
    LowestRanks lowest(words.get());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t found = lowest.find(static_cast<std::uint32_t>(rank));
      is_lowest[rank] = found == rank;
      // The words of lowest ranks are still compared with; the others' are not.
      if (found != rank) words[rank] = found;
    }
    numbers.hosts = static_cast<int>(lowest.hosts());
  }
  // The numbers take the first half of the words' own memory: what is read lies behind what is
  // written.
  auto* const out = reinterpret_cast<std::byte*>(words.get());
  std::uint32_t next = 0;
  std::uint32_t before = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::uint32_t number = 0;
    if (is_lowest[rank]) {
      number = next++;
    } else {
      std::memcpy(&number, out + words[rank] * sizeof number, sizeof number);
    }
    std::memcpy(out + rank * sizeof number, &number, sizeof number);
    if (number != before) ++numbers.changes;
    before = number;
  }
  void* const shrunk = std::realloc(words.get(), ranks * sizeof(std::uint32_t));
  if (shrunk != nullptr) static_cast<void>(words.release());
  numbers.of.reset(static_cast<std::uint32_t*>(
      shrunk != nullptr ? shrunk : static_cast<void*>(words.release())));
  return numbers;
}

HostPlacement host_placement_of(const HostNumbers& numbers, std::span<const int> ranks) {
  if (numbers.of == nullptr) return {};
  // In blocks there is a change less than hosts; a block in two parts is nearly one.
  const auto of = [](int hosts, int changes) {
    return HostPlacement{.hosts = hosts, .in_blocks = changes < 2 * hosts};
  };
  if (ranks.empty()) return of(numbers.hosts, numbers.changes);
  std::unordered_set<std::uint32_t> hosts;
  int changes = 0;
  std::uint32_t before = numbers.host_of(ranks.front());
  for (const int rank : ranks) {
    const std::uint32_t host = numbers.host_of(rank);
    hosts.insert(host);
    if (host != before) ++changes;
    before = host;
  }
  return of(static_cast<int>(hosts.size()), changes);
}

}  // namespace stretto
