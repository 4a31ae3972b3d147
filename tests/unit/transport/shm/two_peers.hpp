// Two ranks of a host, of which the test plays both in turn.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include "transport/shm/peer.hpp"
#include "transport/test_group.hpp"

namespace stretto::shm {

inline constexpr int kTruncated = 15;
inline constexpr RingSize kSize{.lines = 8, .bytes = 1024};
inline constexpr std::size_t kBufferBytes = 16384;

// Of data with gaps: every other byte counts.
inline int copy_bytes(const Piece& from, const Piece& to) {
  if (from.bytes > to.bytes) return kTruncated;
  const auto* in = static_cast<const std::byte*>(from.address);
  auto* out = static_cast<std::byte*>(to.address);
  for (Count i = 0; i < from.bytes; ++i) out[to.plain ? i : 2 * i] = in[from.plain ? i : 2 * i];
  return 0;
}

class TwoPeers : public testing::TestWithParam<bool> {
 protected:
  TwoPeers() : TwoPeers(GetParam(), ::getpid()) {}
  TwoPeers(bool pulls, pid_t pid)
      : memory_(new (std::align_val_t(kLineBytes)) std::byte[2 * kSize.memory()]{}) {
    std::byte* const one = memory_;
    std::byte* const other = memory_ + kSize.memory();
    const Packing packing{.copy = copy_bytes, .truncated = kTruncated, .cancelled = 3};
    const auto make = [&](std::size_t me, std::byte* out, std::byte* in) {
      const std::size_t you = 1 - me;
      return std::make_unique<Peer>(packing, Peer::Ends{.out = out,
                                                        .in = in,
                                                        .size = kSize,
                                                        .offers_out = &offers_[me],
                                                        .offers_in = &offers_[you],
                                                        .send_buffer = &send_buffers_[me],
                                                        .buffer_there = buffers_[you].data(),
                                                        .pid = pid,
                                                        .pulls = pulls,
                                                        .attend = {&attend_[me], &attend_[you]}});
    };
    a_ = make(0, one, other);
    b_ = make(1, other, one);
  }
  ~TwoPeers() override { ::operator delete[](memory_, std::align_val_t(kLineBytes)); }
  TwoPeers(const TwoPeers&) = delete;
  TwoPeers& operator=(const TwoPeers&) = delete;

  // Until nothing moves any more.
  void run() {
    for (int i = 0; i < 1000; ++i) {
      a_->poll(of_a_);
      b_->poll(of_b_);
    }
  }
  [[nodiscard]] std::vector<std::byte> random_bytes(std::size_t count) {
    std::vector<std::byte> data(count);
    for (std::byte& each : data) each = static_cast<std::byte>(random_());
    return data;
  }

  std::mt19937 random_{1};
  std::byte* memory_;
  std::array<OfferWords, 2> offers_{};
  std::array<std::vector<std::byte>, 2> buffers_{std::vector<std::byte>(kBufferBytes),
                                                 std::vector<std::byte>(kBufferBytes)};
  std::array<SendBuffer, 2> send_buffers_{SendBuffer(buffers_[0].data(), kBufferBytes),
                                          SendBuffer(buffers_[1].data(), kBufferBytes)};
  std::array<std::atomic<std::uint32_t>, 2> attend_{};
  std::unique_ptr<Peer> a_, b_;
  std::vector<Transport::Completed> of_a_, of_b_;
};

}  // namespace stretto::shm
