// The memory that repetitions of a cell send from and receive into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/suite/plan.hpp"

namespace stretto::bench {

struct BufferPair {
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
};

class CellBuffers {
 public:
  CellBuffers(BufferUse use, std::int64_t send_bytes, std::int64_t receive_bytes);
  // What all of them take.
  [[nodiscard]] static std::int64_t memory_of(BufferUse use, std::int64_t send_bytes,
                                              std::int64_t receive_bytes);

  // Those of a repetition. They are to be written anew first where is_rewritten().
  [[nodiscard]] BufferPair of(int repetition);
  [[nodiscard]] bool is_rewritten(int repetition) const;
  // What is written for a repetition: the first time's where buffers stay as they are.
  [[nodiscard]] int written_for(int repetition) const {
    return use_ == BufferUse::same ? 0 : repetition;
  }
  // So that a byte that nobody has received is a wrong one.
  void spoil(const BufferPair& pair) const;
  // Call when they are written: where they shall be in no cache, they are not afterwards.
  void settle(const BufferPair& pair);

 private:
  BufferUse use_;
  std::int64_t send_bytes_;
  std::int64_t receive_bytes_;
  // Written first where a repetition's buffers are: of many pairs a short cell needs few.
  std::unique_ptr<std::byte[]> memory_{};
  std::int64_t stride_ = 0;  // from one pair to the next
  int pairs_ = 1;
};

}  // namespace stretto::bench
