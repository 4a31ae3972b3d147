#include "bench/suite/buffers.hpp"

#include <algorithm>
#include <cstring>

#include "bench/samples.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace stretto::bench {
namespace {

constexpr std::int64_t kPage = 4096;
// Pairs that are used in turn fill so much, which is more than any cache of a rank holds.
constexpr std::int64_t kBeyondCaches = 256 << 20;
constexpr int kMostPairs = 4096;
constexpr auto kSpoilt = static_cast<unsigned char>(0xfb);  // beyond every value there is

std::int64_t to_pages(std::int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// The two at the same place of a page would make loads wait for stores.
std::int64_t stride_of(std::int64_t send_bytes, std::int64_t receive_bytes) {
  return to_pages(send_bytes) + to_pages(receive_bytes + static_cast<std::int64_t>(kApart));
}

int pairs_of(BufferUse use, std::int64_t stride) {
  if (use != BufferUse::unique) return 1;
  return static_cast<int>(std::clamp<std::int64_t>(kBeyondCaches / stride, 2, kMostPairs));
}

void out_of_caches([[maybe_unused]] const std::byte* begin, [[maybe_unused]] std::int64_t bytes) {
#if defined(__x86_64__)
  constexpr std::int64_t line = 64;
  for (std::int64_t i = 0; i < bytes; i += line) _mm_clflush(begin + i);
  if (bytes > 0) _mm_clflush(begin + bytes - 1);
  _mm_mfence();
#else
  // Reading enough of something else has the same effect, and takes longer.
  static std::vector<char> other(64 << 20);
  for (std::size_t i = 0; i < other.size(); i += 64) ++other[i];
#endif
}

}  // namespace

CellBuffers::CellBuffers(BufferUse use, std::int64_t send_bytes, std::int64_t receive_bytes)
    : use_(use), send_bytes_(send_bytes), receive_bytes_(receive_bytes) {
  stride_ = stride_of(send_bytes, receive_bytes);
  pairs_ = pairs_of(use, stride_);
  memory_ = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(memory_of(use, send_bytes, receive_bytes)));
}

std::int64_t CellBuffers::memory_of(BufferUse use, std::int64_t send_bytes,
                                    std::int64_t receive_bytes) {
  const std::int64_t stride = stride_of(send_bytes, receive_bytes);
  return stride * pairs_of(use, stride) + kPage;
}

BufferPair CellBuffers::of(int repetition) {
  const auto base = reinterpret_cast<std::uintptr_t>(memory_.get());
  const auto shift = static_cast<std::int64_t>((kPage - base % kPage) % kPage);
  std::byte* const begin = memory_.get() + shift + stride_ * (repetition % pairs_);
  return {.send = begin, .receive = begin + to_pages(send_bytes_) + kApart};
}

bool CellBuffers::is_rewritten(int repetition) const {
  return use_ != BufferUse::same || repetition == 0;
}

void CellBuffers::spoil(const BufferPair& pair) const {
  std::memset(pair.receive, kSpoilt, static_cast<std::size_t>(receive_bytes_));
}

void CellBuffers::settle(const BufferPair& pair) {
  if (use_ != BufferUse::cold) return;
  out_of_caches(pair.send, send_bytes_);
  out_of_caches(pair.receive, receive_bytes_);
}

}  // namespace stretto::bench
