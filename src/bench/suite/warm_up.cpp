#include "bench/suite/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stretto::bench {
namespace {

constexpr std::size_t kLeastBlock = 5;
constexpr std::size_t kTelling = 64;  // calls after which to be alike is enough, if they are dear
constexpr std::int64_t kMany = 1024;  // and if they are cheap
constexpr std::int64_t kShareForMany = 10;
constexpr std::int64_t kMost = 4096;  // calls of a warm-up, unless more are asked for
constexpr std::int64_t kShareOfBudget = 4;
constexpr double kAlike = 0.05;
constexpr double kGrainNs = 50;
constexpr double kStandardErrors = 3;
// Of a median: from the median absolute deviation of normal noise.
constexpr double kErrorOfDeviation = 1.4826 * 1.2533;

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

struct BlockOfCalls {
  double typical = 0;
  double error = 0;  // of that
};

BlockOfCalls block_of(std::span<const double> times) {
  const double typical = median({times.begin(), times.end()});
  std::vector<double> deviations;
  deviations.reserve(times.size());
  for (const double time : times) deviations.push_back(std::abs(time - typical));
  const double noise = median(std::move(deviations));
  return {.typical = typical,
          .error = kErrorOfDeviation * noise / std::sqrt(static_cast<double>(times.size()))};
}

}  // namespace

CallsSoFar judge(std::span<const double> times_ns) {
  const std::size_t length = std::max(kLeastBlock, times_ns.size() / 4);
  if (times_ns.size() < 2 * length) return CallsSoFar::too_few;
  const BlockOfCalls last = block_of(times_ns.last(length));
  const BlockOfCalls before = block_of(times_ns.last(2 * length).first(length));
  const double noise = kStandardErrors * std::hypot(last.error, before.error);
  const double bound = std::max({noise, kAlike * std::min(last.typical, before.typical), kGrainNs});
  return std::abs(last.typical - before.typical) > bound ? CallsSoFar::changing : CallsSoFar::alike;
}

int more_warm_up(std::span<const double> times_ns, std::int64_t spent_ns,
                 const Settings& settings) {
  const std::int64_t count = std::ssize(times_ns);
  // Without a warm-up the first calls are what is asked for.
  if (count < settings.warmup || settings.warmup == 0) {
    return static_cast<int>(settings.warmup - count);
  }
  const bool enough = count >= kMany || spent_ns >= settings.budget_ns / kShareForMany;
  if (times_ns.size() >= kTelling && enough && judge(times_ns) == CallsSoFar::alike) return 0;
  const std::int64_t usual = std::max<std::int64_t>(spent_ns / count, 1);
  const std::int64_t affordable = (settings.budget_ns / kShareOfBudget - spent_ns) / usual;
  // As many again, so that half of all are later than whatever has been seen to change.
  const std::int64_t next = std::min({count, affordable, kMost - count});
  return static_cast<int>(std::max<std::int64_t>(next, 0));
}

}  // namespace stretto::bench
