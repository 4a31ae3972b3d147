#include "trace/format.hpp"

#include <array>

namespace stretto::trace {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1) != 0 ? 0xedb88320U ^ (value >> 1) : value >> 1;
    }
    table[i] = value;
  }
  return table;
}

void append_word(Bytes& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
}

}  // namespace

// ISO 3309's, as zlib and Ethernet have it.
std::uint32_t crc32(std::uint32_t before, std::span<const std::uint8_t> bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t value = ~before;
  for (const std::uint8_t byte : bytes) value = kTable[(value ^ byte) & 0xff] ^ (value >> 8);
  return ~value;
}

Bytes framed(Tag tag, std::span<const std::uint8_t> content) {
  Bytes bytes;
  bytes.reserve(content.size() + 9);
  bytes.push_back(static_cast<std::uint8_t>(tag));
  append_word(bytes, static_cast<std::uint32_t>(content.size()));
  bytes.insert(bytes.end(), content.begin(), content.end());
  append_word(bytes, crc32(0, bytes));
  return bytes;
}

}  // namespace stretto::trace
