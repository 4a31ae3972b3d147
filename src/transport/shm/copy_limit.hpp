// How two ranks of a host copy what goes through their ring, and up to which length they copy a
// message twice, through it, because that is faster than to read it from the sender's memory.
//
// Which is faster is up to the processor, how far apart the ranks' cores are, the kernel and the
// hypervisor: between 0.3 and 8 times. So ranks try all with each other as they first meet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::shm {

class Peer;

inline constexpr std::size_t kNoCopies = 0;
inline constexpr std::size_t kAlwaysCopied = SIZE_MAX;

struct Copying {
  // Messages shorter than this are copied twice, and of those written anew (see
  // Transport::Endpoint) such as are shorter than that.
  std::size_t below = kNoCopies;
  std::size_t anew_below = kNoCopies;
  bool takes_lines = false;  // see FrameReader::take_lines
};

// Exchanges messages with `partner`, whose process does the same at the same time, by all ways,
// without the sender's memory unless `pulls`. A few milliseconds; both come to the same, and to
// none where one of them has no memory for that. Nothing else is under way between the two, and
// both attend until this returns.
[[nodiscard]] Copying measure_copying(Peer& partner, bool pulls);

}  // namespace stretto::shm
