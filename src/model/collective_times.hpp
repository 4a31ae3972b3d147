// When each rank is done with a collective of a program that runs in virtual time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "model/program.hpp"
#include "model/rounds.hpp"
#include "model/scenario.hpp"

namespace stretto::model {

// One collective call, as far as its cost depends on it.
struct CollectiveCall {
  Collective collective{};
  std::int64_t bytes = 0;  // of the vector or of one rank's block, as Shape::count
  Rank root = 0;
  bool commutative = true;
  bool uneven = false;
  bool cold = false;  // its ranks did other work since the last: the data are in no cache

  friend auto operator<=>(const CollectiveCall&, const CollectiveCall&) = default;
};

struct CollectiveEnds {
  std::vector<double> free{};  // if moving data cost nothing
  std::vector<double> ends{};  // never earlier
};

// How a call is run: what builds each rank's schedule.
struct ChosenSchedules {
  const Algorithm* algorithm = nullptr;
  Shape shape{};
  Layout layout{};  // where the algorithm uses it

  [[nodiscard]] Schedule of(Rank rank) const { return algorithm->build(shape, layout, rank); }
};

// Those of one communicator in one scenario. Schedules that were built are kept.
class CollectiveTimes {
 public:
  // `places`: where the communicator's ranks are on the scenario's machine.
  CollectiveTimes(const Scenario& scenario, std::vector<Rank> places);
  CollectiveTimes(const CollectiveTimes&) = delete;
  CollectiveTimes& operator=(const CollectiveTimes&) = delete;

  // Given when each rank begins it, in ns.
  void work_out(const CollectiveCall& call, const std::vector<double>& arrivals,
                CollectiveEnds& answer);
  // By these, whose elements are bytes.
  [[nodiscard]] ChosenSchedules schedules(const CollectiveCall& call) const;
  [[nodiscard]] CollectiveEnds of(const CollectiveCall& call, const std::vector<double>& arrivals) {
    CollectiveEnds answer;
    work_out(call, arrivals, answer);
    return answer;
  }

 private:
  // Built for one call, as rounds where it has them.
  struct Prepared {
    Prepared(const Machine& machine, int ranks, double factor)
        : costs(machine, 1, 0, 1 / factor), rounds(ranks) {}
    Costs costs;
    Rounds rounds;
    bool by_rounds = false;
    ChosenSchedules chosen{};
    std::optional<Program> program{};

    [[nodiscard]] const Program& as_program();
  };

  // A call that there was.
  struct Known {
    double factor = 1;
    std::unique_ptr<Prepared> prepared{};  // once it is needed
  };

  // When each rank ends where they begin at begun_, without a factor.
  [[nodiscard]] const LargeVector<double>& simulated(Prepared& built);
  [[nodiscard]] Known& known(const CollectiveCall& call);
  [[nodiscard]] std::unique_ptr<Prepared> prepare(const CollectiveCall& call, double factor) const;
  [[nodiscard]] Choice choice(const CollectiveCall& call) const;

  const Scenario& scenario_;
  Machine machine_;
  std::optional<Machine> before_;  // it was supposed to be slower: algorithms are those for this
  int ranks_;
  std::map<CollectiveCall, Known> known_;
  std::pair<const CollectiveCall, Known>* last_ = nullptr;  // of them: the next is often the same
  std::vector<double> begun_{};
  Clocks clocks_{};
};

// Makes the scenario's collectives take what was measured, where it was: what a schedule of ours
// takes on the machine is compared with it, and the rest is a factor. Then its network gets slower,
// where it is supposed to.
void correct_by_measurements(Scenario& scenario);

}  // namespace stretto::model
