// What the neighbourhood collectives have in common: a message to each neighbour and one
// from each, all at once.
#pragma once

#include <vector>

#include "schedule/builder.hpp"

namespace stretto {

// `outgoing(k)` is what goes to destination k; what comes from source k is block k.
template <class Outgoing>
void exchange_with_neighbors(Builder& step, const Neighbors& mine, Count count, Rank me,
                             const Outgoing& outgoing) {
  const auto peer_of = [](const std::vector<Edge>& edges, int k) {
    return edges[static_cast<std::size_t>(k)].peer;
  };
  std::vector<Region> from_myself;
  for (const int k : in_message_order(mine.sources)) {
    const Region block = step.output({k * count, count});
    const Rank peer = peer_of(mine.sources, k);
    if (peer == me) {
      from_myself.push_back(block);
    } else {
      step.recv(peer, block);
    }
  }
  auto to_myself = from_myself.begin();
  for (const int k : in_message_order(mine.destinations)) {
    const Rank peer = peer_of(mine.destinations, k);
    if (peer == me) {
      step.copy(outgoing(k), *to_myself++);
    } else {
      step.send(peer, outgoing(k));
    }
  }
}

}  // namespace stretto
