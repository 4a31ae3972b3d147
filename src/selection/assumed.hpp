// The machine that selection takes a program's to be, as long as nothing is known of it.
#pragma once

#include "topology/machine.hpp"

namespace stretto {

[[nodiscard]] const Machine& assumed_machine();

}  // namespace stretto
