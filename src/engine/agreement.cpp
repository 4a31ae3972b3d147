#include "engine/agreement.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/clock.hpp"

namespace stretto {
namespace {

// Ids are offered in parts, since the first has a free one nearly always.
constexpr std::size_t kOffered = 32;  // words

constexpr std::uint64_t kOffers = std::uint64_t{1} << 63;

struct Words {
  std::uint64_t flags = 0;
  std::uint64_t urgency = 0;
  std::array<ContextIds::Word, kOffered> free{};
};
static_assert(sizeof(Words) == (kOffered + 2) * sizeof(std::uint64_t));

std::uint64_t random_word() {
  // Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
  std::uint64_t word = static_cast<std::uint64_t>(now_ns()) ^
                       (static_cast<std::uint64_t>(::getpid()) << 32) ^
                       reinterpret_cast<std::uintptr_t>(&word);
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

std::optional<int> first_free(const std::array<ContextIds::Word, kOffered>& free) {
  for (std::size_t w = 0; w < free.size(); ++w) {
    if (free[w] != 0)
      return static_cast<int>(w) * ContextIds::kWordBits + std::countr_zero(free[w]);
  }
  return std::nullopt;
}

}  // namespace

// It fails where a process is gone, and then the program's error handler is called, as it would be
// by the call that this is for: to spare it would be to take it from other threads' calls for as
// long as the slowest rank takes to come.
int keep_common_bits(const Members& members, std::span<std::uint64_t> words) {
  const auto bytes = static_cast<int>(words.size_bytes());
  std::vector<std::uint64_t> common(words.size());
  const auto reduce = [&](const void* from, void* to) {
    return native().Allreduce(from, to, bytes, native().byte, native().op_band, members.comm);
  };
  int error = reduce(words.data(), common.data());
  if (error == MPI_SUCCESS && members.is_inter) {
    // That is what the other group has in common; sent back it shows them theirs, and so us
    // ours.
    std::vector<std::uint64_t> ours(words.size());
    error = reduce(common.data(), ours.data());
    std::ranges::transform(common, ours, common.begin(), std::bit_and<>{});
  }
  std::ranges::copy(common, words.begin());
  return error;
}

Agreement agree(const Members& members, std::uint64_t flags, ContextIds& ids) {
  Agreement agreement;
  std::uint64_t urgency = 0;
  std::size_t first = 0;  // word offered
  for (;;) {
    const bool offers = ids.begin(urgency);
    Words words{.flags = flags | (offers ? kOffers : 0),
                // One rank's word: and-ed with the others' it would hardly keep a bit.
                .urgency = members.rank == 0 ? random_word() : ~std::uint64_t{0}};
    if (offers) ids.read(first, words.free);
    agreement.error =
        keep_common_bits(members, {reinterpret_cast<std::uint64_t*>(&words), kOffered + 2});
    const bool all_offer = agreement.error == MPI_SUCCESS && (words.flags & kOffers) != 0;
    if (all_offer) {
      if (const auto id = first_free(words.free)) {
        agreement.id = static_cast<int>(first) * ContextIds::kWordBits + *id;
      }
    }
    if (offers) ids.end(agreement.id);
    agreement.flags = words.flags & ~kOffers;
    if (agreement.error != MPI_SUCCESS || agreement.id) break;
    if (all_offer) {
      first += kOffered;
      if (first >= ids.words()) break;
    } else if (urgency == 0) {
      urgency = std::max<std::uint64_t>(words.urgency, 1);
      ids.wait(urgency);
    }
  }
  if (urgency != 0) ids.stop_waiting(urgency);
  return agreement;
}

}  // namespace stretto
