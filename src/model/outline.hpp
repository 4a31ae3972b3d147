// A schedule as the event engine takes it: copies and reductions that wait for the same steps, and
// so become ready together, are one node of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace stretto::model {

struct Outline {
  struct Node {
    StepId first = 0;               // its first step
    std::int32_t first_member = 0;  // in `members`
    std::int32_t size = 0;          // steps
    std::int32_t first_wait = 0;    // in `waits`
    std::int32_t waits = 0;
  };
  // For another node: until so many of its steps are done.
  struct Wait {
    std::int32_t node = 0;
    std::int32_t done = 0;
  };

  std::vector<Node> nodes{};  // by their first steps
  std::vector<StepId> members{};
  std::vector<Wait> waits{};
  // Until how many of a node's steps are done those wait that wait for it; the last of them first.
  std::vector<std::int32_t> awaited{};
  std::vector<std::int32_t> first_awaited{};  // by node, and one beyond the last

  [[nodiscard]] std::span<const StepId> members_of(const Node& node) const {
    return std::span(members).subspan(static_cast<std::size_t>(node.first_member),
                                      static_cast<std::size_t>(node.size));
  }
  [[nodiscard]] std::span<const Wait> waits_of(const Node& node) const {
    return std::span(waits).subspan(static_cast<std::size_t>(node.first_wait),
                                    static_cast<std::size_t>(node.waits));
  }
  [[nodiscard]] std::span<const std::int32_t> awaited_of(std::size_t node) const {
    const auto first = static_cast<std::size_t>(first_awaited[node]);
    return std::span(awaited).subspan(first,
                                      static_cast<std::size_t>(first_awaited[node + 1]) - first);
  }
};

[[nodiscard]] Outline outline_of(const Schedule& schedule);

}  // namespace stretto::model
