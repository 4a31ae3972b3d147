// Virtual time of neighbourhood collectives. A rank knows its own neighbours alone, and what they
// wait for is each other: so clocks go from neighbour to neighbour, a clock message with each
// block.
#pragma once

#include <cstdint>
#include <utility>

#include "intercept/whatif/process.hpp"
#include "model/inbox.hpp"
#include "mpi/call.hpp"
#include "trace/op.hpp"

namespace stretto::intercept::whatif {

// A collective that this rank may begin.
struct Planned {
  CommPtr comm{};
  CallSiteKey call_site{};
  trace::Op op{};          // what is written down, but for its slot and its call site
  bool names = false;      // what is made of it: the communicator's first rank names the new one
  float took_ns = 0;       // ClockMessage::took_ns
  std::int64_t turns = 0;  // of a persistent one: how often it was started

  // All its ranks send to each other, and none waits for another's answer.
  [[nodiscard]] bool together() const { return comm->together && !names; }
};

// A collective of a communicator: its ClockedComm::id, and the collective's number there.
using CollectiveKey = std::pair<std::int64_t, std::int64_t>;

// One that it has begun.
struct Begun {
  CommPtr comm{};
  std::int64_t number = 0;
  OpenCall open{};
  bool meets = false;                       // ends when the last one has come
  MPI_Comm duplicate = native().comm_null;  // what MPI_Comm_idup makes
  std::size_t from = 0;                     // of neighbours: how many clock messages it takes

  [[nodiscard]] CollectiveKey key() const { return {comm->id, number}; }
};

// What a neighbourhood collective sends and gets.
void plan_exchange(const Call& call, Planned& planned);

class NeighborExchanges {
 public:
  // All but finish only with the mutex held.
  void begin(const Planned& planned, Begun& begun);
  void came(const ClockMessage& block) { came_.add({block.comm, block.order}, block); }
  [[nodiscard]] bool is_over(const Begun& begun) const {
    return came_.has(begun.key(), begun.from);
  }
  // Waits for the neighbours' blocks.
  void finish(const Begun& begun);

 private:
  model::Inbox<CollectiveKey, ClockMessage> came_;
};

}  // namespace stretto::intercept::whatif
