// The general engine: whatever a program waits for, in the order of virtual time.
#pragma once

#include <stdexcept>

#include "model/program.hpp"
#include "model/simulation.hpp"

namespace stretto::model {

struct Circle : std::logic_error {
  using std::logic_error::logic_error;
};

// A rank's CPU does one thing at a time, and so do its port in and its port out: what has been
// ready for longest first; of what is ready at one time receives last, then what its schedule
// names first. Throws Circle where ops wait for each other in a circle.
[[nodiscard]] Outcome run_events(Program program, const Costs& costs, const Machine& machine,
                                 const Conditions& conditions);

}  // namespace stretto::model
