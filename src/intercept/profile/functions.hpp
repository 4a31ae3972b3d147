// The MPI functions that are counted: the table is written from functions.txt.
#pragma once

#include <cstdint>

namespace stretto::intercept::profile {

enum class FunctionKind : std::uint8_t {
  collective,  // blocking
  start,       // of a nonblocking collective
  point_to_point,
  completion,  // Wait, Test and their kind
  probe,
  communicator,  // makes one
  one_sided,
  file,
  other,
};

struct Function {
  const char* name;
  FunctionKind kind;
  bool polls;  // asks whether something has happened, and does not wait for it
};

extern const Function kFunctions[];  // known before any code runs

[[nodiscard]] const char* name_of(FunctionKind kind);

}  // namespace stretto::intercept::profile
