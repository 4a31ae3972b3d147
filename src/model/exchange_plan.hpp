// What a rank sends and receives in a neighbourhood collective, read off its own schedule.
#pragma once

#include <memory>
#include <vector>

#include "schedule/graph.hpp"
#include "schedule/shape.hpp"

namespace stretto::model {

struct ExchangePlan {
  struct Block {
    Rank to = 0;  // in the communicator; the rank itself where it is copied
    int number = 0;
  };
  std::vector<Block> blocks{};  // in the order in which they are sent
  int from = 0;                 // how many come from other ranks
};

// Of a communicator of so many ranks, of whose neighbours `graph` need know this rank's alone.
// Throws std::logic_error where something that is sent has to be received before: what a rank of a
// run in virtual time sends is on its way as it begins.
[[nodiscard]] ExchangePlan exchange_plan(Collective collective, int ranks,
                                         const std::shared_ptr<const Graph>& graph, Rank me);

}  // namespace stretto::model
