#include "bench/collectives.hpp"

#include <array>
#include <utility>

namespace stretto::bench {
namespace {

// The nearer to each other where protocols change and caches end.
constexpr std::array<std::int64_t, 11> kSizes = {8,        256,       4 << 10,   32 << 10,
                                                 64 << 10, 128 << 10, 256 << 10, 512 << 10,
                                                 1 << 20,  2 << 20,   8 << 20};
constexpr std::int64_t kMostInAll = 64 << 20;  // bytes of a buffer of all ranks' blocks
constexpr std::int64_t kShowsCaches = 16
                                      << 10;  // with less, a call's data are not what it waits for
constexpr Collective kMeasured[] = {
    Collective::barrier, Collective::bcast,   Collective::reduce,        Collective::allreduce,
    Collective::gather,  Collective::scatter, Collective::allgather,     Collective::alltoall,
    Collective::scan,    Collective::exscan,  Collective::reduce_scatter};
// Alone, a short call shows how far apart ranks leave the barrier before it.
constexpr int kInARow = 8;
constexpr int kRepeats = 11;             // of a row
constexpr double kLongest = 80'000'000;  // ns, for one size
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
    const Native& mpi = native();
    const std::int64_t at = pair_ * room(bytes);
    std::byte* const in = in_.data() + at;
    std::byte* const out = out_.data() + kApart + at;
    const MPI_Datatype type = mpi.byte;
    const int n = static_cast<int>(bytes);
    const int doubles = std::max(n / 8, 1);
    switch (collective) {
      case Collective::barrier:
        mpi.Barrier(comm_);
        break;
      case Collective::bcast:
        mpi.Bcast(out, n, type, root, comm_);
        break;
      case Collective::reduce:
        mpi.Reduce(in, out, doubles, mpi.real, mpi.op_sum, root, comm_);
        break;
      case Collective::allreduce:
        mpi.Allreduce(in, out, doubles, mpi.real, mpi.op_sum, comm_);
        break;
      case Collective::gather:
        mpi.Gather(in, n, type, out, n, type, root, comm_);
        break;
      case Collective::scatter:
        mpi.Scatter(in, n, type, out, n, type, root, comm_);
        break;
      case Collective::allgather:
        mpi.Allgather(in, n, type, out, n, type, comm_);
        break;
      case Collective::alltoall:
        mpi.Alltoall(in, n, type, out, n, type, comm_);
        break;
      case Collective::scan:
        mpi.Scan(in, out, doubles, mpi.real, mpi.op_sum, comm_);
        break;
      case Collective::exscan:
        mpi.Exscan(in, out, doubles, mpi.real, mpi.op_sum, comm_);
        break;
      case Collective::reduce_scatter:
        mpi.Reduce_scatter_block(in, out, doubles, mpi.real, mpi.op_sum, comm_);
        break;
      default:
        break;
    }
  }

  Sample measure(Collective collective, std::int64_t bytes) {
    // As a program has them: no larger than they need be.
    const auto all = static_cast<std::size_t>(pairs(bytes) * room(bytes));
    in_ = std::vector<std::byte>(all);
    out_ = std::vector<std::byte>(all + kApart);
    pair_ = 0;
    row(collective, bytes);
    const double estimate = row(collective, bytes);
    std::vector<double> times;
    if (bytes >= kOutOfCaches || estimate > kCached) {  // the former lie in many places anyway
      times =
          rows(collective, bytes,
               static_cast<int>(std::clamp(kLongest / (kInARow * estimate), 2.0, 1.0 * kRepeats)));
      times.push_back(estimate);
      return summary(std::move(times));
    }
    for (pair_ = 0; pair_ < pairs(bytes); ++pair_) {
      row(collective, bytes);  // the first calls in a place are slower, by a third
      times.push_back(summary(rows(collective, bytes, kRowsInAPlace)).median);
    }
    return summary(std::move(times));
  }

  // With buffers that nobody has used for longer than caches remember.
  std::optional<Sample> measure_cold(Collective collective, std::int64_t bytes, double warm) {
    if (bytes < kShowsCaches || bytes >= kOutOfCaches || warm > kCached) return {};
    // Kept from one measurement to the next: they take longer to make than to measure with.
    much_in_.resize(kMostInAll);
    much_out_.resize(kMostInAll + kApart);
    std::swap(in_, much_in_);
    std::swap(out_, much_out_);
    in_turn_ = true;
    row(collective, bytes);
    const Sample cold = summary(rows(collective, bytes, kColdRows));
    in_turn_ = false;
    std::swap(in_, much_in_);
    std::swap(out_, much_out_);
    return cold;
  }

 private:
  std::vector<double> rows(Collective collective, std::int64_t bytes, int count) {
    std::vector<double> times(static_cast<std::size_t>(count));
    for (double& time : times) time = row(collective, bytes);
    return times;
  }

  // A call's, of the slowest rank, the same on all.
  double row(Collective collective, std::int64_t bytes) {
    native().Barrier(comm_);
    const std::int64_t begin = now_ns();
    for (int i = 0; i < kInARow; ++i) {
      if (in_turn_ || bytes >= kOutOfCaches) pair_ = (pair_ + 1) % pairs(bytes);
      call(collective, bytes, i % size_);
    }
    const auto mine = static_cast<double>(now_ns() - begin) / kInARow;
    std::vector<double> all(static_cast<std::size_t>(size_));
    native().Allgather(&mine, sizeof mine, native().byte, all.data(), sizeof mine, native().byte,
                       comm_);
    return *std::max_element(all.begin(), all.end());
  }

  // Of one buffer of all ranks' blocks, in whole pages.
  [[nodiscard]] std::int64_t room(std::int64_t bytes) const {
    const std::int64_t needed = std::max<std::int64_t>(bytes, 8) * size_;
    return (needed + kPage - 1) / kPage * kPage;
  }
  [[nodiscard]] std::int64_t pairs(std::int64_t bytes) const {
    const std::int64_t most = std::max<std::int64_t>(kMostInAll / room(bytes), 1);
    const bool all = in_turn_ || bytes >= kOutOfCaches;
    return all ? most : std::min<std::int64_t>(most, kPlacements);
  }

  MPI_Comm comm_;
  int size_;
  std::int64_t pair_ = 0;      // of buffers
  bool in_turn_ = false;       // all that there are
  std::vector<std::byte> in_;  // zeros: numbers, too
  std::vector<std::byte> out_;
  std::vector<std::byte> much_in_;  // more than caches hold
  std::vector<std::byte> much_out_;
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
      const auto cold = collective == Collective::barrier
                            ? std::nullopt
                            : caller.measure_cold(collective, bytes, time.median);
      times.push_back({collective, bytes, kInARow, time, cold});
      // On a slow network the next would take long, and tell nothing new.
      if (collective == Collective::barrier || times.back().time.median > kLongest / 4) break;
    }
  }
  return times;
}

}  // namespace stretto::bench
