// Rules for up to 16 ranks that were measured between hosts, and those that need no measuring, as
// one algorithm runs the call.
#pragma once

#include "selection/selection.hpp"

namespace stretto {

[[nodiscard]] Choice choose_between_hosts(const Query& query);

}  // namespace stretto
