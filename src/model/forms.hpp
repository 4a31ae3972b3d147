// What is the same for all ranks whose schedules differ in their peers and lengths only, and those
// are nearly all: worked out once.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace stretto::model {

// A step that moves nothing, but stands for all that it waits for.
[[nodiscard]] inline bool joins(const Step& step) {
  return step.kind == StepKind::copy && step.from.span.count == 0;
}

// What was made of a schedule's form: of what waits for what, and what its steps are.
template <class Made>
class KnownForms {
 public:
  // Valid until it is asked again.
  template <class Make>
  [[nodiscard]] Made& of(const Schedule& schedule, const Make& make) {
    for (Known& known : known_) {
      if (known.is_of(schedule)) return known.made;
    }
    Known found{.steps = {schedule.steps.begin(), schedule.steps.end()},
                .waits = schedule.waits,
                .made = make(schedule)};
    if (known_.size() < kMostKnown) return known_.emplace_back(std::move(found)).made;
    Known& oldest = known_[next_++ % kMostKnown];
    oldest = std::move(found);
    return oldest.made;
  }

 private:
  static constexpr std::size_t kMostKnown = 8;

  struct Form {
    std::int32_t first_wait;
    std::int32_t waits;
    StepKind kind;
    bool joins;

    Form(const Step& step)
        : first_wait(step.first_wait),
          waits(step.waits),
          kind(step.kind),
          joins(model::joins(step)) {}
    friend bool operator==(const Form&, const Form&) = default;
  };
  struct Known {
    std::vector<Form> steps;
    std::vector<StepId> waits;
    Made made;

    [[nodiscard]] bool is_of(const Schedule& schedule) const {
      return std::equal(steps.begin(), steps.end(), schedule.steps.begin(), schedule.steps.end(),
                        [](const Form& form, const Step& step) { return form == Form(step); }) &&
             waits == schedule.waits;
    }
  };

  std::vector<Known> known_;
  std::size_t next_ = 0;  // to be forgotten
};

}  // namespace stretto::model
