#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>

#include "base/json.hpp"
#include "collectives/network.hpp"
#include "model/simulate.hpp"
#include "programs/schedule/verbs.hpp"
#include "selection/classics.hpp"
#include "selection/fastest.hpp"

namespace stretto::programs {
namespace {

constexpr Count kLargest = 16 << 20;
// decide() leaves what one int cannot count to the MPI.
constexpr Count kMostBytes = std::numeric_limits<int>::max();
// What is estimated at more than so many times the best is not worth a simulation.
constexpr double kWorthIt = 2;

struct Cell {
  Choice choice{};
  double estimate = 0;
  std::optional<double> simulated{};

  [[nodiscard]] double time(bool by_simulation) const {
    return by_simulation ? simulated.value_or(estimate) : estimate;
  }
};

class Cells {
 public:
  Cells(const Machine& machine, Count most_steps, std::ostream& out)
      : machine_(machine), most_steps_(most_steps), out_(out) {}

  void compare(const Query& query) {
    const int hosts = hosts_in_blocks(machine_, query.size);
    const Network network(machine_, query.size);
    const Cell usual = cell(classic(query), query, network);
    const Choice own = fastest(as_known(query), machine_, hosts);
    const bool is_native = has_better_elsewhere(as_known(query), own, machine_);
    const Cell chosen = is_native ? usual : cell(own, query, network);
    std::vector<Cell> others;
    double least = chosen.estimate;
    for (const Choice& option : options(query, hosts)) {
      others.push_back(cell(option, query, network));
      least = std::min(least, others.back().estimate);
    }
    std::erase_if(others, [&](const Cell& each) { return each.estimate > kWorthIt * least; });
    others.push_back(usual);
    others.push_back(chosen);
    bool simulated = true;
    for (Cell& each : others) {
      simulated = simulated && (each.simulated = simulate(each.choice, query)).has_value();
      if (!simulated) break;
    }
    const auto best = std::min_element(
        others.begin(), others.end(),
        [&](const Cell& a, const Cell& b) { return a.time(simulated) < b.time(simulated); });
    print(query, hosts, simulated, others.back(), others[others.size() - 2], *best);
  }

 private:
  // To selection: of the others no rank knows all sizes.
  static Query as_known(Query query) {
    const bool is_known = query.collective == Collective::allgather ||
                          query.collective == Collective::reduce_scatter ||
                          query.collective == Collective::alltoall;
    if (query.uneven && !is_known) query.bytes = 0;
    return query;
  }
  static Cell cell(const Choice& choice, const Query& query, const Network& network) {
    return {.choice = choice, .estimate = time_of(choice, query, network)};
  }

  // Nothing where it would take more steps than asked for.
  std::optional<double> simulate(const Choice& choice, const Query& query) const {
    const Shape shape{.collective = query.collective,
                      .size = query.size,
                      .count = query.bytes,
                      .segment = choice.segment_bytes,
                      .radix = choice.radix,
                      .commutative = query.commutative};
    // Two schedules cannot stand for all where one rank does everything, but that is in its favour.
    if (query.size > most_steps_) return {};
    const Layout layout =
        choice.algorithm->uses_layout ? layout_of(machine_, query.size) : Layout{};
    const auto steps =
        static_cast<Count>(choice.algorithm->build(shape, layout, query.size - 1).steps.size());
    if (steps * query.size > most_steps_) return {};
    const model::Conditions conditions{
        .arrivals = std::vector<double>(static_cast<std::size_t>(query.size))};
    const auto answer =
        model::simulate({.algorithm = choice.algorithm, .shape = shape}, machine_, conditions);
    return *std::max_element(answer.outcome.ends.begin(), answer.outcome.ends.end());
  }

  void print(const Query& query, int hosts, bool simulated, const Cell& chosen, const Cell& usual,
             const Cell& best) {
    std::string text;
    Json json(text);
    json.begin_object()
        .field("collective", name_of(query.collective))
        .field("uneven", query.uneven)
        .field("ranks", query.size)
        .field("hosts", hosts)
        .field("bytes", query.bytes)
        .field("simulated", simulated);
    name(json, "chosen", chosen, simulated);
    name(json, "classic", usual, simulated);
    name(json, "best", best, simulated);
    json.field("estimate_ns", chosen.estimate).end_object();
    out_ << text << '\n';
  }

  static void name(Json& json, std::string_view key, const Cell& cell, bool simulated) {
    json.key(key)
        .begin_object()
        .field("algorithm", cell.choice.algorithm->name)
        .field("segment", cell.choice.segment_bytes)
        .field("radix", cell.choice.radix)
        .field("ns", cell.time(simulated))
        .end_object();
  }

  const Machine& machine_;
  Count most_steps_;
  std::ostream& out_;
};

std::vector<int> powers_of_two_and_neighbours(Count most) {
  std::vector<int> sizes{2};
  for (int power = 4; power <= most; power *= 2) {
    if (power > 4) sizes.push_back(power - 1);
    sizes.push_back(power);
    if (power < most || power > 4) sizes.push_back(power + 1);
    if (power == 4) sizes.insert(sizes.begin() + 1, 3);
  }
  return sizes;
}

// Such jobs are the most usual ones. None where the machine has no hosts.
std::vector<int> of_full_hosts(const Machine& machine, Count most) {
  std::vector<int> sizes;
  for (const Level& level : machine.levels) {
    if (level.name != "host") continue;
    for (const Count hosts : {2, 3, 5, 8}) {
      const Count size = hosts * level.ranks;
      if (size > 1 && size <= most) sizes.push_back(static_cast<int>(size));
    }
  }
  return sizes;
}

bool has_one_block_a_rank(Collective collective) {
  return collective == Collective::gather || collective == Collective::scatter ||
         collective == Collective::allgather || collective == Collective::alltoall ||
         collective == Collective::reduce_scatter;
}

}  // namespace

int cells(Arguments& arguments, std::ostream& out) {
  const Machine machine = read_machine(arguments);
  const auto only = arguments.collective();
  const Count most_ranks = arguments.number("--most-ranks", 2, 1 << 20).value_or(1 << 20);
  const Count most_steps = arguments.number("--most-steps", 0).value_or(3'000);
  const Count growth = arguments.number("--growth", 2, 1 << 24).value_or(4);
  const bool full_hosts = arguments.flag("--full-hosts");
  arguments.reject_others("cells");
  const std::vector<int> sizes =
      full_hosts ? of_full_hosts(machine, most_ranks) : powers_of_two_and_neighbours(most_ranks);
  Cells all(machine, most_steps, out);
  for (int c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    if ((only && *only != collective) || is_neighborhood(collective)) continue;
    for (const int size : sizes) {
      for (Count bytes = 4; bytes <= kLargest; bytes *= growth) {
        const Count total = has_one_block_a_rank(collective) ? bytes * size : bytes;
        if (total > kMostBytes) break;
        all.compare({.collective = collective, .size = size, .bytes = bytes});
        if (has_one_block_a_rank(collective)) {
          // As a v collective, with blocks of one size after all.
          all.compare({.collective = collective, .size = size, .bytes = bytes, .uneven = true});
        }
        if (collective == Collective::barrier) break;
      }
    }
  }
  return kOk;
}

}  // namespace stretto::programs
