// The transports that carry a process's messages.
#pragma once

#include <memory>
#include <vector>

#include "transport/transport.hpp"

namespace stretto {

// In the order in which they are preferred; the last reaches all ranks.
using Transports = std::vector<std::unique_ptr<Transport>>;

// All that Stretto has.
[[nodiscard]] Transports make_transports();

}  // namespace stretto
