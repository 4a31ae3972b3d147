// Down a tree, from its root: what broadcasts and scatters are made of.
#pragma once

#include "schedule/builder.hpp"

namespace stretto {

// A rank gets `part(node)`, what is for the ranks of its subtree, from its parent and hands its
// children theirs, the largest subtree first. Nothing begins before `ready`; returns when this
// rank's part is here, at the root `ready` again.
template <class Tree, class Part>
[[gnu::always_inline]] inline After send_down(Builder& step, const Tree& tree, const Part& part,
                                              const After& ready = {}) {
  After here = ready;
  if (!tree.is_root()) here = after(step.recv(tree.parent(), part(tree.self()), ready));
  for (const auto& child : tree.children_far_first()) step.send(child.rank, part(child), here);
  return here;
}

}  // namespace stretto
