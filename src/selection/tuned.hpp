// Rules that `stretto tune` has measured: which algorithm, or the MPI's own, runs a blocking call.
//
// A rule holds for communicators of as many ranks on as many hosts as it was measured on, and for
// no others. Whoever starts the ranks hands all of them the same text (STRETTO_RULES).
#pragma once

#include <stdexcept>
#include <string_view>
#include <tuple>
#include <vector>

#include "selection/selection.hpp"

namespace stretto {

struct TunedRule {
  Collective collective{};
  int ranks = 0;
  int hosts = 0;
  Count most_bytes = 0;                  // up to so many, from the rule's before it on
  const Algorithm* algorithm = nullptr;  // nullptr: native
  Count segment_bytes = 0;
  int radix = 2;

  [[nodiscard]] auto group() const { return std::tuple(collective, ranks, hosts); }
};

// A text that is no list of rules.
struct BadRules : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class TunedRules {
 public:
  TunedRules() = default;
  explicit TunedRules(std::vector<TunedRule> rules);

  // Rules with blanks between them, each COLLECTIVE:RANKS:HOSTS:BYTES:ALGORITHM[:SEGMENT:RADIX];
  // BYTES may be `any`. Throws BadRules.
  [[nodiscard]] static TunedRules parse(std::string_view text);

  // The rule for such a call among ranks on so many hosts; nullptr where there is none, or
  // where its algorithm is not for this call.
  [[nodiscard]] const TunedRule* find(const Query& query, int hosts) const;
  // Is any call of its collective, whatever its size, Stretto's by these rules, or may it be?
  [[nodiscard]] bool may_handle(const Query& query, int hosts) const;

  // Has it rules for that collective among so many ranks on so many hosts?
  [[nodiscard]] bool has(Collective collective, int ranks, int hosts) const;

  [[nodiscard]] bool empty() const { return rules_.empty(); }

 private:
  std::vector<TunedRule> rules_;  // those of a group together, by size
};

// What STRETTO_RULES says, read once for each rank; a wrong one stops the program with one line and
// exit code 2. Who measures rules changes them between calls.
[[nodiscard]] TunedRules& tuned_rules();

}  // namespace stretto
