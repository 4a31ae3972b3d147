// Who called the function that calls MPI, and who called that.
#pragma once

#include <compare>
#include <vector>

#include "intercept/shared/caller.hpp"
#include "intercept/shared/python.hpp"

namespace stretto::intercept {

// A place on the stack: where a function returns to, or a line of Python.
struct StackPlace {
  void* caller = nullptr;
  const PythonLine* line = nullptr;  // of the Python program, where it is one
  friend auto operator<=>(const StackPlace&, const StackPlace&) = default;
};
using CallPath = std::vector<StackPlace>;

// Those above a call that returns to `caller` (see caller_in_program), in Python's `line` if there
// is one, the nearest first. With the call itself they are `depth`, fewer where the stack ends, and
// more where those lie in libraries: then up to the program's own file, if it is there at all.
// Walks up the stack, which costs a microsecond or more; of Python with the interpreter's lock.
void find_path(void* caller, const PythonLine* line, int depth, CallPath& path);

}  // namespace stretto::intercept
