// Frames from one rank to another of its host, through memory that both have mapped. One writes,
// one reads, and neither waits for the other.
//
// A frame is a line: a cache line of its own, so that what is short costs the reader one miss. What
// does not fit beside the line's head lies in a second ring, of bytes. A line is there once its
// turn says so, which is stored last; the reader says now and then how far it has come.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace stretto::shm {

struct Frame {
  enum class Kind : std::uint32_t {
    message,  // whole, with its data
    offer,    // of a message: its data are at an address in the sender's memory
    taken,    // the offer's data are, and the sender may change them; or the receiver failed
    wanted,   // the offer's data are to come as chunks, but those that have come
    chunk,    // the next ones
  };
  Kind kind = Kind::message;
  std::int32_t tag = 0;       // of a message or an offer
  std::uint64_t bytes = 0;    // of a message or an offer; of this chunk; that have come
  std::uint64_t id = 0;       // which offer, by its sender's count; but of a message
  std::uint64_t address = 0;  // of an offer's data
  std::uint64_t word = 0;     // of an offer: which of its words says where they are, from 1 on
};

// The part of a frame's data beside its head, or in the ring of bytes where it may go round the
// end.
using Data = std::array<std::span<const std::byte>, 2>;

inline constexpr std::size_t kLineBytes = 64;

struct alignas(kLineBytes) FrameLine {
  static constexpr std::size_t kInline = 32;

  std::atomic<std::uint32_t> turn;  // how often lines have been written here
  Frame::Kind kind;
  std::int32_t tag;
  std::uint32_t in_ring;  // of the data's bytes; those of a message no longer than kInline are here
  std::uint64_t bytes;
  union {
    std::array<std::byte, kInline> data;
    struct {
      std::uint64_t id;
      std::uint64_t address;
      std::uint64_t word;
    } offer;
  };
};
static_assert(sizeof(FrameLine) == kLineBytes);

// What the reader writes.
struct alignas(kLineBytes) Progress {
  std::atomic<std::uint64_t> lines;
  std::atomic<std::uint64_t> bytes;
};
static_assert(sizeof(Progress) == kLineBytes);

// Powers of two.
struct RingSize {
  std::uint32_t lines = 0;
  std::uint32_t bytes = 0;

  [[nodiscard]] std::size_t memory() const {
    return sizeof(Progress) + std::size_t{lines} * sizeof(FrameLine) + bytes;
  }
};

// All zero: a ring that nothing has gone through.
class FrameRing {
 public:
  FrameRing(std::byte* memory, RingSize size)
      : size_(size),
        progress_(reinterpret_cast<Progress*>(memory)),
        lines_(reinterpret_cast<FrameLine*>(memory + sizeof(Progress))),
        bytes_(memory + sizeof(Progress) + std::size_t{size.lines} * sizeof(FrameLine)) {}

 protected:
  [[nodiscard]] FrameLine& line(std::uint64_t number) const {
    return lines_[number & (size_.lines - 1)];
  }
  [[nodiscard]] std::uint32_t turn_of(std::uint64_t number) const {
    return static_cast<std::uint32_t>(number / size_.lines) + 1;
  }
  // Where `count` bytes from the `first` on lie.
  [[nodiscard]] std::array<std::span<std::byte>, 2> bytes(std::uint64_t first,
                                                          std::size_t count) const {
    const std::size_t start = first & (size_.bytes - 1);
    const std::size_t before_end = std::min(count, size_.bytes - start);
    return {std::span(bytes_ + start, before_end), std::span(bytes_, count - before_end)};
  }

  RingSize size_;
  Progress* progress_;
  FrameLine* lines_;
  std::byte* bytes_;
};

// Do these data lie beside the frame's head, and not in the ring of bytes?
[[nodiscard]] inline bool goes_beside(Frame::Kind kind, std::uint64_t data) {
  return kind == Frame::Kind::message && data <= FrameLine::kInline;
}

class FrameWriter : public FrameRing {
 public:
  using FrameRing::FrameRing;

  // The most data that one frame can carry.
  [[nodiscard]] std::size_t most() const { return size_.bytes; }
  // For how much data of a frame there is room now; kNoLine: not even for a frame.
  static constexpr std::int64_t kNoLine = -1;
  [[nodiscard]] std::int64_t room() {
    if (next_line_ - read_lines_ == size_.lines || next_byte_ - read_bytes_ == size_.bytes) {
      read_lines_ = progress_->lines.load(std::memory_order_acquire);
      read_bytes_ = progress_->bytes.load(std::memory_order_acquire);
    }
    if (next_line_ - read_lines_ == size_.lines) return kNoLine;
    return static_cast<std::int64_t>(size_.bytes - (next_byte_ - read_bytes_));
  }
  // Is there room for a frame of this kind with these data?
  [[nodiscard]] bool fits(Frame::Kind kind, std::size_t data = 0) {
    const auto needed = static_cast<std::int64_t>(goes_beside(kind, data) ? 0 : data);
    if (room() >= needed) return true;
    read_bytes_ = progress_->bytes.load(std::memory_order_acquire);
    return room() >= needed;
  }

  // There is room for them.
  void put(const Frame& frame, const void* data = nullptr, std::size_t count = 0) {
    FrameLine& to = line(next_line_);
    to.kind = frame.kind;
    to.tag = frame.tag;
    to.bytes = frame.bytes;
    to.in_ring = 0;
    const bool beside = goes_beside(frame.kind, count);
    if (beside) {
      if (count > 0) std::memcpy(to.data.data(), data, count);
    } else {
      to.offer = {frame.id, frame.address, frame.word};
      to.in_ring = static_cast<std::uint32_t>(count);
      const auto* from = static_cast<const std::byte*>(data);
      for (const auto part : bytes(next_byte_, count)) {
        if (part.empty()) continue;
        std::memcpy(part.data(), from, part.size());
        from += part.size();
      }
      next_byte_ += count;
    }
    to.turn.store(turn_of(next_line_), std::memory_order_release);
    ++next_line_;
  }

 private:
  std::uint64_t next_line_ = 0;
  std::uint64_t next_byte_ = 0;
  std::uint64_t read_lines_ = 0;  // as far as is known
  std::uint64_t read_bytes_ = 0;
};

class FrameReader : public FrameRing {
 public:
  using FrameRing::FrameRing;

  [[nodiscard]] bool any() const {
    return line(next_line_).turn.load(std::memory_order_acquire) == turn_of(next_line_);
  }
  // The oldest, where there is any, and its data, which stay until it is dropped.
  [[nodiscard]] Frame front() const {
    const FrameLine& from = line(next_line_);
    Frame frame{.kind = from.kind, .tag = from.tag, .bytes = from.bytes};
    if (is_beside(from)) return frame;
    frame.id = from.offer.id;
    frame.address = from.offer.address;
    frame.word = from.offer.word;
    return frame;
  }
  [[nodiscard]] Data data() const {
    const FrameLine& from = line(next_line_);
    if (is_beside(from)) return {std::span(from.data.data(), from.bytes), {}};
    const auto parts = bytes(next_byte_, from.in_ring);
    return {parts[0], parts[1]};
  }
  // Makes the cache lines of its data in the ring of bytes this rank's, to whom the writer must
  // leave them until it is dropped: by writing there what there is. A writer that finds its lines
  // as another has read them takes much longer to write them again, on some processors, than one
  // from whom they have been taken.
  void take_lines() {
    const FrameLine& from = line(next_line_);
    if (is_beside(from) || from.in_ring < kFewBytes) return;
    for (const auto part : bytes(next_byte_, from.in_ring)) {
      for (std::size_t at = 0; at < part.size(); at += kLineBytes) {
        volatile std::byte& byte = part[at];  // what the compiler must not know to be useless
        const std::byte is = byte;
        byte = is;
      }
    }
  }
  void drop() {
    next_byte_ += line(next_line_).in_ring;
    ++next_line_;
    // Not each time: it takes the writer's copy of the line from it.
    const bool far =
        next_line_ - said_lines_ >= size_.lines / 4 || next_byte_ - said_bytes_ >= size_.bytes / 4;
    if (far) say();
  }
  // Before it turns to something else for long.
  void say() {
    if (said_lines_ == next_line_) return;
    said_lines_ = next_line_;
    said_bytes_ = next_byte_;
    progress_->bytes.store(next_byte_, std::memory_order_release);
    progress_->lines.store(next_line_, std::memory_order_release);
  }

 private:
  // Of so few nobody has measured a difference; no frame has more where a ring is that of a rank
  // among 45 or more.
  static constexpr std::uint32_t kFewBytes = 4096;
  static bool is_beside(const FrameLine& line) { return goes_beside(line.kind, line.bytes); }

  std::uint64_t next_line_ = 0;
  std::uint64_t next_byte_ = 0;
  std::uint64_t said_lines_ = 0;
  std::uint64_t said_bytes_ = 0;
};

}  // namespace stretto::shm
