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
    constexpr std::uint32_t kRaised = 0x3f;  // FE_ALL_EXCEPT, and that a number was denormal
    mode.sse_ &= ~kRaised;
#else
    std::fegetenv(&mode.all_);
#endif
    return mode;
  }

  // Do both compute alike?
  [[nodiscard]] bool is_like([[maybe_unused]] const FloatingPointMode& other) const {
#if defined(__x86_64__)
    return sse_ == other.sse_ && x87_ == other.x87_;
#else
    return false;  // not known
#endif
  }

  // From now on this thread's, which has raised nothing yet.
  void set() const {
#if defined(__x86_64__)
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87_));
    __asm__ volatile("ldmxcsr %0" : : "m"(sse_));
#else
    std::fesetenv(&all_);
    std::feclearexcept(FE_ALL_EXCEPT);
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

// As long as it lives this thread computes so, where it is said how. What is raised meanwhile stays
// raised, but for what would trap as soon as it is set.
class FloatingPointScope {
 public:
  explicit FloatingPointScope(const std::optional<FloatingPointMode>& mode) {
    if (!mode) return;
    differs_ = !FloatingPointMode::current().is_like(*mode);
    if (!differs_) return;
    std::fegetenv(&before_);
    mode->set();
  }
  ~FloatingPointScope() {
    if (!differs_) return;
    std::fexcept_t raised{};
    std::fegetexceptflag(&raised, FE_ALL_EXCEPT);
    const int which = std::fetestexcept(FE_ALL_EXCEPT);
    std::fesetenv(&before_);
    std::fesetexceptflag(&raised, which & ~::fegetexcept());
  }
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  bool differs_ = false;
  std::fenv_t before_;  // where it differs
};

}  // namespace stretto
