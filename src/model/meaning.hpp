// What a collective's result needs: how early each rank could be done if moving data cost nothing.
#pragma once

#include <vector>

#include "schedule/shape.hpp"

namespace stretto::model {

// When each rank is done with a collective that costs nothing, given when each begins it, in any
// unit. Whoever gets data of all ranks waits for the last of them (MPI_Allreduce, and the root of
// an MPI_Reduce); what goes down from the root waits for the root alone, and MPI_Scan for the
// ranks before (MPI 4.1, 6.1: a collective need not synchronise beyond that).
// `ends` keeps its memory.
void end_if_free(Collective collective, Rank root, const std::vector<double>& arrivals,
                 std::vector<double>& ends);

}  // namespace stretto::model
