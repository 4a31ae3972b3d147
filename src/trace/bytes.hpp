// Numbers and texts as bytes: whole numbers seven bits a byte, the lowest first, as long as bit 7
// is set; reals as IEEE 754's 64 bits, the lowest byte first; texts after their length.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::trace {

using Bytes = std::vector<std::uint8_t>;

// What is wrong with a trace, and at which byte of the file.
struct BadTrace : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void fail_at(std::uint64_t offset, const std::string& what);

class Packer {
 public:
  Packer& number(std::uint64_t value);
  Packer& real(double value);
  Packer& text(std::string_view value);

  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  Bytes bytes_;
};

class Unpacker {
 public:
  // `offset`: of the first byte in the file, for complaints.
  Unpacker(std::span<const std::uint8_t> bytes, std::uint64_t offset)
      : bytes_(bytes), offset_(offset) {}

  // All throw BadTrace where the bytes are not one, or it is more than `most`.
  std::uint64_t number(std::uint64_t most = UINT64_MAX);
  double real();  // finite
  std::string text();
  // Of a list whose entries take a byte each at least.
  std::size_t count();
  // A number that is an index into something of so many.
  int index(std::size_t size);

  [[nodiscard]] bool is_empty() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::uint64_t offset() const { return offset_ + at_; }
  // There must be nothing left.
  void finish() const;

 private:
  std::uint8_t byte();

  std::span<const std::uint8_t> bytes_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

}  // namespace stretto::trace
