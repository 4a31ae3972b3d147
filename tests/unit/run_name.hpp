// A name that no other run of the tests has, and that the processes of a death test have, too,
// which are started anew ("threadsafe").
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace stretto {

inline std::string run_name() {
  constexpr const char* kVariable = "STRETTO_UNIT_TESTS_RUN";
  constexpr int kUnlessSet = 0;
  ::setenv(kVariable, std::to_string(::getpid()).c_str(), kUnlessSet);
  return std::getenv(kVariable);
}

}  // namespace stretto
