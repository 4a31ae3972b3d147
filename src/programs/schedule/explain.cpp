#include <algorithm>
#include <array>
#include <climits>
#include <optional>
#include <ostream>

#include "base/json.hpp"
#include "base/words.hpp"
#include "collectives/network.hpp"
#include "programs/schedule/verbs.hpp"
#include "selection/assumed.hpp"
#include "selection/classics.hpp"
#include "selection/fastest.hpp"
#include "selection/in_memory.hpp"
#include "selection/tuned.hpp"

namespace stretto::programs {
namespace {

constexpr Count kMostExplained = 1 << 24;

std::string_view name_of(Basis basis) {
  constexpr std::array<std::string_view, 13> kNames{
      "none",    "forced",   "tuned",        "few_ranks", "in_memory", "shared_blocks",   "times",
      "classic", "one_host", "over_at_once", "scattered", "crowded",   "better_elsewhere"};
  return kNames[static_cast<std::size_t>(basis)];
}

struct Priced {
  Choice choice{};
  std::optional<double> ns{};  // none where nothing says how long it takes
};

Priced priced(const Choice& choice, const Query& query, const Network& network) {
  const bool has_time = choice.algorithm != nullptr && choice.algorithm->time != nullptr;
  if (!has_time) return {.choice = choice};
  return {.choice = choice, .ns = time_of(choice, query, network)};
}

// Each algorithm once, with the segment and radix that suit it best; the fastest first.
std::vector<Priced> candidates(const Query& query, const Network& network, int hosts) {
  std::vector<Priced> all;
  for (const Choice& choice : options(query, hosts)) all.push_back(priced(choice, query, network));
  std::ranges::stable_sort(all, {}, [](const Priced& each) { return each.ns.value_or(0); });
  std::vector<Priced> best;
  for (const Priced& each : all) {
    const bool is_new = std::ranges::none_of(
        best, [&](const Priced& other) { return other.choice.algorithm == each.choice.algorithm; });
    if (is_new) best.push_back(each);
  }
  return best;
}

void write(Json& json, const Priced& each) {
  const bool is_native = each.choice.algorithm == nullptr;
  json.begin_object()
      .field("algorithm", is_native ? "native" : each.choice.algorithm->name)
      .field("segment", each.choice.segment_bytes)
      .field("radix", each.choice.radix)
      .key("ns");
  if (each.ns) {
    json.value(*each.ns);
  } else {
    json.null();
  }
  json.end_object();
}

// decide() leaves what one int cannot count to the MPI.
bool is_too_large(const Query& query) {
  const bool counts_all = !reduces(query.collective) && query.collective != Collective::bcast;
  return query.bytes > INT_MAX / (counts_all ? query.size : 1);
}

TunedRules read_rules(std::string_view text) {
  try {
    return TunedRules::parse(text);
  } catch (const BadRules& bad) {
    throw BadInput(words("--rules: ", bad.what()));
  }
}

}  // namespace

int explain(Arguments& arguments, std::ostream& out) {
  const auto collective = arguments.collective();
  if (!collective || is_neighborhood(*collective)) {
    throw BadInput("name a collective that has several algorithms: allreduce, bcast, ...");
  }
  const Count ranks = arguments.number("--ranks", 1, kMostExplained).value_or(2);
  const Count hosts = arguments.number("--hosts", 1, ranks).value_or(1);
  const Count bytes = arguments.number("--bytes", 0, INT_MAX).value_or(0);
  const TunedRules rules = read_rules(arguments.text("--rules").value_or(""));
  const Surroundings around{.hosts = static_cast<int>(hosts),
                            .has_cores = !arguments.flag("--crowded"),
                            .shares_memory = hosts == 1,
                            .has_shared_blocks = hosts == 1 && ranks <= kMostWithBlocks,
                            .has_long_blocks = hosts == 1 && ranks <= kMostWithBlocks,
                            .progress_thread = true,
                            .rules = &rules};
  // The machine that runs are taken to be on, unless another is named.
  const Count ranks_per_host = (ranks + hosts - 1) / hosts;
  const auto named = arguments.text("--machine");
  const Machine machine = named
                              ? read_machine(*named)
                              : with_hosts_of(assumed_machine(), static_cast<int>(ranks_per_host));
  arguments.reject_others("explain");

  const Query query{.collective = *collective, .size = static_cast<int>(ranks), .bytes = bytes};
  const Network network(machine, query.size, around.hosts);
  const Choice by_root = choose_by_root(query, around);
  const Choice others =
      is_too_large(query) ? Choice{.reason = Reason::too_large} : choose(query, around, {});
  const Choice& chosen = by_root.algorithm != nullptr ? by_root : others;
  std::string text;
  Json json(text);
  json.begin_object()
      .field("collective", stretto::name_of(*collective))
      .field("ranks", ranks)
      .field("hosts", hosts)
      .field("bytes", bytes)
      .field("machine", std::string_view(machine.name))
      .field("basis", name_of(chosen.basis))
      .field("reason", stretto::words(chosen.reason))
      .key("chosen");
  write(json, priced(chosen, query, network));
  json.key("classic");
  write(json, priced(classic(query), query, network));
  json.key("candidates").begin_array();
  for (const Priced& each : candidates(query, network, around.hosts)) write(json, each);
  json.end_array().end_object();
  out << text << '\n';
  return kOk;
}

}  // namespace stretto::programs
