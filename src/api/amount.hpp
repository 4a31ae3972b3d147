// How much a call moves, and what selection is to know of it.
#pragma once

#include "api/call.hpp"

namespace stretto {

// Do the blocks have sizes only their own ranks know? So it is between neighbours, who need
// not be connected with all, and between groups, where each direction has its own.
[[nodiscard]] bool is_uneven(const Call& call, const Communicator& comm);

struct Amount {
  // Of the vector or of a rank's block; where blocks differ their mean, or 0 if not all know it.
  Count bytes = 0;
  Count elements = 0;  // Shape::count
  Count element_bytes = 1;
  bool too_large = false;  // for counts of int, and so on all ranks
};

// Of a call whose arguments are right.
[[nodiscard]] Amount amount_of(const Call& call, const Communicator& comm);

[[nodiscard]] bool is_commutative(MPI_Op op);

// Nothing is read of who has no part in the call (scope.idle).
[[nodiscard]] Query query_of(const Call& call, const Communicator& comm, const Scope& scope,
                             const Amount& amount);

}  // namespace stretto
