// Where a rank may leave copies of what it sends, in memory that the ranks of its host share: so it
// need not wait for a receiver who is late, as with a buffered send of MPI's (MPI_Bsend). Nobody
// has to be asked for them: not the sender, who may be gone, and not the kernel.
//
// Beside an offer of a long message (see Frame) is a word that says where its data are: at an
// address in the sender's memory, or in its send buffer. Whoever receives it claims the word before
// it turns to the sender's memory. Until then the sender may copy the data and change the word, and
// is done with the message.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/shm/ring.hpp"

namespace stretto::shm {

// Of an offer: free, an address, claimed, or an offset in the send buffer.
using OfferWord = std::atomic<std::uint64_t>;
static_assert(OfferWord::is_always_lock_free);

inline constexpr std::uint64_t kFreeWord = 0;
inline constexpr std::uint64_t kClaimed = 1;
inline constexpr std::uint64_t kBuffered = std::uint64_t{1} << 63;  // no address has this bit

// Of one rank to one other, all free when they are zero. Where more messages are offered at a time
// the others wait for their receiver.
struct alignas(kLineBytes) OfferWords {
  static constexpr std::size_t kNumber = 8;
  std::array<OfferWord, kNumber> all;
};
static_assert(sizeof(OfferWords) == kLineBytes);

class SendBuffer {
 public:
  SendBuffer() = default;
  SendBuffer(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

  struct Data {
    const void* owner = nullptr;  // of the message: it leaves them as they are while that goes on
    const std::byte* bytes = nullptr;
    std::size_t count = 0;
  };
  // Changes the word of an offer that is made, or is about to be (kFreeWord), to where there is a
  // copy of its data. False where there is no room for one, or the word has been claimed.
  [[nodiscard]] bool put(const Data& data, OfferWord& word, std::uint64_t is);
  // Is there a copy of the same already, which is for all to whom it is sent at the same time?
  [[nodiscard]] bool has(const Data& data) const { return is_same(data, latest_); }
  // Whether the message before this one was of the same data, too.
  [[nodiscard]] bool is_sent_again(const Data& data);
  // The sender is about to hear of what is complete, and may change its data.
  void forget_latest();

 private:
  // A copy, until nobody's word leads to it any more.
  struct Extent {
    std::size_t offset = 0;
    std::size_t count = 0;
    std::vector<const OfferWord*> words;
  };
  static bool is_same(const Data& a, const Data& b) {
    return a.bytes == b.bytes && a.count == b.count && a.owner == b.owner && a.bytes != nullptr;
  }
  void reclaim();
  [[nodiscard]] std::vector<Extent>::iterator make_room(std::size_t count);

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<Extent> extents_;  // by offset
  Data latest_;                  // copied
  std::size_t latest_offset_ = 0;
  Data sent_;  // the message before
};

}  // namespace stretto::shm
