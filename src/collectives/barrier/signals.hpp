// What barriers are made of: signals up a tree, round by round, and down a tree.
#pragma once

#include <vector>

#include "patterns/binomial.hpp"
#include "patterns/dissemination.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// All of this rank's subtree have come when these are done; its parent may hear of it.
inline std::vector<StepId> collect_arrivals(Builder& step, const BinomialTree& tree) {
  std::vector<StepId> arrived;
  for (const auto& child : tree.children_near_first()) arrived.push_back(step.await(child.rank));
  if (!tree.is_root()) step.signal(tree.parent(), after(arrived));
  return arrived;
}

// What is `heard` by this rank becomes what is heard by any of so many.
inline void spread(Builder& step, int size, int me, std::vector<StepId>& heard) {
  // A signal vouches for all earlier rounds, not only for the last.
  for (const auto& round : dissemination_rounds(size, me)) {
    step.signal(round.ahead, after(heard));
    heard.push_back(step.await(round.behind));
  }
}

// All may go on, the root from `released` on.
inline void release(Builder& step, const BinomialTree& tree, After released) {
  if (!tree.is_root()) released = after(step.await(tree.parent()));
  for (const auto& child : tree.children_far_first()) step.signal(child.rank, released);
}

}  // namespace stretto
