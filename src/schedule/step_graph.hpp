// The steps of all ranks as one graph: each step's number among all, what it
// waits for, what waits for it, and the other end of its message.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace stretto {

// Index of a step among those of all ranks.
using GlobalStep = std::size_t;
inline constexpr GlobalStep kNoMate = static_cast<GlobalStep>(-1);

// The schedules (rank r's at index r) must outlive the graph, and their peers and
// waits must be sound; messages may lack an end.
class StepGraph {
 public:
  explicit StepGraph(std::span<const Schedule> ranks);

  [[nodiscard]] int ranks() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] GlobalStep total() const { return rank_of_.size(); }
  [[nodiscard]] Rank rank_of(GlobalStep step) const { return rank_of_[step]; }
  [[nodiscard]] StepId local(GlobalStep step) const {
    return static_cast<StepId>(step - first_[static_cast<std::size_t>(rank_of_[step])]);
  }
  [[nodiscard]] GlobalStep global(Rank rank, StepId step) const {
    return first_[static_cast<std::size_t>(rank)] + static_cast<GlobalStep>(step);
  }
  [[nodiscard]] const Step& step(GlobalStep step) const {
    return schedule_of(step).steps[static_cast<std::size_t>(local(step))];
  }

  // kNoMate where the message has no other end.
  [[nodiscard]] GlobalStep mate(GlobalStep step) const { return mates_[step]; }
  [[nodiscard]] std::span<const GlobalStep> dependents(GlobalStep step) const {
    return std::span(dependents_)
        .subspan(first_dependent_[step], first_dependent_[step + 1] - first_dependent_[step]);
  }
  template <class Visit>
  void for_each_wait(GlobalStep id, Visit visit) const {
    for (const StepId wait : schedule_of(id).waits_of(step(id))) visit(global(rank_of(id), wait));
  }

 private:
  [[nodiscard]] const Schedule& schedule_of(GlobalStep step) const {
    return ranks_[static_cast<std::size_t>(rank_of_[step])];
  }
  void match_messages();
  void list_dependents();

  std::span<const Schedule> ranks_;
  std::vector<GlobalStep> first_;  // of each rank
  std::vector<Rank> rank_of_;      // of each step
  std::vector<GlobalStep> mates_;
  std::vector<std::size_t> first_dependent_;  // of each step, in dependents_
  std::vector<GlobalStep> dependents_;
};

}  // namespace stretto
