// Ranks of one host that share memory and have cores of their own: which algorithm runs a call, and
// when it is faster than the MPI's.
#pragma once

#include "selection/selection.hpp"

namespace stretto {

// The bytes of a query that asks whether there is any size of which the answer is yes.
inline constexpr Count kSomeBytes = INT64_MAX;

// Is a blocking call faster than Open MPI's and MPICH's? Limits are powers of two (see Contests).
[[nodiscard]] bool is_fast_in_memory(const Query& query, const Surroundings& around);

// Communicators of more ranks have no shared blocks, as each rank reads all others'.
inline constexpr int kMostWithBlocks = 16;

// What a root says goes with that up to so many bytes, of a scatter for all ranks together.
inline constexpr Count kMostByRoot = 8192;

// The algorithm of one round for a call so short that ranks who share blocks read each other's
// where they were written: faster than any other and than the MPIs', whether or not they have cores
// of their own. No algorithm where there is none.
[[nodiscard]] Choice choose_in_shared_blocks(const Query& query, const Surroundings& around);

// In which algorithm the root of a blocking collective says what comes
// (transport/shm/root_sends.hpp) where ranks share blocks and cores; nullptr where it does not.
// Where ranks have cores of their own all but the shortest calls would lose the tenth of a
// microsecond that it takes to look.
[[nodiscard]] const Algorithm* algorithm_by_root(Collective collective, int ranks,
                                                 const Surroundings& around);
// Has `stretto tune` found that a call of so many bytes goes better in another way?
[[nodiscard]] bool is_better_by_rule(const Query& query, const Surroundings& around,
                                     const Algorithm& by_root);
// The same of a call of so many bytes, for those who explain it: `choose` may not name it, as it is
// asked by ranks that do not know the root's number of bytes.
[[nodiscard]] Choice choose_by_root(const Query& query, const Surroundings& around);

// No algorithm where no rule was measured: the algorithms' times decide then.
[[nodiscard]] Choice choose_in_memory(const Query& query, const Surroundings& around);

}  // namespace stretto
