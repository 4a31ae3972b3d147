// Pairs every send with its receive, and numbers the steps of all ranks in one row.
#pragma once

#include "schedule/verify_words.hpp"

namespace stretto {

// Index of a step among those of all ranks.
using GlobalStep = std::size_t;
inline constexpr GlobalStep kNoMate = static_cast<GlobalStep>(-1);

struct Numbering {
  explicit Numbering(std::span<const Schedule> ranks);

  [[nodiscard]] GlobalStep of(Rank rank, StepId step) const {
    return first[static_cast<std::size_t>(rank)] + static_cast<GlobalStep>(step);
  }
  [[nodiscard]] GlobalStep total() const { return rank_of.size(); }
  [[nodiscard]] StepId local(GlobalStep step) const {
    return static_cast<StepId>(step - first[static_cast<std::size_t>(rank_of[step])]);
  }

  std::vector<GlobalStep> first;  // of each rank
  std::vector<Rank> rank_of;      // of each step
};

// For each step the other end of its message, kNoMate where there is none. The
// schedules' peers and ordinals must be sound (check_structure).
[[nodiscard]] std::vector<GlobalStep> match_messages(std::span<const Schedule> ranks,
                                                     const Numbering& number);

// A message without its other end, or with another count there.
[[nodiscard]] std::optional<Fault> check_messages(const Proof& proof, const Numbering& number,
                                                  const std::vector<GlobalStep>& mates);

}  // namespace stretto
