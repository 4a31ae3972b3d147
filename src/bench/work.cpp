#include "bench/work.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "mpi/native.hpp"

namespace stretto::bench {
namespace {

constexpr std::array<std::int64_t, 5> kSizes = {64, 1 << 10, 16 << 10, 256 << 10, 2 << 20};
constexpr int kRounds = 15;
constexpr int kFewRounds = 3;
constexpr std::int64_t kBytesARound = 4 << 20;
constexpr std::size_t kFresh = 16 << 20;  // bytes that nobody has touched

template <class Work>
Sample timed(std::int64_t bytes, Work work) {
  const auto repeats = static_cast<int>(std::max<std::int64_t>(kBytesARound / bytes / 4, 2));
  std::vector<double> times;
  work();
  for (int round = 0; round < fewer(kRounds, kFewRounds); ++round) {
    const std::int64_t begin = now_ns();
    for (int i = 0; i < std::min(repeats, 1000); ++i) work();
    times.push_back(static_cast<double>(now_ns() - begin) / std::min(repeats, 1000));
  }
  return summary(std::move(times));
}

}  // namespace

std::vector<WorkTime> measure_work() {
  std::vector<std::byte> from(static_cast<std::size_t>(kSizes.back()));
  std::vector<std::byte> memory(from.size() + kApart);
  std::byte* const to = memory.data() + kApart;
  std::vector<WorkTime> times;
  for (const std::int64_t bytes : kSizes) {
    const auto copy = timed(bytes, [&] {
      std::memcpy(to, from.data(), static_cast<std::size_t>(bytes));
      __asm__ volatile("" : : "r"(to) : "memory");  // it is needed
    });
    const auto reduce = timed(bytes, [&] {
      native().Reduce_local(from.data(), to, static_cast<int>(bytes / 8), native().real,
                            native().op_sum);
    });
    times.push_back({bytes, copy, reduce});
  }
  return times;
}

Sample measure_page_fault() {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t pages = kFresh / page;
  std::vector<double> times;
  for (int round = 0; round < fewer(kRounds, kFewRounds); ++round) {
    void* const fresh =
        ::mmap(nullptr, kFresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return {};
    const std::int64_t begin = now_ns();
    for (std::size_t at = 0; at < kFresh; at += page) {
      static_cast<volatile std::byte*>(fresh)[at] = std::byte{1};
    }
    times.push_back(static_cast<double>(now_ns() - begin) / static_cast<double>(pages));
    ::munmap(fresh, kFresh);
  }
  return summary(std::move(times));
}

}  // namespace stretto::bench
