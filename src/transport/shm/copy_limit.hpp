// Up to which length two ranks of a host that both attend to a message copy it twice, through the
// ring, because that is faster than to read it from the sender's memory.
//
// Which is faster is up to the processor, how far apart the ranks' cores are, the kernel and the
// hypervisor: between 0.3 and 8 times. So ranks try both with each other as they first meet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::shm {

class Peer;

// Messages shorter than this are copied twice; 0: none is.
inline constexpr std::size_t kNoCopies = 0;
inline constexpr std::size_t kAlwaysCopied = SIZE_MAX;

// Exchanges messages with `partner`, whose process does the same at the same time, by both ways. A
// millisecond or so; both come to the same limit, none where one of them has no memory for that.
// Nothing else is under way between the two, and both attend until this returns.
[[nodiscard]] std::size_t measure_copy_limit(Peer& partner);

}  // namespace stretto::shm
