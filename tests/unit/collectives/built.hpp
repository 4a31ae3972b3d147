// What the tests of the algorithms share: all ranks' schedules, by name, and
// questions about them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/algorithm.hpp"
#include "schedule/cost.hpp"
#include "schedule/verify.hpp"

namespace stretto {

using Schedules = std::vector<Schedule>;

inline const Algorithm& algorithm(Collective collective, std::string_view name) {
  const Algorithm* found = find_algorithm(collective, name);
  if (found == nullptr) throw std::invalid_argument("no algorithm " + std::string(name));
  return *found;
}

// Of five elements from each.
inline Shape shape_of(Collective collective, int size) {
  return {.collective = collective, .size = size, .count = 5};
}

inline Schedules built(std::string_view name, const Shape& shape, const Layout& layout = {}) {
  return build_all(algorithm(shape.collective, name).build, shape, layout);
}

inline std::vector<Step> steps_of(const Schedule& schedule, StepKind kind) {
  std::vector<Step> found;
  std::ranges::copy_if(schedule.steps, std::back_inserter(found),
                       [&](const Step& step) { return step.kind == kind; });
  return found;
}

inline int number_of(const Schedule& schedule, StepKind kind) {
  return static_cast<int>(steps_of(schedule, kind).size());
}

inline bool starts_at_once(const Step& step) { return step.waits == 0; }

// Rounds that double or, in general, multiply by `radix` until all `size` ranks are in.
inline int levels(int size, int radix = 2) {
  int levels = 0;
  for (int reached = 1; reached < size; reached *= radix) ++levels;
  return levels;
}

}  // namespace stretto
