// The steps a step waits for.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "schedule/schedule.hpp"

namespace stretto {

// A set of step ids: kNoStep and repeats are left out. Few ids take no memory of their own,
// as a simulation builds millions of these.
class After {
 public:
  After() = default;
  After(std::initializer_list<StepId> ids) {
    for (const StepId id : ids) add(id);
  }
  After(const std::vector<StepId>& ids) {
    for (const StepId id : ids) add(id);
  }

  [[gnu::always_inline]] void add(StepId id) {
    if (id == kNoStep) return;
    for (std::size_t i = 0; i < few_count_; ++i) {
      if (few_[i] == id) return;
    }
    if (few_count_ < few_.size()) {
      few_[few_count_++] = id;
    } else {
      add_to_more(id);
    }
  }

  [[nodiscard]] std::size_t size() const { return few_count_ + more_.size(); }
  [[nodiscard]] bool empty() const { return few_count_ == 0; }
  [[nodiscard]] StepId front() const { return few_[0]; }
  [[gnu::always_inline]] void append_to(std::vector<StepId>& list) const {
    for (std::size_t i = 0; i < few_count_; ++i) list.push_back(few_[i]);
    if (!more_.empty()) list.insert(list.end(), more_.begin(), more_.end());
  }

 private:
  // In order: of a million ranks' steps, which come in order, none is compared with all others.
  [[gnu::cold]] void add_to_more(StepId id) {
    const auto at = std::lower_bound(more_.begin(), more_.end(), id);
    if (at == more_.end() || *at != id) more_.insert(at, id);
  }

  std::array<StepId, 4> few_;  // of those, the first are in use
  std::size_t few_count_ = 0;
  std::vector<StepId> more_;  // the others, ascending
};

template <class... Ids>
[[nodiscard]] After after(Ids... ids) {
  After all;
  (all.add(ids), ...);
  return all;
}
[[nodiscard]] inline After after(const std::vector<StepId>& ids) { return {ids}; }

}  // namespace stretto
