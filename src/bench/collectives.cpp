#include "bench/collectives.hpp"

#include <array>

#include "base/caches.hpp"
#include "bench/call.hpp"

namespace stretto::bench {
namespace {

// The nearer to each other where protocols change and caches end.
constexpr std::array<std::int64_t, 11> kSizes = {8,        256,       4 << 10,   32 << 10,
                                                 64 << 10, 128 << 10, 256 << 10, 512 << 10,
                                                 1 << 20,  2 << 20,   8 << 20};
constexpr std::int64_t kMostInAll = 64 << 20;  // bytes of a buffer of all ranks' blocks
constexpr Collective kMeasured[] = {
    Collective::barrier, Collective::bcast,   Collective::reduce,        Collective::allreduce,
    Collective::gather,  Collective::scatter, Collective::allgather,     Collective::alltoall,
    Collective::scan,    Collective::exscan,  Collective::reduce_scatter};
// Alone, a short call shows how far apart ranks leave the barrier before it: never fewer than four.
int in_a_row(std::int64_t bytes) { return fewer(8, bytes < kOutOfCaches ? 4 : 1); }
constexpr int kRepeats = 11;             // of a row, at least
constexpr int kMostRepeats = 200;        // as long as they take no longer than kEnough
constexpr double kEnough = 20'000'000;   // ns, for one size
constexpr double kLongest = 80'000'000;  // however few they are
// How buffers happen to lie in physical memory makes a call whose data come from caches faster or
// slower, for as long as the buffers are there: one pair of them shows what one program had, by
// chance. All are there at once, as freed pages are the next to be handed out.
constexpr int kPlacements = 5;
constexpr int kRowsInAPlace = 3;
constexpr int kColdRows = 5;
constexpr double kCached = 1'000'000;  // ns; what takes longer waits for something else
constexpr std::int64_t kPage = 4096;

class Caller {
 public:
  Caller(MPI_Comm comm, int size) : comm_(comm), size_(size) {}

  void call(Collective collective, std::int64_t bytes, int root) {
    const std::int64_t at = pair_ * room(bytes);
    std::byte* const in = buffers_->in.data() + at;
    std::byte* const out = buffers_->out.data() + kApart + at;
    call_collective(native(), collective, bytes, in, out, root, comm_);
  }

  // With the same buffers again and again, as long as caches hold them.
  Sample measure(Collective collective, std::int64_t bytes) {
    if (bytes >= kOutOfCaches) return measure_in_turn(collective, bytes, kRepeats);
    near_.resize(std::min<std::int64_t>(pairs(bytes), kPlacements) * room(bytes));
    use(near_);
    row(collective, bytes);
    const double estimate = row(collective, bytes);
    std::vector<double> times;
    if (estimate > kCached) {
      times = rows(collective, bytes, affordable(bytes, estimate, kRepeats));
      times.push_back(estimate);
      return average(times);
    }
    const int places = static_cast<int>(std::min<std::int64_t>(pairs(bytes), fewer(kPlacements)));
    const int rows_in_all = places * fewer(kRowsInAPlace);
    const int in_a_place = std::max(affordable(bytes, estimate, rows_in_all) / places, 1);
    for (pair_ = 0; pair_ < places; ++pair_) {
      row(collective, bytes);  // the first calls in a place are slower, by a third
      times.push_back(average(rows(collective, bytes, in_a_place)).typical);
    }
    return average(times);
  }

  // With buffers that nobody has used for longer than caches remember.
  Sample measure_in_turn(Collective collective, std::int64_t bytes, int repeats) {
    far_.resize(kMostInAll);  // the first time: it takes longer than to measure
    use(far_);
    in_turn_ = pairs(bytes);
    row(collective, bytes);
    const double estimate = row(collective, bytes);
    std::vector<double> times = rows(collective, bytes, affordable(bytes, estimate, repeats));
    times.push_back(estimate);
    in_turn_ = 1;
    return average(times);
  }

 private:
  struct Buffers {
    std::vector<std::byte> in{};  // zeros: numbers, too
    std::vector<std::byte> out{};

    // In new memory, no larger than it need be: so programs have them.
    void resize(std::int64_t bytes) {
      if (std::ssize(in) == bytes) return;
      in = std::vector<std::byte>(static_cast<std::size_t>(bytes));
      out = std::vector<std::byte>(in.size() + kApart);
    }
  };

  void use(Buffers& buffers) {
    buffers_ = &buffers;
    pair_ = 0;
  }

  // Rows of calls that take so long each.
  static int affordable(std::int64_t bytes, double call, int least) {
    const double row = in_a_row(bytes) * call;
    const double wanted =
        std::clamp(share_of_time() * kEnough / row, 1.0 * least, 1.0 * kMostRepeats);
    return static_cast<int>(std::clamp(share_of_time() * kLongest / row, 2.0, wanted));
  }

  std::vector<double> rows(Collective collective, std::int64_t bytes, int count) {
    std::vector<double> times(static_cast<std::size_t>(count));
    for (double& time : times) time = row(collective, bytes);
    return times;
  }

  // A call's, of the slowest rank, the same on all.
  double row(Collective collective, std::int64_t bytes) {
    const int calls = in_a_row(bytes);
    native().Barrier(comm_);
    const std::int64_t begin = now_ns();
    for (int i = 0; i < calls; ++i) {
      if (in_turn_ > 1) pair_ = (pair_ + 1) % in_turn_;
      call(collective, bytes, i % size_);
    }
    const auto mine = static_cast<double>(now_ns() - begin) / calls;
    std::vector<double> all(static_cast<std::size_t>(size_));
    native().Allgather(&mine, sizeof mine, native().byte, all.data(), sizeof mine, native().byte,
                       comm_);
    return *std::max_element(all.begin(), all.end());
  }

  // Of one buffer of all ranks' blocks, in whole pages.
  [[nodiscard]] std::int64_t room(std::int64_t bytes) const {
    return (bytes_of_all(bytes, size_) + kPage - 1) / kPage * kPage;
  }
  [[nodiscard]] std::int64_t pairs(std::int64_t bytes) const {
    return std::max<std::int64_t>(kMostInAll / room(bytes), 1);
  }

  MPI_Comm comm_;
  int size_;
  Buffers near_{};  // of few pairs
  Buffers far_{};   // of more than caches hold
  Buffers* buffers_ = &near_;
  std::int64_t pair_ = 0;     // of them
  std::int64_t in_turn_ = 1;  // pairs
};

}  // namespace

std::vector<CollectiveTime> measure_collectives(MPI_Comm comm) {
  int size = 1;
  native().Comm_size(comm, &size);
  std::vector<CollectiveTime> times;
  if (size == 1) return times;
  Caller caller(comm, size);
  for (const Collective collective : kMeasured) {
    for (const std::int64_t bytes : kSizes) {
      if (bytes * size > kMostInAll / 2) break;
      const Sample time = caller.measure(collective, bytes);
      times.push_back({collective, bytes, in_a_row(bytes), time});
      const bool cached = bytes < kOutOfCaches && time.typical <= kCached;
      if (cached && bytes >= kShowsCaches && collective != Collective::barrier) {
        times.back().cold = caller.measure_in_turn(collective, bytes, kColdRows);
      }
      // On a slow network the next would take long, and show nothing new.
      if (collective == Collective::barrier || times.back().time.typical > kLongest / 4) break;
    }
  }
  return times;
}

}  // namespace stretto::bench
