// What can be said of each rank's schedule without running it: regions, waits,
// ordinals, and steps that race for the same elements.
#pragma once

#include "schedule/verify_words.hpp"

namespace stretto {

[[nodiscard]] std::optional<Fault> check_structure(const Proof& proof, Rank rank);
[[nodiscard]] std::optional<Fault> check_races(const Proof& proof, Rank rank);

}  // namespace stretto
