// The line of a Python program behind a call that mpi4py makes for it.
#pragma once

#include <string>
#include <vector>

#include "intercept/shared/caller.hpp"

namespace stretto::intercept {

struct PythonLine {
  std::string file;
  std::string function;  // with its class, as Python qualifies names
  int number = 0;
};

// To be called before the other: which Python this process has, if any.
void find_python();

// The line that called mpi4py, where `caller` is code of mpi4py's that is about to get control
// back; the same for the same place, for good. nullptr where there is none, or it is not known.
// Takes the interpreter's lock for a place that is new, and for each call with a Python of which
// the layout of frames is not known (3.11 to 3.13 are).
[[nodiscard]] const PythonLine* python_line(void* caller);

// The lines that called the function of the line that python_line() found just now, the nearest
// first, at most so many. Takes the interpreter's lock.
[[nodiscard]] std::vector<const PythonLine*> python_callers(int most);

// That line's, where there is one, or else the caller's.
[[nodiscard]] CodePlace place_of(void* caller, const PythonLine* line);

}  // namespace stretto::intercept
