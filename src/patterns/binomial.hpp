// Binomial tree: the k-nomial tree of radix 2, by far the most used.
#pragma once

#include "patterns/knomial.hpp"

namespace stretto {

class BinomialTree : public KnomialTree {
 public:
  BinomialTree(int size, int root, int me) : KnomialTree(size, root, me, 2) {}
};

}  // namespace stretto
