// The clocks that a program reads while its time is virtual: MPI's, and those of libc, which
// Fortran's and Python's are made of.
#include "intercept/whatif/time.hpp"

#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#include <array>
#include <cmath>

#include "intercept/shared/caller.hpp"
#include "intercept/shared/entry.hpp"
#include "intercept/whatif/process.hpp"
#include "intercept/whatif/session.hpp"

namespace stretto::intercept::whatif {
namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

using ClockGettime = int (*)(clockid_t, timespec*);
ClockGettime real_clock_gettime() {
  static const auto real = next<ClockGettime>("clock_gettime");
  return real;
}

// Is it the program that asks, in the thread whose time is virtual? The MPI's own waits are in
// real time. Nothing that may allocate is asked before that thread has clocks: a malloc may read
// one.
bool is_for_the_program(void* caller) {
  return Process::is_clocked() && this_thread.wrappers == 0 &&
         detail::active().load(std::memory_order_acquire) && is_programs(caller);
}

bool shows_time(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      return true;
    default:
      return false;
  }
}

constexpr double kNsInSecond = 1e9;

timespec plus(const timespec& time, double ns) {
  const double whole = std::floor(ns / kNsInSecond);
  timespec sum{.tv_sec = time.tv_sec + static_cast<time_t>(whole),
               .tv_nsec = time.tv_nsec + static_cast<long>(ns - whole * kNsInSecond)};
  if (sum.tv_nsec >= 1'000'000'000) {
    sum.tv_nsec -= 1'000'000'000;
    ++sum.tv_sec;
  }
  return sum;
}

constexpr clockid_t kClocks = 8;

// What each clock showed when this rank's virtual time began.
struct Beginnings {
  std::array<timespec, kClocks> clocks{};
  double wtime = 0;  // MPI_Wtime's, s
};

timespec beginning_of(clockid_t clock) {
  return clock < kClocks ? of_rank<Beginnings>().clocks[static_cast<std::size_t>(clock)]
                         : timespec{};
}

timespec virtual_time(clockid_t clock) {
  const Inside inside;
  return plus(beginning_of(clock), virtual_now_ns());
}

const Reached& reached_wtime() {
  static const Reached reached = reach("MPI_Wtime");
  return reached;
}

constexpr auto virtual_wtime = [](const Reached& what, void* caller) {
  if (!is_active(caller) || !Process::is_clocked()) {
    return reinterpret_cast<double (*)()>(what.real)();
  }
  const Inside inside;
  return of_rank<Beginnings>().wtime + virtual_now_ns() / kNsInSecond;
};

}  // namespace

void remember_beginnings() {
  Beginnings& beginnings = of_rank<Beginnings>();
  for (clockid_t each = 0; each < kClocks; ++each) {
    real_clock_gettime()(each, &beginnings.clocks[static_cast<std::size_t>(each)]);
  }
  beginnings.wtime = real_function<double (*)()>("PMPI_Wtime")();
}

}  // namespace stretto::intercept::whatif

using namespace stretto::intercept;
using namespace stretto::intercept::whatif;

extern "C" {

STRETTO_ENTRY int clock_gettime(clockid_t clock, timespec* time) {
  if (!shows_time(clock) || !is_for_the_program(__builtin_return_address(0))) {
    return real_clock_gettime()(clock, time);
  }
  *time = virtual_time(clock);
  return 0;
}

STRETTO_ENTRY int gettimeofday(timeval* time, void* zone) {
  using Real = int (*)(timeval*, void*);
  static const auto real = next<Real>("gettimeofday");
  void* const into = time;
  if (into == nullptr || !is_for_the_program(__builtin_return_address(0))) return real(time, zone);
  const timespec now = virtual_time(CLOCK_REALTIME);
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

STRETTO_ENTRY time_t time(time_t* into) {
  using Real = time_t (*)(time_t*);
  static const auto real = next<Real>("time");
  if (!is_for_the_program(__builtin_return_address(0))) return real(into);
  const time_t now = virtual_time(CLOCK_REALTIME).tv_sec;
  if (into != nullptr) *into = now;
  return now;
}

// Until a moment that the program worked out from a virtual clock.
STRETTO_ENTRY int clock_nanosleep(clockid_t clock, int flags, const timespec* until,
                                  timespec* left) {
  using Real = int (*)(clockid_t, int, const timespec*, timespec*);
  static const auto real = next<Real>("clock_nanosleep");
  const bool is_virtual = (flags & TIMER_ABSTIME) != 0 && shows_time(clock) &&
                          is_for_the_program(__builtin_return_address(0));
  if (!is_virtual) return real(clock, flags, until, left);
  const timespec now = virtual_time(clock);
  const double ns = (static_cast<double>(until->tv_sec - now.tv_sec)) * kNsInSecond +
                    static_cast<double>(until->tv_nsec - now.tv_nsec);
  if (ns <= 0) return 0;
  const timespec rest = plus({}, ns);
  return real(clock, 0, &rest, nullptr);
}

STRETTO_ENTRY double MPI_Wtime(void) {
  return enter(reached_wtime(), __builtin_return_address(0), virtual_wtime);
}
STRETTO_ENTRY double PMPI_Wtime(void) {
  return enter_profiled(reached_wtime(), __builtin_return_address(0), virtual_wtime);
}

}  // extern "C"
