// Pages that the MPI is the first to touch, of buffers that the program gave it. Whoever comes
// first waits for the kernel to find them; if communication were free that would be the program.
// So it counts as the program's computing, in all scenarios: as many pages as the kernel counted
// in this thread, each at what `stretto calibrate` measured.
#pragma once

#include <cstdint>

namespace stretto::intercept::whatif {

// Of the thread that the clocks belong to.
class FirstTouches {
 public:
  // 0: not counted.
  void open(double ns_a_page) { ns_a_page_ = ns_a_page; }

  // Around the MPI's own part of a call; how much of it was the program's time, in ns.
  void enter();
  [[nodiscard]] std::int64_t leave();

 private:
  // Asking costs a system call: in shorter times few pages are touched.
  static constexpr std::int64_t kLongEnough = 10'000;

  double ns_a_page_ = 0;
  std::int64_t faults_ = 0;              // when the kernel was last asked
  std::int64_t since_ = kLongEnough;     // so long the program, or we, may have touched pages
  std::int64_t entered_ = 0, left_ = 0;  // when
};

}  // namespace stretto::intercept::whatif
