// One function a verb: prints JSON lines and returns the exit code.
#pragma once

#include <ostream>

#include "programs/schedule/arguments.hpp"
#include "topology/machine.hpp"

namespace stretto::programs {

inline constexpr int kOk = 0;
inline constexpr int kFaultFound = 3;
inline constexpr int kUnsuited = 3;  // a simulation that cannot be made, or not this way

int list(const Arguments& arguments, std::ostream& out);
int show(Arguments& arguments, std::ostream& out);
int cost(Arguments& arguments, std::ostream& out);
int simulate(Arguments& arguments, std::ostream& out);
int cells(Arguments& arguments, std::ostream& out);
int explain(Arguments& arguments, std::ostream& out);
int verify(Arguments& arguments, std::ostream& out);

// The one that --machine names.
[[nodiscard]] Machine read_machine(Arguments& arguments);
[[nodiscard]] Machine read_machine(std::string_view path);

}  // namespace stretto::programs
