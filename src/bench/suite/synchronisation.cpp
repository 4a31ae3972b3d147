#include "bench/suite/synchronisation.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "mpi/native.hpp"

namespace stretto::bench {
namespace {

constexpr int kSynchronisationTag = 2;
constexpr int kTries = 20;
constexpr double kEnoughValid = 0.9;
constexpr double kTooFewValid = 0.5;
constexpr std::int64_t kFarthestAhead = 1'000'000;
// Where ranks share cores they give them up until so long before the time has come.
constexpr std::int64_t kAwakeBefore = 60'000;

bool has_times(Scheme scheme) { return scheme == Scheme::window || scheme == Scheme::round_time; }

}  // namespace

Synchronisation::Synchronisation(Scheme scheme, MPI_Comm comm, const CommonClock& clocks,
                                 bool crowded)
    : scheme_(scheme),
      is_free_(scheme == Scheme::automatic),
      comm_(comm),
      clocks_(clocks),
      crowded_(crowded) {
  native().Comm_rank(comm, &rank_);
  native().Comm_size(comm, &size_);
  if (scheme == Scheme::automatic) scheme_ = crowded ? Scheme::barrier : Scheme::round_time;
  if (!has_times(scheme_)) return;
  // The slowest of some on the slowest rank: from then on all know.
  std::int64_t slowest = 0;
  for (int i = 0; i < kTries; ++i) {
    native().Barrier(comm_);
    const std::int64_t begin = now_ns();
    std::int64_t nothing = 0;
    native().Bcast(&nothing, sizeof nothing, native().byte, 0, comm_);
    native().Barrier(comm_);
    if (i > kTries / 2) slowest = std::max(slowest, now_ns() - begin);
  }
  auto mine = static_cast<double>(slowest);
  double all = 0;
  native().Allreduce(&mine, &all, 1, native().real, native().op_max, comm_);
  message_ns_ = std::clamp<std::int64_t>(std::llround(all), 1'000, 1'000'000);
  ahead_ns_ = 3 * message_ns_;
}

void Synchronisation::begin_batch(int repetitions, std::int64_t usual_ns) {
  begins_.assign(static_cast<std::size_t>(repetitions), 0);
  if (scheme_ != Scheme::window) return;
  // A quarter more than one takes: of windows that are too short every one is missed.
  window_ = usual_ns + usual_ns / 4 + message_ns_;
  first_ = clocks_.common(now_ns()) + 10 * ahead_ns_;
  native().Bcast(&first_, sizeof first_, native().byte, 0, comm_);
}

void Synchronisation::wait(int i) {
  auto& begin = begins_[static_cast<std::size_t>(i)];
  switch (scheme_) {
    case Scheme::automatic:
    case Scheme::none:
      break;
    case Scheme::double_barrier:
      native().Barrier(comm_);
      native().Barrier(comm_);
      break;
    case Scheme::barrier:
      native().Barrier(comm_);
      break;
    case Scheme::dissemination:
      disseminate();
      break;
    case Scheme::window:
      begin = first_ + window_ * i;
      wait_until(begin);
      break;
    case Scheme::round_time:
      // Nobody is at work on the repetition before when rank 0 says when the next one begins.
      native().Barrier(comm_);
      begin = clocks_.common(now_ns()) + ahead_ns_;
      native().Bcast(&begin, sizeof begin, native().byte, 0, comm_);
      wait_until(begin);
      break;
  }
}

std::vector<bool> Synchronisation::valid(const std::vector<std::int64_t>& arrived,
                                         const std::vector<std::int64_t>& entered,
                                         std::int64_t late_by, std::int64_t tolerance_ns) const {
  const std::size_t count = arrived.size();
  std::vector<double> wrong(count, 0);
  if (has_times(scheme_)) {
    for (std::size_t i = 0; i < count; ++i) {
      wrong[i] = entered[i] - begins_[i] - late_by > tolerance_ns ? 1 : 0;
    }
  } else if (scheme_ != Scheme::none) {
    // A barrier lets nobody go before all have come.
    std::vector<double> mine(arrived.begin(), arrived.end());
    std::vector<double> last(count);
    native().Allreduce(mine.data(), last.data(), static_cast<int>(count), native().real,
                       native().op_max, comm_);
    for (std::size_t i = 0; i < count; ++i) {
      const double begun = static_cast<double>(entered[i]) + clocks_.uncertainty_ns();
      wrong[i] = begun < last[i] ? 1 : 0;
    }
  }
  std::vector<double> anywhere(count);
  native().Allreduce(wrong.data(), anywhere.data(), static_cast<int>(count), native().real,
                     native().op_max, comm_);
  std::vector<bool> valid(count);
  for (std::size_t i = 0; i < count; ++i) valid[i] = anywhere[i] == 0;
  return valid;
}

void Synchronisation::learn_from(double valid_share, bool counts) {
  if (!has_times(scheme_) || valid_share >= kEnoughValid) return;
  if (is_free_ && !counts && valid_share < kTooFewValid) scheme_ = Scheme::barrier;
  ahead_ns_ = std::max(ahead_ns_, std::min(2 * ahead_ns_, kFarthestAhead));
}

void Synchronisation::disseminate() const {
  char out = 0;
  char in = 0;
  for (int distance = 1; distance < size_; distance *= 2) {
    native().Sendrecv(&out, 1, native().byte, (rank_ + distance) % size_, kSynchronisationTag, &in,
                      1, native().byte, (rank_ - distance % size_ + size_) % size_,
                      kSynchronisationTag, comm_, MPI_STATUS_IGNORE);
  }
}

void Synchronisation::wait_until(std::int64_t common_ns) const {
  const std::int64_t time = clocks_.local(common_ns);
  if (crowded_) {
    const std::int64_t left = time - now_ns() - kAwakeBefore;
    if (left > 0) sleep_ns(left);
  }
  while (now_ns() < time) {
  }
}

}  // namespace stretto::bench
