#include "model/costs.hpp"

namespace stretto::model {

Costs::Costs(const Machine& machine, std::int64_t element_bytes, std::int64_t signal_bytes,
             double added_share)
    : machine_(machine),
      element_bytes_(element_bytes),
      signal_bytes_(signal_bytes),
      added_share_(added_share),
      last_message_(machine.levels.size()) {}

CostId Costs::other_message(std::size_t level, Count elements) {
  const auto [known, is_new] = message_ids_.try_emplace({level, elements}, messages_.size());
  if (is_new) {
    const std::int64_t bytes = elements == 0 ? signal_bytes_ : elements * element_bytes_;
    const Level& between = machine_.levels[level];
    MessageCost cost = message_cost(between, bytes);
    // As if both ends were in the collective by then: the receiver answers at once.
    cost.wire += added_share_ * (between.added_latency + cost.answered) - between.added_latency;
    messages_.push_back({cost, static_cast<std::uint32_t>(level), bytes});
  }
  last_message_[level] = {elements, known->second};
  return known->second;
}

CostId Costs::other_work(bool reduces, Count elements) {
  const auto [known, is_new] = work_ids_.try_emplace({reduces, elements}, works_.size());
  if (is_new) {
    const auto bytes = static_cast<double>(elements * element_bytes_);
    works_.push_back(reduces ? machine_.reduce + bytes * machine_.reduce_per_byte
                             : machine_.copy + bytes * machine_.copy_per_byte);
  }
  last_work_[reduces ? 1 : 0] = {elements, known->second};
  return known->second;
}

}  // namespace stretto::model
