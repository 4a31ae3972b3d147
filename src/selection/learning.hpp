// Which of a few choices runs one kind of call fastest, found out by the program's own calls.
//
// A state machine that knows no MPI and no clock. What it does at which call depends only on the
// number of the call and on what the ranks have agreed on, so it is the same on all of them:
//
//   opening    the first calls run as they would without learning; then the ranks agree to begin
//   screening  a round of short bursts: who takes more than twice the best is out
//   comparing  rounds of bursts, in another order each; the fastest of them is the winner
//   decided    the winner runs the calls; seldom, at calls ever further apart, a round checks that
//              it still is the fastest and as fast as it was, else all is asked again
//
// Bursts are apart, the more the more time the last one has cost, so that at no time much more than
// a twentieth has been lost to slow contenders.
// The first call of a burst is not counted: it finds caches cold, and may build a schedule.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "schedule/shape.hpp"
#include "selection/selection.hpp"

namespace stretto {

class Contest {
 public:
  static constexpr std::size_t kMostContenders = 6;
  static constexpr std::int64_t kWarmUp = 128;     // calls before the opening
  static constexpr std::int64_t kApart = 8;        // between bursts, at least, and so many more
  static constexpr double kApartForEachLost = 25;  // for each call that could have run meanwhile
  static constexpr int kScreened = 3;              // calls of a screening's burst
  static constexpr int kBurst = 4;                 // of others
  static constexpr int kRounds = 3;
  static constexpr std::int64_t kFirstCheck = 1024;  // calls after a decision
  static constexpr std::int64_t kLastCheck = 65536;  // and at most so many after a check

  // The first contender stands for what runs a call without learning: the MPI, whatever the call's
  // size, where `first_is_native`.
  explicit Contest(std::vector<Choice> contenders, bool first_is_native = false);
  // The winner of an earlier run, with every contender's time in it (0: unknown): there is no
  // warm-up. Before the first call.
  void know(std::size_t winner, std::span<const double> times_ns);

  struct Turn {
    std::size_t contender = 0;  // that runs the call
    bool is_timed = false;      // `end` is to know how long it took on this rank
  };
  // A call begins.
  [[nodiscard]] Turn begin() {
    if (++calls_ < next_) [[likely]]
      return {standing_, false};
    return {order_[place_], true};
  }
  // The same where that leaves the call to the MPI and to nobody's clock; else nothing begins.
  [[nodiscard, gnu::always_inline]] bool pass() {
    if (!is_native_ || calls_ + 1 >= next_) return false;
    ++calls_;
    return true;
  }
  // The same where selection's choice runs it, whatever that is.
  [[nodiscard]] bool pass_to_first() {
    if (standing_ != 0 || calls_ + 1 >= next_) return false;
    ++calls_;
    return true;
  }
  // A timed call has ended. True: now the ranks have to agree, on whether to open the contest or
  // on a time, of what each has `said()`.
  [[nodiscard]] bool end(double ns);
  [[nodiscard]] bool is_opening() const { return phase_ == Phase::opening; }
  void open(bool all_agree);
  [[nodiscard]] double said() const { return said_; }
  // Most of it the most that any rank said, as that holds up the program, and some the mean: where
  // somebody has to wait for a late rank whatever runs the call, as a root that gathers, the most
  // tells nothing of how many others wait, too.
  [[nodiscard]] static double time_of(double most_ns, double sum_ns, int ranks) {
    return (5 * most_ns + 2 * sum_ns / ranks) / 7;
  }
  // True: a winner has been found.
  bool agree(double time_ns);

  [[nodiscard]] const Choice& choice(std::size_t contender) const { return contenders_[contender]; }
  // It is the MPI, for calls of any size.
  [[nodiscard]] bool is_native(std::size_t contender) const {
    return contender == 0 ? first_is_native_ : contenders_[contender].algorithm == nullptr;
  }
  [[nodiscard]] std::size_t contenders() const { return contenders_.size(); }
  [[nodiscard]] std::size_t standing() const { return standing_; }
  // As agreed last, in ns; 0 where there was nothing to agree on.
  [[nodiscard]] double time(std::size_t contender) const { return times_[contender]; }
  [[nodiscard]] std::int64_t calls() const { return calls_; }

 private:
  enum class Phase : std::uint8_t { opening, screening, comparing, checking };
  using Times = std::array<double, kMostContenders>;

  void stand(std::size_t contender);
  void begin_round(Phase phase, std::int64_t first_call);
  [[nodiscard]] bool takes_part(std::size_t contender) const;
  [[nodiscard]] int burst() const { return phase_ == Phase::screening ? kScreened : kBurst; }
  [[nodiscard]] std::size_t best_of(const Times& times) const;
  void screen();
  void decide();
  // Is the winner still what it was?
  [[nodiscard]] bool holds() const;
  bool end_round();
  void await_check();

  std::int64_t calls_ = 0;
  std::int64_t next_ = kWarmUp;  // from this call on they are timed
  std::size_t standing_ = 0;     // runs those before
  bool is_native_ = false;       // which is the MPI
  // Of the round: who has a burst, in this order; whose burst it is, and how far it has got.
  std::array<std::size_t, kMostContenders> order_{};
  std::size_t in_round_ = 1;
  std::size_t place_ = 0;
  int in_burst_ = 0;
  std::array<double, kBurst - 1> counted_{};
  Phase phase_ = Phase::opening;
  bool first_is_native_ = false;
  bool knows_winner_ = false;  // from an earlier run
  int round_ = 0;
  std::int64_t check_after_ = kFirstCheck;
  double said_ = 0;
  Times times_{};
  Times round_times_{};                              // agreed in this round
  std::array<Times, kRounds> rounds_{};              // agreed when comparing
  std::array<bool, kMostContenders> is_out_{};       // of this comparison
  std::array<bool, kMostContenders> is_hopeless_{};  // of all
  std::vector<Choice> contenders_;
};

// A communicator's contests: one for each kind of call, by collective, number of bits that the
// bytes take, and whether the operation commutes.
class Contests {
 public:
  static constexpr std::size_t kSizes = 32;

  struct Kind {
    Collective collective{};
    std::size_t size_class = 0;
    bool commutative = true;

    friend bool operator==(const Kind&, const Kind&) = default;
  };
  // Empty where there is none yet.
  [[nodiscard]] std::unique_ptr<Contest>& of(const Kind& kind) {
    const std::size_t index = index_of(kind);
    for (auto& [of, contest] : all_) {
      if (of == index) return contest;
    }
    return all_.emplace_back(index, nullptr).second;
  }
  [[nodiscard]] static std::size_t index_of(const Kind& kind) {
    return (static_cast<std::size_t>(kind.collective) * kSizes + kind.size_class) * 2 +
           (kind.commutative ? 0 : 1);
  }

 private:
  std::vector<std::pair<std::size_t, std::unique_ptr<Contest>>> all_;  // few
};

}  // namespace stretto
