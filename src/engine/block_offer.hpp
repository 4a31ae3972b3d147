// How the ranks of a new communicator come to shared blocks (transport/shm/shared_blocks.hpp): with
// what else they agree on they offer each other the sets that each of them has left.
#pragma once

#include <cstdint>

#include "engine/agreement.hpp"
#include "engine/communicator.hpp"

namespace stretto {

class BlockOffer {
 public:
  // For `made`, whose channel is known. Every offer is settled.
  BlockOffer(const Members& members, const Communicator& made);
  // To be agreed on.
  [[nodiscard]] std::uint64_t flags() const;
  void settle(const Agreement& agreement);
  // Its routes and surroundings are known now. There may be no set left, or some of its ranks may
  // not share memory: on all of them alike.
  void give_to(Communicator& made) const;

 private:
  shm::BlockSets& sets_;
  shm::BlockSets::Bits offered_ = 0;
  int set_ = -1;
};

}  // namespace stretto
