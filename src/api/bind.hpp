// The buffers of a call as its schedule's.
#pragma once

#include "api/call.hpp"

namespace stretto {

[[nodiscard]] Binding bind(const Call& call, const Communicator& comm, const Scope& scope,
                           const Shape& shape);

}  // namespace stretto
