#include "transport/shm/copy_limit.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "transport/shm/passing_memory.hpp"
#include "transport/shm/peer.hpp"

namespace stretto::shm {
namespace {

// Beyond the longest what is true of it goes on: neither way has caches that hold so much.
constexpr std::array<std::size_t, 3> kLengths{std::size_t{64} << 10, std::size_t{256} << 10,
                                              std::size_t{1} << 20};
constexpr int kTimes = 4;
// A little faster may be chance, and costs the sender's core as well.
constexpr double kClearlyFaster = 0.9;
// Of what is sent as it is and is long it is seldom more than chance: an alltoall of as much, which
// has a block to copy besides, then took up to 1.15 of its time pulled.
constexpr double kMuchFaster = 0.5;
constexpr int kPollsBeforeYield = 1000;
// No message of an operation has one like it.
constexpr int kTag = -1;

class PairExchange {
 public:
  explicit PairExchange(Peer& partner) : partner_(partner) {
    // Not of the heap: glibc maps no piece of its own any more that is shorter than one it was
    // given back, so that the program's buffers would lie otherwise than without Stretto.
    try {
      memory_ = std::make_unique<PassingMemory<std::byte>>(2 * kLengths.back());
      out_ = memory_->all().data();
      std::memset(out_, 1, kLengths.back());  // unwritten, it would be one page of zeros
    } catch (const std::bad_alloc&) {
      say("no memory to find out how this host copies fastest");
    }
  }

  // Without, there is nothing but to let the partner know, who waits.
  [[nodiscard]] bool has_memory() const { return out_ != nullptr; }

  // What the two say, where both say yes.
  bool both(bool mine) {
    std::byte out{mine};
    std::byte in{};
    exchange(&out, &in, 1);
    return mine && in == std::byte{1};
  }

  // The least time in ns in which the two have each other's data, and have written them before,
  // where these are written anew: what another has read takes longer to write.
  std::int64_t time(std::size_t bytes, const Copying& copying, bool anew) {
    partner_.copy_as(copying);
    std::byte* const in = out_ + kLengths.back();
    std::int64_t least = INT64_MAX;
    for (int i = 0; i < kTimes; ++i) {
      both(true);  // begin together
      const std::int64_t start = now_ns();
      if (anew) std::memset(out_, i, bytes);
      exchange(out_, in, bytes);
      least = std::min(least, now_ns() - start);
    }
    return least;
  }

 private:
  static Piece piece(std::byte* address, std::size_t bytes) {
    const auto count = static_cast<Count>(bytes);
    return {.address = address, .count = count, .type = {}, .bytes = count, .plain = true};
  }

  void exchange(std::byte* out, std::byte* in, std::size_t bytes) {
    partner_.receive(piece(in, bytes), kTag, {});
    partner_.send(piece(out, bytes), kTag, {});
    done_.clear();
    for (int polls = 1; done_.size() < 2; ++polls) {
      partner_.poll(done_);
      partner_.forget_copies();
      if (polls % kPollsBeforeYield == 0) sched_yield();  // the core may be the partner's, too
    }
  }

  Peer& partner_;
  std::unique_ptr<PassingMemory<std::byte>> memory_{};
  std::byte* out_ = nullptr;  // of it
  std::vector<Transport::Completed> done_;
};

}  // namespace

Copying measure_copying(Peer& partner, bool pulls) {
  PairExchange pair(partner);
  Copying found;
  if (!pair.both(pair.has_memory())) return found;
  // Do both agree that one is clearly faster than the other?
  const auto is_faster = [&pair](std::size_t bytes, bool anew, const Copying& one,
                                 const Copying& other) {
    const double most = anew || bytes == kLengths.front() ? kClearlyFaster : kMuchFaster;
    const auto others = static_cast<double>(pair.time(bytes, other, anew));
    return pair.both(static_cast<double>(pair.time(bytes, one, anew)) < most * others);
  };
  constexpr Copying kLeaving{.below = kAlwaysCopied};
  constexpr Copying kTaking{.below = kAlwaysCopied, .takes_lines = true};
  found.takes_lines = is_faster(kLengths.front(), true, kTaking, kLeaving);
  if (!pulls) return found;
  const auto limit = [&](bool anew) {
    std::size_t below = kNoCopies;
    for (const std::size_t bytes : kLengths) {
      if (!is_faster(bytes, anew, found.takes_lines ? kTaking : kLeaving, {})) break;
      below = bytes == kLengths.back() ? kAlwaysCopied : 2 * bytes;
    }
    return below;
  };
  found.below = limit(false);
  found.anew_below = limit(true);
  return found;
}

}  // namespace stretto::shm
