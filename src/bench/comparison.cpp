#include "bench/comparison.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "bench/call.hpp"
#include "bench/samples.hpp"

namespace stretto::bench {
namespace {

constexpr int kInARow = 8;
constexpr int kFewestRounds = 5;
constexpr double kShort = 1'000'000;        // ns: of longer calls one is enough
constexpr double kLongest = 2'000'000'000;  // ns, for one pattern of one comparison

class Trial {
 public:
  Trial(const Comparison& comparison, MPI_Comm comm, const Native& through)
      : comparison_(comparison), comm_(comm), through_(through) {
    native().Comm_rank(comm, &rank_);
    native().Comm_size(comm, &size_);
    const auto room = static_cast<std::size_t>(bytes_of_all(comparison.bytes, size_));
    in_.resize(room);
    out_.resize(room + kApart);
  }

  // A call's time where this rank is so late, the mean of all ranks, the same on all.
  double time(int calls, double late, int round) {
    native().Barrier(comm_);
    const std::int64_t free = now_ns();
    while (static_cast<double>(now_ns() - free) < late) {
    }
    const std::int64_t begin = now_ns();
    // Of several in a row each has another root; alone it is rank 0, as in most programs: who is
    // late matters more to some roots than to others.
    for (int i = 0; i < calls; ++i) call((calls - 1) * (round + i) % size_);
    const auto mine = static_cast<double>(now_ns() - begin) / calls;
    double all = 0;
    native().Allreduce(&mine, &all, 1, native().real, native().op_sum, comm_);
    return all / size_;
  }

  [[nodiscard]] double late(const std::vector<double>& pattern) const {
    return pattern[static_cast<std::size_t>(rank_)];
  }

 private:
  void call(int root) {
    call_collective(through_, comparison_.collective, comparison_.bytes, in_.data(),
                    out_.data() + kApart, root, comm_);
  }

  const Comparison& comparison_;
  MPI_Comm comm_;
  const Native& through_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::byte> in_{};  // zeros: numbers, too
  std::vector<std::byte> out_{};
};

bool has_late_ranks(const std::vector<double>& pattern) {
  return std::ranges::any_of(pattern, [](double late) { return late > 0; });
}

}  // namespace

ComparisonTimes hold(const Comparison& comparison, MPI_Comm comm, const Native& through,
                     const std::function<void(int way)>& use) {
  Trial trial(comparison, comm, through);
  double slowest = 0;
  for (int way = 0; way < comparison.ways; ++way) {  // plans are built, connections made
    use(way);
    static_cast<void>(trial.time(1, 0, 0));
    slowest = std::max(slowest, trial.time(1, 0, 1));
  }
  ComparisonTimes times;
  for (const std::vector<double>& pattern : comparison.patterns) {
    const bool alone = has_late_ranks(pattern) || slowest > kShort;
    auto& ways = times.emplace_back(static_cast<std::size_t>(comparison.ways));
    double spent = 0;
    for (int round = 0; round < comparison.rounds; ++round) {
      if (round >= kFewestRounds && spent > kLongest) break;
      for (int turn = 0; turn < comparison.ways; ++turn) {
        const int way = (round + turn) % comparison.ways;
        use(way);
        const int calls = alone ? 1 : kInARow;
        // What runs a call is found out by the first of its like.
        if (slowest <= kShort) static_cast<void>(trial.time(calls, 0, round));
        const double time = trial.time(calls, trial.late(pattern), round);
        ways[static_cast<std::size_t>(way)].push_back(time);
        spent += time * calls;
      }
    }
  }
  return times;
}

}  // namespace stretto::bench
