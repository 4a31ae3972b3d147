// Sequences that are of a kind each, among those that mix everything.
#pragma once

#include <optional>
#include <vector>

#include "action.hpp"

namespace differential {

// MPICH 5.0's gathers of some 16 KB or more in structs, on four ranks or more, end with
// MPI_ERR_TYPE or with elements that are not what was sent: draws another type there.
void spare_long_structs(Arguments& arguments);

// Nothing where the sequence of that index is a mixed one.
std::optional<std::vector<Action>> draw_kind(Seed seed, int index, int most_communicators);

}  // namespace differential
