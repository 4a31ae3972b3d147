#include "selection/tuned.hpp"

#include <algorithm>
#include <cstdint>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/number.hpp"
#include "base/rank_context.hpp"
#include "base/words.hpp"
#include "selection/fastest.hpp"

namespace stretto {
namespace {

constexpr Count kAnyLength = INT64_MAX;
constexpr std::size_t kFewestFields = 5;
constexpr std::size_t kMostFields = 7;

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

template <class Number>
Number number(std::string_view text, Number least, std::string_view rule) {
  const auto found = number_in<Number>(text);
  if (!found || *found < least) throw BadRules(words("'", text, "' in ", rule, " is no number"));
  return *found;
}

TunedRule rule_of(std::string_view text) {
  const std::vector<std::string_view> fields = parts_of(text, ':');
  if (fields.size() != kFewestFields && fields.size() != kMostFields) {
    throw BadRules(words("'", text, "' is not COLLECTIVE:RANKS:HOSTS:BYTES:ALGORITHM"));
  }
  const auto collective = find_collective(fields[0]);
  if (!collective) throw BadRules(words("unknown collective in ", text));
  TunedRule rule{.collective = *collective,
                 .ranks = number(fields[1], 2, text),
                 .hosts = number(fields[2], 1, text),
                 .most_bytes = fields[3] == "any" ? kAnyLength : number<Count>(fields[3], 0, text)};
  if (fields[4] != "native") {
    rule.algorithm = find_algorithm(*collective, fields[4]);
    if (rule.algorithm == nullptr) throw BadRules(words("unknown algorithm in ", text));
  }
  if (fields.size() == kMostFields) {
    rule.segment_bytes = number<Count>(fields[5], 0, text);
    rule.radix = number(fields[6], 2, text);
  }
  return rule;
}

bool is_before(const TunedRule& a, const TunedRule& b) {
  return std::tuple(a.group(), a.most_bytes) < std::tuple(b.group(), b.most_bytes);
}

// What was measured: blocks of one size, blocking.
bool was_measured(const Query& query) {
  return query.form == Form::blocking && !query.uneven && !query.two_groups;
}

struct OfThisRank {
  TunedRules rules = read();

  static TunedRules read() {
    try {
      return TunedRules::parse(setting("STRETTO_RULES").value_or(""));
    } catch (const BadRules& bad) {
      refuse(2, "STRETTO_RULES: %s; `stretto run --rules FILE` sets it", bad.what());
    }
  }
};

}  // namespace

TunedRules::TunedRules(std::vector<TunedRule> rules) : rules_(std::move(rules)) {
  std::ranges::sort(rules_, is_before);
}

TunedRules TunedRules::parse(std::string_view text) {
  std::vector<TunedRule> rules;
  for (const std::string_view each : parts_of(text, ' ')) rules.push_back(rule_of(each));
  return TunedRules(std::move(rules));
}

const TunedRule* TunedRules::find(const Query& query, int hosts) const {
  if (rules_.empty() || !was_measured(query)) return nullptr;
  const TunedRule wanted{.collective = query.collective,
                         .ranks = query.size,
                         .hosts = hosts,
                         .most_bytes = query.bytes};
  const auto found = std::lower_bound(rules_.begin(), rules_.end(), wanted, is_before);
  if (found == rules_.end() || found->group() != wanted.group()) return nullptr;
  const bool fits = found->algorithm == nullptr || may_run(*found->algorithm, query);
  return fits ? &*found : nullptr;
}

bool TunedRules::may_handle(const Query& query, int hosts) const {
  if (rules_.empty() || !was_measured(query)) return false;
  const std::tuple wanted(query.collective, query.size, hosts);
  return std::ranges::any_of(rules_, [&](const TunedRule& rule) {
    return rule.group() == wanted && rule.algorithm != nullptr;
  });
}

bool TunedRules::has(Collective collective, int ranks, int hosts) const {
  const std::tuple wanted(collective, ranks, hosts);
  return std::ranges::any_of(rules_, [&](const TunedRule& rule) { return rule.group() == wanted; });
}

TunedRules& tuned_rules() { return of_rank<OfThisRank>().rules; }

}  // namespace stretto
