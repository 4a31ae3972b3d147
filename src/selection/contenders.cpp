#include "selection/contenders.hpp"

#include <algorithm>

#include "selection/assumed.hpp"
#include "selection/classics.hpp"
#include "selection/fastest.hpp"
#include "selection/in_memory.hpp"

namespace stretto {
namespace {

constexpr std::size_t kByTimes = 3;
constexpr std::size_t kBesideMeasured = 1;  // where rules that were measured know better
// Who is expected to take so much longer than the fastest is not worth a try.
constexpr double kWorthATry = 4;
// To so many ranks of its host a root may send what it copies once, and between hosts so much to so
// many: more would take long.
constexpr int kMostAtOnce = 64;
constexpr int kMostBetweenHosts = 16;
constexpr Count kBytesBetweenHosts = Count{128} << 10;  // less than that

struct Estimate {
  Choice choice;
  double time = 0;
};

// Each algorithm once, with what suits it best; the fastest first.
std::vector<Estimate> estimates(const Query& query, int hosts) {
  const int ranks_per_host = (query.size + hosts - 1) / hosts;
  const Machine machine = with_hosts_of(assumed_machine(), ranks_per_host);
  const Network network(machine, query.size, hosts);
  std::vector<Estimate> all;
  for (const Choice& choice : options(query, hosts)) {
    if (choice.algorithm->time == nullptr) continue;
    all.push_back({choice, time_of(choice, query, network)});
  }
  std::ranges::stable_sort(all, {}, &Estimate::time);
  std::vector<Estimate> best;
  for (const Estimate& each : all) {
    const auto is_same = [&](const Estimate& other) {
      return other.choice.algorithm == each.choice.algorithm;
    };
    if (std::ranges::none_of(best, is_same)) best.push_back(each);
  }
  return best;
}

// May a broadcast come from the root alone? Who passes nothing on is fast where others are late,
// which no time by a model knows.
bool may_be_linear(const Query& query, const Surroundings& around) {
  if (query.collective != Collective::bcast) return false;
  if (around.hosts == 1) return around.shares_memory && query.size <= kMostAtOnce;
  return query.size <= kMostBetweenHosts && query.bytes < kBytesBetweenHosts;
}

}  // namespace

bool has_contenders(Collective collective, const Overrides& overrides) {
  const Forced& forced = overrides[static_cast<std::size_t>(collective)];
  return !is_neighborhood(collective) && !forced.native && forced.algorithm == nullptr;
}

std::vector<Choice> contenders(const Query& query, const Surroundings& around,
                               const Overrides& overrides) {
  std::vector<Choice> found{choose(query, around, overrides)};
  const auto add = [&found](const Choice& choice) {
    const auto is_same = [&choice](const Choice& other) {
      return other.algorithm == choice.algorithm;
    };
    if (std::ranges::none_of(found, is_same)) found.push_back(choice);
  };
  add({.reason = Reason::native_faster});
  if (around.hosts > 1 && !around.in_blocks) {
    // Times count with hosts whose ranks follow each other.
    const Choice classics = classic(query);
    if (may_run(*classics.algorithm, query)) add(classics);
    return found;
  }
  const Choice measured = choose_in_memory(query, around);
  if (measured.algorithm != nullptr) add(measured);
  const std::size_t worth = measured.algorithm != nullptr ? kBesideMeasured : kByTimes;
  const std::vector<Estimate> by_times = estimates(query, around.hosts);
  // However long it is said to take: what hosts share is the least known of what times count with.
  const auto by_layout = std::ranges::find_if(
      by_times, [](const Estimate& each) { return each.choice.algorithm->uses_layout; });
  if (by_layout != by_times.end()) add(by_layout->choice);
  if (may_be_linear(query, around)) {
    add({.algorithm = find_algorithm(Collective::bcast, "linear")});
  }
  for (std::size_t i = 0; i < std::min(by_times.size(), worth); ++i) {
    if (by_times[i].time < kWorthATry * by_times[0].time) add(by_times[i].choice);
  }
  return found;
}

std::string label_of(const Choice& choice) {
  if (choice.algorithm == nullptr) return "native";
  std::string label(choice.algorithm->name);
  if (choice.segment_bytes > 0) label += " segment=" + std::to_string(choice.segment_bytes);
  if (choice.algorithm->uses_radix) label += " radix=" + std::to_string(choice.radix);
  return label;
}

}  // namespace stretto
