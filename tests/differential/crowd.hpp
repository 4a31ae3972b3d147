// Communicators by the thousand.
#pragma once

#include "action.hpp"

namespace differential {

// Makes them in all ways, uses them while all are there, frees them; two halves, by a thread
// each where the program may. A digest of what came of it.
Seed run_crowd(const Action& action, bool threads);

}  // namespace differential
