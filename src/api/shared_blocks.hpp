// Calls so short that the ranks of a host exchange their blocks without a message (see
// transport/shm/shared_blocks.hpp), by an algorithm of one round.
#pragma once

#include <optional>

#include "api/call.hpp"

namespace stretto::shared_blocks {

// Does this call go by them? The same on all ranks.
[[nodiscard]] bool runs(const Call& call, const Decision& decision);
// Returns an MPI error code; the error handler was not called.
int run(const Call& call, const Decision& decision);

// Of a call of which that is known, and whose data are plain memory on this rank. Nothing where
// they are not.
[[nodiscard]] std::optional<PlainBlock> plain_block(const Call& call, const Communicator& comm);

// A call like this one, now that nothing has to be decided; nullptr where there was none, or where
// something has. On all ranks alike, but for those whose datatypes are not plain: they decide the
// same.
[[nodiscard]] const KnownCall* find(const Call& call);
int run_again(const Call& call, const KnownCall& known);

}  // namespace stretto::shared_blocks
