// How a thread computes with floating-point numbers: how it rounds, whether it takes denormal
// numbers, and what traps.
#pragma once

#include <cfenv>
#include <cstdint>
#include <optional>

namespace stretto {

// std::fegetenv writes all of the x87 unit's state, which takes longer than all else where a short
// operation begins; what says how to compute are two registers.
class FloatingPointMode {
 public:
  // This thread's.
  [[nodiscard]] static FloatingPointMode current() {
    FloatingPointMode mode;
#if defined(__x86_64__)
    __asm__ volatile("stmxcsr %0" : "=m"(mode.sse_));
    __asm__ volatile("fnstcw %0" : "=m"(mode.x87_));
#else
    std::fegetenv(&mode.all_);
#endif
    return mode;
  }

  // Do both compute alike? What has been raised meanwhile does not matter.
  [[nodiscard]] bool is_like([[maybe_unused]] const FloatingPointMode& other) const {
#if defined(__x86_64__)
    constexpr std::uint32_t kRaised = 0x3f;
    return ((sse_ ^ other.sse_) & ~kRaised) == 0 && x87_ == other.x87_;
#else
    return false;  // not known
#endif
  }

  // From now on this thread's.
  void set() const {
#if defined(__x86_64__)
    // What was raised before, and did not trap then, must not trap now.
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87_));
    __asm__ volatile("ldmxcsr %0" : : "m"(sse_));
#else
    std::fesetenv(&all_);
#endif
  }

 private:
#if defined(__x86_64__)
  std::uint32_t sse_ = 0;
  std::uint16_t x87_ = 0;
#else
  std::fenv_t all_{};
#endif
};

// As long as it lives this thread computes so, where it is said how and it does not already: else
// what is raised meanwhile would be forgotten.
class FloatingPointScope {
 public:
  explicit FloatingPointScope(const std::optional<FloatingPointMode>& mode) {
    if (!mode) return;
    const FloatingPointMode own = FloatingPointMode::current();
    if (own.is_like(*mode)) return;
    before_ = own;
    mode->set();
  }
  ~FloatingPointScope() {
    if (before_) before_->set();
  }
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  std::optional<FloatingPointMode> before_{};
};

}  // namespace stretto
