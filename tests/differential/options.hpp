// The command line of `sequences`.
#pragma once

#include <optional>
#include <string>

#include "executor.hpp"

namespace differential {

struct Options {
  Seed seed = 1;
  int first = 0;
  int count = 1;
  std::string out = ".";
  bool describe = false;
  bool callbacks = false;  // call MPI
  Simpler simpler;
  Manner manner;
};

// Nothing after a line on stderr, where it cannot be read.
std::optional<Options> parse(int argc, char** argv);

}  // namespace differential
