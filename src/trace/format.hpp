// How a trace lies in its file.
//
// kMagic, then chunks. A chunk is its tag, the length of its content (4 bytes, the lowest first),
// the content, and the CRC-32 of all of that (4 bytes). First one kAbout; then for each rank, in
// any order of the ranks, one kRank, any number of kDurations, and one each of kComms, kSites,
// kOps, kLoops and kEnding, in this order. So the file of a whole run is the magic, a chunk, and
// the files that the ranks have written, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/bytes.hpp"

namespace stretto::trace {

inline constexpr std::string_view kMagic = "stretto trace 5\n";

enum class Tag : std::uint8_t {
  about = 'A',       // JSON
  rank = 'R',        // rank, size, host, core complex + 1
  durations = 'D',   // numbers
  comms = 'C',       // their count; of each id, count of members, members
  call_sites = 'S',  // their count; of each function, object, offset, symbol, is a source, ranks
  ops = 'O',         // their count; of each kind and what belongs to it (op_bytes.cpp)
  loops = 'L',       // count of bodies; of each, and of the whole, count of entries, entries
  ending = 'E',      // ends, computed, blocked, flags, count of items, count of durations
};

[[nodiscard]] std::uint32_t crc32(std::uint32_t before, std::span<const std::uint8_t> bytes);

[[nodiscard]] Bytes framed(Tag tag, std::span<const std::uint8_t> content);

}  // namespace stretto::trace
