// Where in the program a call was made.
#pragma once

#include <string>

namespace stretto::intercept {

// To be called before the others.
void find_bindings();

// The program's own address behind a call of ours that returns to `caller`: the same, except
// in Fortran, whose bindings call the C functions, and where a tool is called before Stretto. Those
// cost a walk up the stack.
[[nodiscard]] void* caller_in_program(void* caller);

// Is the code at this address neither the MPI's nor Stretto's?
[[nodiscard]] bool is_programs(void* address);

// A place as the report names it: the file it is in and its address there, as its debug
// information has it, and the symbol it belongs to, where there is one; or a source and a line.
struct CodePlace {
  std::string object;
  unsigned long offset = 0;
  std::string symbol;
  bool is_source = false;  // `offset` is a line of `object`
};
[[nodiscard]] CodePlace place_of(void* address);

}  // namespace stretto::intercept
