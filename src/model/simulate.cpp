#include "model/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "model/events.hpp"
#include "model/rounds.hpp"

namespace stretto::model {
namespace {

// The event engine's memory: 60 to 100 bytes a step, or bundle of them.
constexpr std::size_t kMostSteps = 64'000'000;
constexpr const char* kTooLarge = "more than 64 million steps, which the event engine cannot hold";
// To build and read so many takes a minute or more.
constexpr std::size_t kMostBuilt = 2'000'000'000;
constexpr const char* kTooLong = "more than 2,000 million steps, which take minutes to build";

class Stopwatch {
 public:
  // Seconds since the last lap.
  double lap() {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(started_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_ = Clock::now();
};

class Simulation {
 public:
  Simulation(const Question& question, const Machine& machine, const Conditions& conditions)
      : question_(question), machine_(machine), conditions_(conditions) {
    if (question.algorithm->uses_layout) layout_ = layout_of(machine, question.shape.size);
    const auto steps_of = [](const Schedule& schedule) { return schedule.steps.size(); };
    refuse_if_over(kMostBuilt, steps_of, kTooLong);
  }

  std::optional<Answer> by_rounds() const {
    if (conditions_.noise.period > 0) return {};
    Stopwatch watch;
    Costs costs = no_costs();
    Rounds rounds(question_.shape.size);
    for (Rank rank = 0; rank < question_.shape.size; ++rank) {
      if (!rounds.add(build(rank), costs)) return {};
    }
    if (!rounds.finish()) return {};
    Answer answer{.path = Path::rounds, .build_s = watch.lap()};
    auto outcome = rounds.run(costs, machine_, conditions_.arrivals);
    if (!outcome) return {};
    answer.outcome = std::move(*outcome);
    answer.run_s = watch.lap();
    return answer;
  }

  Answer by_events() const {
    const auto nodes_of = [](const Schedule& schedule) {
      return outline_of(schedule).nodes.size();
    };
    refuse_if_over(kMostSteps, nodes_of, kTooLarge);
    Stopwatch watch;
    Costs costs = no_costs();
    Program program;
    for (Rank rank = 0; rank < question_.shape.size; ++rank) {
      program.add(build(rank), costs);
      if (program.ops().size() > kMostSteps) throw Unsuited(kTooLarge);
    }
    program.finish();
    Answer answer{.path = Path::events, .build_s = watch.lap()};
    answer.outcome = run_events(std::move(program), costs, machine_, conditions_);
    answer.run_s = watch.lap();
    return answer;
  }

 private:
  // Before minutes are spent on finding out: a few ranks stand for all.
  template <class NumberOf>
  void refuse_if_over(std::size_t most, const NumberOf& number_of, const char* why) const {
    const auto ranks = static_cast<std::size_t>(question_.shape.size);
    std::size_t fewest = most;
    for (const std::size_t rank : {std::size_t{0}, ranks / 2, ranks - 1}) {
      fewest = std::min(fewest, number_of(build(static_cast<Rank>(rank))));
    }
    if (fewest > most / ranks) throw Unsuited(why);
  }

  [[nodiscard]] Schedule build(Rank me) const {
    const Shape& shape = question_.shape;
    // A barrier alone has steps without elements; others would look for some in every round.
    const bool is_empty = shape.count == 0 && shape.collective != Collective::barrier;
    return is_empty ? Schedule{.shape = shape, .rank = me}
                    : question_.algorithm->build(shape, layout_, me);
  }
  [[nodiscard]] Costs no_costs() const {
    return {machine_, question_.element_bytes, question_.signal_bytes};
  }

  const Question& question_;
  const Machine& machine_;
  const Conditions& conditions_;
  Layout layout_;  // where the algorithm uses it
};

}  // namespace

Answer simulate(const Question& question, const Machine& machine, const Conditions& conditions) {
  const Simulation simulation(question, machine, conditions);
  if (question.path != Path::events) {
    if (auto answer = simulation.by_rounds()) return std::move(*answer);
  }
  if (question.path == Path::rounds) {
    throw Unsuited(
        "not round-structured, or with noise, or with shared links where something costs nothing");
  }
  return simulation.by_events();
}

}  // namespace stretto::model
