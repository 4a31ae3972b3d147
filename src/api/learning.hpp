// Blocking calls of the program find out which algorithm runs such calls fastest: what of them is
// the same on all ranks, and so makes them of one kind, and how the ranks agree (see Contest).
#pragma once

#include <vector>

#include "api/arguments.hpp"
#include "api/call.hpp"
#include "selection/learned.hpp"

namespace stretto::learning {

// What runs a call, by what has been learned.
struct Turn {
  Contest* contest = nullptr;      // end_turn is to know how long the call took
  Reason passes = Reason::none;    // else it is the MPI's, and needs no decision
  const Choice* choice = nullptr;  // for `decide`
  // Or it goes by shared blocks as one like it did, and needs none either.
  const KnownCall* by_blocks = nullptr;
};

// Is a call the MPI's, and known to be by one that was like it, and why? That must take no time, as
// the MPI's fastest take a tenth of a microsecond.
[[nodiscard, gnu::always_inline]] inline Reason passes(const Communicator& comm, const Call& call) {
  if (comm.learned == nullptr) return Reason::none;
  const KnownCall& known = comm.learned->known(call, comm.rank);
  if (!known.is_like(call, is_in_place(call), comm.rank, comm.size)) return Reason::none;
  if (known.contest == nullptr) return known.passes;
  return known.contest->pass() ? Reason::native_faster : Reason::none;
}

// Of any other blocking call: once for each, before anything else.
[[nodiscard]] Turn take_turn(const Call& call);
// At times collective over call.comm.
void end_turn(const Call& call, const Turn& turn, std::int64_t ns);

// From earlier runs, on all ranks the same: before the first call.
void know(std::vector<Learned> all);
// By this rank's calls, on any communicator; and what was known and has not been learned anew.
[[nodiscard]] std::vector<Learned> learned();
[[nodiscard]] std::vector<Learned> known();

}  // namespace stretto::learning
