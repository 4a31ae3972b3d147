// Blocking broadcasts and scatters among ranks of a host: the root says in memory that all of them
// see what comes (transport/shm/root_sends.hpp). It alone decides by its own number of bytes, as
// MPIs let pass that others name another, as where they do not know how short a text is.
#pragma once

#include <optional>

#include "api/call.hpp"

namespace stretto::root_sends {

// Of a call in whose communicator roots do so (Communicator::by_root). What it returns if it is
// over then, of which the error handler was not called; nothing: it comes in another way, on all
// ranks.
[[nodiscard]] std::optional<int> run(const Call& call, Communicator& comm);

}  // namespace stretto::root_sends
