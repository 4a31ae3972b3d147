#include "base/thread_clock.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/rseq.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/clock.hpp"

// A restartable sequence that is never entered: Linux forgets that it was announced as soon as the
// thread is interrupted outside of it, which is all that is asked of it (rseq(2)).
#if defined(__x86_64__)
__asm__(
    ".pushsection .text\n"
    ".byte 0x0f, 0xb9, 0x3d\n"
    ".long 0x53053053\n"  // the signature that glibc registers
    ".hidden stretto_rseq_abort\n"
    ".globl stretto_rseq_abort\n"
    "stretto_rseq_abort: ud2\n"
    ".hidden stretto_rseq_begin\n"
    ".globl stretto_rseq_begin\n"
    "stretto_rseq_begin: nop\n"
    ".popsection\n");
extern "C" const char stretto_rseq_begin;
extern "C" const char stretto_rseq_abort;
#endif

namespace stretto {
namespace {

// Waits that are shorter are not worth asking what they were.
constexpr std::int64_t kShortest = 20'000;

// The system's clocks are read one after the other. Where others take the CPU between two of them
// one has that and the other has not, which the next sample would take for sleep: again, but on a
// machine where that never ends.
constexpr int kReadings = 5;

std::int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

#if defined(__x86_64__)
rseq_cs& never_entered() {
  static rseq_cs sequence{.version = 0,
                          .flags = 0,
                          .start_ip = std::bit_cast<std::uintptr_t>(&stretto_rseq_begin),
                          .post_commit_offset = 1,
                          .abort_ip = std::bit_cast<std::uintptr_t>(&stretto_rseq_abort)};
  return sequence;
}

std::uint64_t announced() { return std::bit_cast<std::uintptr_t>(&never_entered()); }

// Where this thread announces its sequences; nullptr where that does not show interruptions.
std::uint64_t* working_mark() {
  // From glibc 2.35 on; asked for by name, so that older ones can load this library.
  const auto* offset = static_cast<const std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  const auto* size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
  if (offset == nullptr || size == nullptr || *size == 0) return nullptr;
  auto* const thread = static_cast<std::byte*>(__builtin_thread_pointer()) + *offset;
  auto* const mark = reinterpret_cast<std::uint64_t*>(thread + offsetof(struct rseq, rseq_cs));
  __atomic_store_n(mark, announced(), __ATOMIC_RELAXED);
  sleep_ns(10'000);
  const bool works = __atomic_load_n(mark, __ATOMIC_RELAXED) == 0;
  __atomic_store_n(mark, 0, __ATOMIC_RELAXED);
  return works ? mark : nullptr;
}
#else
std::uint64_t announced() { return 0; }
std::uint64_t* working_mark() { return nullptr; }
#endif

constexpr const char* kSchedstat = "/proc/thread-self/schedstat";

// What the thread waited for a CPU, by that file: the second number (Linux,
// Documentation/scheduler/sched-stats.rst).
std::optional<std::int64_t> delay_in(int schedstat) {
  char text[96];
  const ssize_t length = schedstat < 0 ? -1 : pread(schedstat, text, sizeof text, 0);
  if (length <= 0) return {};
  const std::string_view line(text, static_cast<std::size_t>(length));
  const std::size_t space = line.find(' ');
  std::int64_t delay = 0;
  // A thread that has never run is one of which the kernel does not count.
  if (space == std::string_view::npos || line.substr(0, space) == "0" ||
      std::from_chars(line.data() + space + 1, line.data() + line.size(), delay).ec !=
          std::errc{}) {
    return {};
  }
  return delay;
}

}  // namespace

ThreadClock::ThreadClock()
    : schedstat_(open(kSchedstat, O_RDONLY | O_CLOEXEC)), mark_(working_mark()) {
  begin();
}

ThreadClock::~ThreadClock() {
  if (mark_ != nullptr) __atomic_store_n(mark_, 0, __ATOMIC_RELAXED);
  if (schedstat_ >= 0) close(schedstat_);
}

bool ThreadClock::was_interrupted() const {
  return mark_ == nullptr || __atomic_load_n(mark_, __ATOMIC_RELAXED) != announced();
}

std::int64_t ThreadClock::now() {
  // Never less than before: what the last reading took for work the system's clocks may count less.
  if (!was_interrupted()) {
    const std::int64_t here = count_ + (now_ns() - wall_);
    if (!was_interrupted()) return last_ = std::max(last_, here);
  }
  sample();
  return last_ = std::max(last_, count_);
}

// What takes long comes first: it does not count either.
bool ThreadClock::restart() {
  count_ = last_;
  if (!was_interrupted()) {
    const std::int64_t wall = now_ns();
    if (!was_interrupted()) {
      cpu_ += wall - wall_;
      wall_ = wall;
      return false;
    }
  }
  begin();
  return true;
}

void ThreadClock::begin() {
  unexplained_ = 0;
  for (int reading = 0; reading < kReadings; ++reading) {
    announce();
    delay_ = run_delay();
    cpu_ = thread_cpu_ns();
    wall_ = now_ns();
    if (mark_ != nullptr ? !was_interrupted() : run_delay() == delay_) return;
  }
}

// First: an interruption while it reads must not be missed.
void ThreadClock::announce() {
  if (mark_ != nullptr) __atomic_store_n(mark_, announced(), __ATOMIC_RELAXED);
}

void ThreadClock::sample() {
  std::int64_t delay = delay_;
  for (int reading = 0; reading < kReadings; ++reading) {
    announce();
    const std::int64_t wall = now_ns();
    const std::int64_t cpu = thread_cpu_ns();
    unexplained_ += (wall - wall_) - (cpu - cpu_);
    count_ += cpu - cpu_;
    wall_ = wall;
    cpu_ = cpu;
    if (unexplained_ < kShortest || schedstat_ < 0) return;
    const std::int64_t before = std::exchange(delay, run_delay());
    // Without a mark it shows in the delay whether others had the CPU meanwhile.
    if (mark_ != nullptr ? !was_interrupted() : reading > 0 && delay == before) break;
  }
  const std::int64_t asleep = unexplained_ - (delay - delay_);
  delay_ = delay;
  // Where the thread changes its core the kernel may count a delay some milliseconds too long, and
  // another as much too short. Those of one section balance.
  unexplained_ = asleep <= -kShortest ? asleep : 0;
  if (asleep < kShortest) return;
  count_ += asleep;
  blocked_ += asleep;
}

std::int64_t ThreadClock::run_delay() const { return delay_in(schedstat_).value_or(delay_); }

std::optional<std::int64_t> thread_run_delay_ns() {
  const int file = open(kSchedstat, O_RDONLY | O_CLOEXEC);
  const auto delay = delay_in(file);
  if (file >= 0) close(file);
  return delay;
}

}  // namespace stretto
