// Which ranks a collective's schedule is for.
#pragma once

#include "api/call.hpp"

namespace stretto {

// `call` has been checked.
[[nodiscard]] Scope scope_of(const Call& call, const Communicator& comm);

}  // namespace stretto
