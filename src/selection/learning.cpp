#include "selection/learning.hpp"

#include <algorithm>

namespace stretto {
namespace {

// Slower than the best by so much in a screening: out of this comparison, or of all.
constexpr double kOut = 2;
constexpr double kHopeless = 10;
// What runs calls without learning stays where no other is faster by more.
constexpr double kGain = 0.95;
// A winner may be slower in a check than the fastest, or than it was, before all is asked again.
constexpr double kBehind = 1.25;
constexpr double kDrift = 1.5;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// The lower one of an even number.
double median(std::span<double> values) {
  const auto middle = values.begin() + (static_cast<std::ptrdiff_t>(values.size()) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

Contest::Contest(std::vector<Choice> contenders, bool first_is_native)
    : first_is_native_(first_is_native), contenders_(std::move(contenders)) {
  contenders_.resize(std::min(contenders_.size(), kMostContenders));
  if (contenders_.size() < 2) next_ = kNever;
  stand(0);
}

void Contest::know(std::size_t winner, std::span<const double> times_ns) {
  next_ = 1;
  knows_winner_ = true;
  stand(winner);
  std::ranges::copy(times_ns.first(contenders_.size()), times_.begin());
}

void Contest::stand(std::size_t contender) {
  standing_ = contender;
  is_native_ = is_native(contender);
}

bool Contest::takes_part(std::size_t contender) const {
  return !is_out_[contender] && !is_hopeless_[contender];
}

// No contender has the same one before it in all rounds that compare. In a screening what others
// are held against comes first.
void Contest::begin_round(Phase phase, std::int64_t first_call) {
  phase_ = phase;
  in_round_ = 0;
  const bool screens = phase == Phase::screening;
  const std::size_t first = screens ? standing_ : static_cast<std::size_t>(round_);
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const std::size_t next = (first + i) % contenders_.size();
    if (takes_part(next)) order_[in_round_++] = next;
  }
  if (!screens && round_ % 2 == 1) {
    std::reverse(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(in_round_));
  }
  place_ = 0;
  next_ = first_call;
}

bool Contest::end(double ns) {
  if (phase_ == Phase::opening) return true;
  if (in_burst_ > 0) counted_[static_cast<std::size_t>(in_burst_) - 1] = ns;
  if (++in_burst_ < burst()) return false;
  said_ = median(std::span(counted_).first(static_cast<std::size_t>(in_burst_) - 1));
  in_burst_ = 0;
  return true;
}

void Contest::open(bool all_agree) {
  if (!all_agree) {
    stand(0);
    next_ = kNever;
  } else if (knows_winner_) {
    await_check();
  } else {
    begin_round(Phase::screening, calls_ + 1);
  }
}

// Of those that take part, of whom there is at least one.
std::size_t Contest::best_of(const Times& times) const {
  std::size_t best = standing_;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (takes_part(i) && (!takes_part(best) || times[i] < times[best])) best = i;
  }
  return best;
}

void Contest::screen() {
  const std::size_t best = best_of(times_);
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (!takes_part(i)) continue;
    is_out_[i] = times_[i] > kOut * times_[best];
    is_hopeless_[i] = times_[i] > kHopeless * times_[best];
  }
  if (!takes_part(standing_)) stand(best);
}

void Contest::decide() {
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (!takes_part(i)) continue;
    std::array<double, kRounds> values{};
    for (std::size_t round = 0; round < values.size(); ++round) values[round] = rounds_[round][i];
    times_[i] = median(values);
  }
  const std::size_t best = best_of(times_);
  // Where times scatter one may seem faster by chance, but hardly each time.
  const bool is_steady =
      std::ranges::all_of(rounds_, [best](const Times& round) { return round[best] < round[0]; });
  const bool wins = !takes_part(0) || (is_steady && times_[best] < kGain * times_[0]);
  stand(wins ? best : 0);
  await_check();
}

// Who was out has another chance: it may have been slow for a while only.
void Contest::await_check() {
  is_out_ = {};
  // What would run the calls without learning may have been slow for as long only as a rank was
  // late.
  if (check_after_ == kLastCheck) is_hopeless_[0] = false;
  begin_round(Phase::checking, calls_ + check_after_);
  check_after_ = std::min(4 * check_after_, kLastCheck);
}

bool Contest::holds() const {
  const double now = round_times_[standing_];
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (takes_part(i) && now > kBehind * round_times_[i]) return false;
  }
  return now < kDrift * times_[standing_] && times_[standing_] < kDrift * now;
}

bool Contest::agree(double time_ns) {
  round_times_[order_[place_]] = time_ns;
  const bool screens = phase_ == Phase::screening;
  const double usual = screens ? round_times_[standing_] : times_[standing_];
  const double lost = usual > 0 ? burst() * std::max(0.0, time_ns / usual - 1) : 0;
  // A rank that was late may have made it seem much.
  const double rest = std::min(kApartForEachLost * lost, static_cast<double>(kFirstCheck));
  next_ = calls_ + 1 + kApart + static_cast<std::int64_t>(rest);
  return ++place_ == in_round_ && end_round();
}

bool Contest::end_round() {
  switch (phase_) {
    case Phase::opening:
      return false;
    case Phase::screening:
      for (std::size_t i = 0; i < contenders_.size(); ++i) {
        if (takes_part(i)) times_[i] = round_times_[i];
      }
      screen();
      round_ = 0;
      begin_round(Phase::comparing, next_);
      return false;
    case Phase::comparing:
      rounds_[static_cast<std::size_t>(round_)] = round_times_;
      if (++round_ < kRounds) {
        begin_round(Phase::comparing, next_);
        return false;
      }
      decide();
      return true;
    case Phase::checking:
      break;
  }
  ++round_;
  if (holds()) {
    await_check();
  } else {
    is_out_ = {};
    begin_round(Phase::screening, next_);
  }
  return false;
}

}  // namespace stretto
