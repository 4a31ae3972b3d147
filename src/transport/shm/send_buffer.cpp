#include "transport/shm/send_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace stretto::shm {

// Words are free again once their receivers have the data.
void SendBuffer::reclaim() {
  std::erase_if(extents_, [](const Extent& extent) {
    return std::ranges::all_of(extent.words, [&extent](const OfferWord* word) {
      return word->load(std::memory_order_acquire) != (kBuffered | extent.offset);
    });
  });
  const bool is_there = std::ranges::any_of(
      extents_, [this](const Extent& extent) { return extent.offset == latest_offset_; });
  if (!is_there) latest_ = {};
}

// The first gap that is long enough.
std::vector<SendBuffer::Extent>::iterator SendBuffer::make_room(std::size_t count) {
  if (count > bytes_) return extents_.end();
  reclaim();
  std::size_t begin = 0;
  auto next = extents_.begin();
  for (; next != extents_.end() && next->offset - begin < count; ++next) {
    begin = (next->offset + next->count + kLineBytes - 1) / kLineBytes * kLineBytes;
  }
  if (begin > bytes_ || bytes_ - begin < count) return extents_.end();
  return extents_.insert(next, {.offset = begin, .count = count, .words = {}});
}

bool SendBuffer::put(const Data& data, OfferWord& word, std::uint64_t is) {
  auto extent = extents_.end();
  if (has(data)) {
    extent = std::ranges::find(extents_, latest_offset_, &Extent::offset);
  } else {
    extent = make_room(data.count);
    if (extent == extents_.end()) return false;
    std::memcpy(memory_ + extent->offset, data.bytes, data.count);
    latest_ = data;
    latest_offset_ = extent->offset;
  }
  const std::uint64_t becomes = kBuffered | extent->offset;
  if (!word.compare_exchange_strong(is, becomes, std::memory_order_acq_rel)) return false;
  extent->words.push_back(&word);
  return true;
}

bool SendBuffer::is_sent_again(const Data& data) {
  const bool again = is_same(data, sent_);
  sent_ = data;
  return again;
}

void SendBuffer::forget_latest() { latest_ = sent_ = {}; }

}  // namespace stretto::shm
