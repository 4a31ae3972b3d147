// What tests and probes that found nothing took. Virtual time has them as waits, since how many
// there are while a rank waits is by chance; a program that works between them pays for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stretto::intercept::whatif {

// By one thread.
class PollTimes {
 public:
  // Is the time of the next one to be taken?
  [[nodiscard]] bool is_due() { return calls_.size() < kMost && ++asked_ % kEvery == 0; }
  // One took so long, in the MPI; it counts if it found nothing.
  void took(std::int64_t ns) { last_ = ns; }
  void found_nothing() {
    if (last_ >= 0) calls_.push_back(last_);
    last_ = -1;
  }
  // It is of no poll that found nothing.
  void forget() { last_ = -1; }
  // What the program did between two of them, which is not counted as computing.
  void left_out(std::int64_t ns) { between_ns_ += ns; }

  // What `polls` of them come to, with what was between, in ns.
  [[nodiscard]] std::int64_t total_ns(std::int64_t polls) const {
    if (calls_.empty()) return between_ns_;
    std::vector<std::int64_t> calls = calls_;
    const auto middle = calls.begin() + std::ssize(calls) / 2;
    std::ranges::nth_element(calls, middle);
    return between_ns_ + polls * *middle;
  }

 private:
  static constexpr unsigned kEvery = 16;
  static constexpr std::size_t kMost = 1024;

  unsigned asked_ = 0;
  std::int64_t last_ = -1;
  std::int64_t between_ns_ = 0;
  std::vector<std::int64_t> calls_;
};

}  // namespace stretto::intercept::whatif
