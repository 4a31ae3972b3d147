#include "trace/bytes.hpp"

#include <bit>
#include <cmath>

namespace stretto::trace {

void fail_at(std::uint64_t offset, const std::string& what) {
  throw BadTrace("byte " + std::to_string(offset) + ": " + what);
}

Packer& Packer::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes_.push_back(static_cast<std::uint8_t>(value));
  return *this;
}

Packer& Packer::real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) {
    bytes_.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  return *this;
}

Packer& Packer::text(std::string_view value) {
  number(value.size());
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  return *this;
}

std::uint8_t Unpacker::byte() {
  if (is_empty()) fail_at(offset(), "something is missing");
  return bytes_[at_++];
}

std::uint64_t Unpacker::number(std::uint64_t most) {
  const std::uint64_t begin = offset();
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint64_t next = byte();
    const std::uint64_t bits = next & 0x7f;
    if (shift > 63 || (shift == 63 && bits > 1)) fail_at(begin, "a number is too large");
    value |= bits << shift;
    if ((next & 0x80) == 0) break;
  }
  if (value > most) fail_at(begin, "a number is too large");
  return value;
}

double Unpacker::real() {
  const std::uint64_t begin = offset();
  std::uint64_t bits = 0;
  for (int shift = 0; shift < 64; shift += 8) bits |= std::uint64_t{byte()} << shift;
  const auto value = std::bit_cast<double>(bits);
  if (!std::isfinite(value)) fail_at(begin, "a number is not finite");
  return value;
}

std::size_t Unpacker::count() { return number(bytes_.size() - at_); }

int Unpacker::index(std::size_t size) {
  const std::uint64_t begin = offset();
  const std::uint64_t value = number();
  if (value >= size) fail_at(begin, "there is no such entry");
  return static_cast<int>(value);
}

std::string Unpacker::text() {
  const std::size_t size = count();
  if (size > bytes_.size() - at_) fail_at(offset(), "a text is cut off");
  std::string value(bytes_.begin() + static_cast<std::ptrdiff_t>(at_),
                    bytes_.begin() + static_cast<std::ptrdiff_t>(at_ + size));
  at_ += size;
  return value;
}

void Unpacker::finish() const {
  if (!is_empty()) fail_at(offset(), "there is more than there should be");
}

}  // namespace stretto::trace
