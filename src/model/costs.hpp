// What each message and each piece of work costs, a number for each different one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/machine.hpp"

namespace stretto::model {

using CostId = std::uint32_t;
inline constexpr CostId kFree = 0;  // costs nothing

class Costs {
 public:
  // `element_bytes` to an element; a message of no elements carries `signal_bytes`. Of the latency
  // that was added to a level `added_share` counts: what multiplies all times later must not
  // multiply that.
  Costs(const Machine& machine, std::int64_t element_bytes, std::int64_t signal_bytes,
        double added_share = 1);

  [[nodiscard]] CostId message(Rank from, Rank to, Count elements) {
    const std::size_t level = machine_.level_between(from, to);
    const Last& last = last_message_[level];
    return last.key == elements ? last.id : other_message(level, elements);
  }
  // Of a copy or a reduction; a copy of nothing, which joins its dependencies, is free.
  [[nodiscard]] CostId work(StepKind kind, Count elements) {
    if (elements == 0) return kFree;
    const bool reduces = kind == StepKind::reduce;
    const Last& last = last_work_[reduces ? 1 : 0];
    return last.key == elements ? last.id : other_work(reduces, elements);
  }

  struct Message : MessageCost {
    std::uint32_t level = 0;
    std::int64_t bytes = 0;
  };
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] const std::vector<double>& works() const { return works_; }

 private:
  // The last one asked for is nearly always the next.
  struct Last {
    std::int64_t key = -1;
    CostId id = kFree;
  };
  using Known = std::map<std::pair<std::size_t, std::int64_t>, CostId>;

  CostId other_message(std::size_t level, Count elements);
  CostId other_work(bool reduces, Count elements);

  const Machine& machine_;
  std::int64_t element_bytes_;
  std::int64_t signal_bytes_;
  double added_share_;
  std::vector<Message> messages_{1};
  std::vector<double> works_{0.0};
  Known message_ids_;  // by level and elements
  Known work_ids_;     // by kind and elements
  std::vector<Last> last_message_;
  Last last_work_[2];
};

}  // namespace stretto::model
