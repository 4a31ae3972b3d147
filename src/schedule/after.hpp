// The steps a step waits for.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace stretto {

// A set of step ids: kNoStep and repeats are left out. Few ids take no memory of their own,
// as a simulation builds millions of these.
class After {
 public:
  After() = default;
  After(std::initializer_list<StepId> ids) { add(ids); }
  After(const std::vector<StepId>& ids) { add(ids); }

  void add(StepId id) {
    const auto known = ids();
    if (id == kNoStep || std::find(known.begin(), known.end(), id) != known.end()) return;
    if (more_.empty() && few_count_ < few_.size()) {
      few_[few_count_++] = id;
      return;
    }
    if (more_.empty()) more_.assign(few_.begin(), few_.end());
    more_.push_back(id);
  }

  [[nodiscard]] std::span<const StepId> ids() const {
    return more_.empty() ? std::span(few_).first(few_count_) : std::span(more_);
  }

 private:
  void add(std::span<const StepId> ids) {
    for (const StepId id : ids) add(id);
  }

  std::array<StepId, 4> few_{};
  std::size_t few_count_ = 0;
  std::vector<StepId> more_;  // all of them, once they are more than a few
};

template <class... Ids>
[[nodiscard]] After after(Ids... ids) {
  return After({ids...});
}
[[nodiscard]] inline After after(const std::vector<StepId>& ids) { return {ids}; }

}  // namespace stretto
