// What every rank's file begins with.
#pragma once

#include "base/json.hpp"

namespace stretto::intercept {

// Fields: which rank it is, on what, and how often others had its core.
void describe_rank(Json& json);

}  // namespace stretto::intercept
