#include "model/collective_times.hpp"

#include <algorithm>
#include <numeric>

#include "model/events.hpp"
#include "model/meaning.hpp"
#include "selection/fastest.hpp"

namespace stretto::model {
namespace {

constexpr std::size_t kMostKnown = 64;
constexpr double kInProportion = 0.75;  // of what bytes grew, at least
constexpr std::int64_t kLargest = 8 << 20;

// A call's, in calls in a row as they were measured.
double time_in_a_row(CollectiveTimes& times, Collective collective,
                     const MeasuredCollective& measured) {
  std::vector<double> now(static_cast<std::size_t>(measured.ranks));
  for (int call = 0; call < measured.calls; ++call) {
    const Rank root = is_rooted(collective) ? call % measured.ranks : 0;
    now = times.of({.collective = collective, .bytes = measured.bytes, .root = root}, now).ends;
  }
  return *std::max_element(now.begin(), now.end()) / measured.calls;
}

// With larger ones that nobody measured: where calls have come to take longer as their bytes grow,
// they go on so. The last one's factor would multiply what messages take of sizes at which nobody
// has compared the two, and a network may carry both ways at once when one size is measured and not
// when the next is.
std::vector<MeasuredCollective> with_larger(std::vector<MeasuredCollective> list) {
  if (list.size() < 2) return list;
  const MeasuredCollective before = list[list.size() - 2];
  const MeasuredCollective last = list.back();
  const double more_bytes = static_cast<double>(last.bytes) /
                            static_cast<double>(std::max<std::int64_t>(before.bytes, 1));
  if (last.time < kInProportion * more_bytes * before.time) return list;
  for (std::int64_t bytes = 2 * last.bytes; bytes <= kLargest; bytes *= 2) {
    MeasuredCollective larger = last;
    larger.bytes = bytes;
    const double times = static_cast<double>(bytes) / static_cast<double>(last.bytes);
    larger.time *= times;
    larger.cold *= times;
    list.push_back(larger);
  }
  return list;
}

}  // namespace

CollectiveTimes::CollectiveTimes(const Scenario& scenario, std::vector<Rank> places)
    : scenario_(scenario),
      machine_(scenario.machine),
      before_(scenario.before),
      ranks_(static_cast<int>(places.size())) {
  if (before_) before_->places = places;
  machine_.places = std::move(places);
}

void CollectiveTimes::work_out(const CollectiveCall& call, const std::vector<double>& arrivals,
                               CollectiveEnds& answer) {
  end_if_free(call.collective, call.root, arrivals, answer.free);
  answer.ends = answer.free;
  Known& same = known(call);
  const double factor = same.factor;
  if (factor == 0 || ranks_ == 1) return;
  if (!same.prepared) same.prepared = prepare(call, factor);
  // A message that costs so many times as much makes nobody wait so many times as long for who
  // comes late: all of it as if the clocks went slower.
  const double first = *std::min_element(arrivals.begin(), arrivals.end());
  begun_ = arrivals;
  if (factor != 1) {
    for (double& each : begun_) each = (each - first) / factor;
  }
  const auto& ends = simulated(*same.prepared);
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const double end = factor == 1 ? ends[rank] : first + factor * ends[rank];
    answer.ends[rank] = std::max(answer.free[rank], end);
  }
}

const LargeVector<double>& CollectiveTimes::simulated(Prepared& built) {
  if (!built.by_rounds || !built.rounds.run(built.costs, machine_, begun_, clocks_)) {
    auto outcome = run_events(built.as_program(), built.costs, machine_, {.arrivals = begun_});
    clocks_.cpu = std::move(outcome.ends);
  }
  return clocks_.cpu;
}

CollectiveTimes::Known& CollectiveTimes::known(const CollectiveCall& call) {
  if (last_ != nullptr && last_->first == call) return last_->second;
  auto found = known_.find(call);
  if (found == known_.end()) {
    if (known_.size() == kMostKnown) known_.clear();
    // Of less, but for nothing, the inverse may be no number.
    constexpr double kLeast = 1e-9;
    const double asked = scenario_.factor(call.collective, call.bytes, call.cold);
    const double factor = asked == 0 ? 0 : std::max(asked, kLeast);
    found = known_.emplace(call, Known{.factor = factor}).first;
  }
  last_ = &*found;
  return last_->second;
}

std::unique_ptr<CollectiveTimes::Prepared> CollectiveTimes::prepare(const CollectiveCall& call,
                                                                    double factor) const {
  auto built = std::make_unique<Prepared>(machine_, ranks_, factor);
  built->chosen = schedules(call);
  bool fits = true;
  for (Rank rank = 0; fits && rank < ranks_; ++rank) {
    fits = built->rounds.add(built->chosen.of(rank), built->costs);
  }
  built->by_rounds = fits && built->rounds.finish();
  return built;
}

ChosenSchedules CollectiveTimes::schedules(const CollectiveCall& call) const {
  const Choice chosen = choice(call);
  return {.algorithm = chosen.algorithm,
          .shape = {.collective = call.collective,
                    .size = ranks_,
                    .count = call.bytes,
                    .segment = chosen.segment_bytes,
                    .radix = chosen.radix,
                    .root = call.root,
                    .in_place = false,
                    .commutative = call.commutative,
                    .first_group = 0},
          .layout = chosen.algorithm->uses_layout ? layout_of(machine_, ranks_) : Layout{}};
}

// Only where it is needed: it takes more memory than anything else.
const Program& CollectiveTimes::Prepared::as_program() {
  if (program) return *program;
  program.emplace();
  for (Rank rank = 0; rank < chosen.shape.size; ++rank) program->add(chosen.of(rank), costs);
  program->finish();
  return *program;
}

void correct_by_measurements(Scenario& scenario) {
  for (int i = 0; i < kCollectives; ++i) {
    CollectiveRule& rule = scenario.collectives[static_cast<std::size_t>(i)];
    rule.corrections.clear();
    if (rule.measured.empty()) continue;
    Scenario plain;
    plain.algorithms = scenario.algorithms;
    plain.machine = scenario.before.value_or(scenario.machine);
    for (const MeasuredCollective& each : with_larger(rule.measured)) {
      std::vector<Rank> places(static_cast<std::size_t>(each.ranks));
      std::iota(places.begin(), places.end(), 0);
      CollectiveTimes times(plain, std::move(places));
      const double ours = time_in_a_row(times, static_cast<Collective>(i), each);
      if (ours > 0) rule.corrections.push_back({each.bytes, each.time / ours, each.cold / ours});
    }
  }
  if (!scenario.slower || scenario.before) return;
  scenario.before = scenario.machine;
  slow_network(scenario.machine, *scenario.slower);
}

Choice CollectiveTimes::choice(const CollectiveCall& call) const {
  const Query query{.collective = call.collective,
                    .size = ranks_,
                    .bytes = call.bytes,
                    .uneven = call.uneven,
                    .commutative = call.commutative};
  // One that is forced does not do for every call, and the MPI's own are not known.
  const Choice forced = choose(query, {.hosts = 2, .progress_thread = true}, scenario_.algorithms);
  const Forced& asked = scenario_.algorithms[static_cast<std::size_t>(call.collective)];
  if (asked.algorithm != nullptr && forced.algorithm == asked.algorithm) return forced;
  const Machine& machine = before_ ? *before_ : machine_;
  return fastest(query, machine, hosts_in_blocks(machine, ranks_));
}

}  // namespace stretto::model
