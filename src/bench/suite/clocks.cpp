#include "bench/suite/clocks.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/clock.hpp"
#include "mpi/native.hpp"

namespace stretto::bench {
namespace {

constexpr int kClockTag = 1;
// Clocks that differ by 10 ppm drift by 5 us in that time before a line is known, and hardly after.
constexpr std::int64_t kOldNs = 500'000'000;
// With many ranks readings are long: they take no more than so small a share of a cell's time.
constexpr std::int64_t kShareOfTime = 20;

}  // namespace

CommonClock::CommonClock(MPI_Comm comm, bool crowded) : comm_(comm), crowded_(crowded) {
  origin_ = now_ns();
  native().Bcast(&origin_, sizeof origin_, native().byte, 0, comm_);
  read();
}

void CommonClock::read_again() {
  if (kind_ != ClockModel::Kind::shared) read();
}

void CommonClock::keep_up() {
  if (kind_ == ClockModel::Kind::shared) return;
  int due = now_ns() - last_read_ > std::max(kOldNs, kShareOfTime * reading_ns_) ? 1 : 0;
  native().Bcast(&due, sizeof due, native().byte, 0, comm_);
  if (due != 0) read();
}

void CommonClock::read() {
  const std::int64_t begin = now_ns();
  int rank = 0;
  int size = 1;
  native().Comm_rank(comm_, &rank);
  native().Comm_size(comm_, &size);
  for (int other = 1; other < size; ++other) {
    if (rank == 0 || rank == other) {
      const ClockReading reading = read_with(rank, other);
      if (rank == other) model_.add(reading);
    }
  }
  const std::array<double, 3> mine{
      static_cast<double>(model_.kind()), model_.residual_ns(),
      model_.kind() == ClockModel::Kind::shared ? 0 : model_.error_ns() + model_.residual_ns()};
  std::array<double, 3> all{};
  native().Allreduce(mine.data(), all.data(), 3, native().real, native().op_max, comm_);
  kind_ = static_cast<ClockModel::Kind>(std::lround(all[0]));
  residual_ = all[1];
  // Of two ranks either may be off by as much, but rank 0 is not.
  uncertainty_ = size > 2 ? 2 * all[2] : all[2];
  ++readings_;
  last_read_ = now_ns();
  reading_ns_ = last_read_ - begin;
}

// The other rank asks rank 0 for its time. Of many round trips the shortest says most: the answer
// was written at some time within it.
ClockReading CommonClock::read_with(int rank, int other) const {
  const int trips = crowded_ ? 10 : 50;
  ClockReading best{
      .local_ns = 0, .offset_ns = 0, .error_ns = std::numeric_limits<double>::infinity()};
  for (int trip = 0; trip < trips; ++trip) {
    std::int64_t there = 0;
    if (rank == 0) {
      native().Recv(&there, sizeof there, native().byte, other, kClockTag, comm_,
                    MPI_STATUS_IGNORE);
      there = now_ns() - origin_;
      native().Send(&there, sizeof there, native().byte, other, kClockTag, comm_);
      continue;
    }
    const std::int64_t asked = now_ns() - origin_;
    native().Send(&there, sizeof there, native().byte, 0, kClockTag, comm_);
    native().Recv(&there, sizeof there, native().byte, 0, kClockTag, comm_, MPI_STATUS_IGNORE);
    const std::int64_t answered = now_ns() - origin_;
    const double half = static_cast<double>(answered - asked) / 2;
    if (half < best.error_ns) {
      best.local_ns = static_cast<double>(asked) + half;
      best.offset_ns = best.local_ns - static_cast<double>(there);
      best.error_ns = half;
    }
  }
  return best;
}

}  // namespace stretto::bench
