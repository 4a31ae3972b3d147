#include "model/costs.hpp"

namespace stretto::model {

Costs::Costs(const Machine& machine, std::int64_t element_bytes, std::int64_t signal_bytes)
    : machine_(machine),
      element_bytes_(element_bytes),
      signal_bytes_(signal_bytes),
      last_message_(machine.levels.size()) {}

CostId Costs::message(Rank from, Rank to, Count elements) {
  const std::size_t level = machine_.level_between(from, to);
  Last& last = last_message_[level];
  if (last.key == elements) return last.id;
  const auto [known, is_new] = message_ids_.try_emplace({level, elements}, messages_.size());
  if (is_new) {
    const std::int64_t bytes = elements == 0 ? signal_bytes_ : elements * element_bytes_;
    messages_.push_back(
        {message_cost(machine_.levels[level], bytes), static_cast<std::uint32_t>(level), bytes});
  }
  last = {elements, known->second};
  return last.id;
}

CostId Costs::work(StepKind kind, Count elements) {
  if (elements == 0) return kFree;
  const bool reduces = kind == StepKind::reduce;
  Last& last = last_work_[reduces ? 1 : 0];
  if (last.key == elements) return last.id;
  const auto [known, is_new] = work_ids_.try_emplace({reduces, elements}, works_.size());
  if (is_new) {
    const auto bytes = static_cast<double>(elements * element_bytes_);
    works_.push_back(reduces ? machine_.reduce + bytes * machine_.reduce_per_byte
                             : machine_.copy + bytes * machine_.copy_per_byte);
  }
  last = {elements, known->second};
  return last.id;
}

}  // namespace stretto::model
