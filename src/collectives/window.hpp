// How many of its messages with one rank after the other a rank has in flight at a time: all at
// once those of 100,000 ranks would be 200,000 requests for the MPI to look through.
#pragma once

#include <array>

#include "schedule/after.hpp"

namespace stretto {

class Window {
 public:
  // The next pair of messages may begin when this is done.
  [[nodiscard]] After before_next() const {
    return {sent_[next_ % kMessages], received_[next_ % kMessages]};
  }
  void add(StepId sent, StepId received) {
    sent_[next_ % kMessages] = sent;
    received_[next_ % kMessages] = received;
    ++next_;
  }

 private:
  static constexpr std::size_t kMessages = 256;  // each way

  static constexpr std::array<StepId, kMessages> none() {
    std::array<StepId, kMessages> steps{};
    steps.fill(kNoStep);
    return steps;
  }
  std::array<StepId, kMessages> sent_ = none();
  std::array<StepId, kMessages> received_ = none();
  std::size_t next_ = 0;
};

}  // namespace stretto
