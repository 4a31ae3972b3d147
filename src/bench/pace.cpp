#include "bench/pace.hpp"

#include "bench/samples.hpp"

namespace stretto::bench {
namespace {

constexpr int kTag = 5;
constexpr int kTogether = 10;  // exchanges
constexpr std::size_t kMost = 20;
constexpr std::int64_t kEnough = 2'000'000;  // ns

}  // namespace

std::optional<double> exchange_with_neighbor(MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  native().Comm_rank(comm, &rank);
  native().Comm_size(comm, &size);
  const int neighbor = rank ^ 1;
  if (neighbor >= size) return {};
  std::vector<double> times;
  const std::int64_t begin = now_ns();
  // The even one's word is when both stop.
  std::int64_t stops = 0;
  static_assert(sizeof stops == kPaceBytes);
  while (stops == 0) {
    const std::int64_t before = now_ns();
    for (int i = 0; i < kTogether && stops == 0; ++i) {
      const bool is_last = i + 1 == kTogether && times.size() == kMost;
      std::int64_t mine = is_last || now_ns() - begin > kEnough ? 1 : 0;
      std::int64_t theirs = 0;
      native().Sendrecv(&mine, kPaceBytes, native().byte, neighbor, kTag, &theirs, kPaceBytes,
                        native().byte, neighbor, kTag, comm, MPI_STATUS_IGNORE);
      stops = rank < neighbor ? mine : theirs;
    }
    if (stops == 0) times.push_back(static_cast<double>(now_ns() - before) / kTogether);
  }
  // The first ones set things up.
  if (times.size() < 2) return {};
  times.erase(times.begin());
  return summary(std::move(times)).typical;
}

}  // namespace stretto::bench
