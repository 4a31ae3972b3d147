// The clocks that a program reads while its time is virtual.
#pragma once

namespace stretto::intercept::whatif {

// Virtual time begins: what they all show now is what they go on from.
void remember_beginnings();

}  // namespace stretto::intercept::whatif
