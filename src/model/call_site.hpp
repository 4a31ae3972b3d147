// Where in a program virtual time goes into collectives.
#pragma once

#include <cstdint>
#include <string>

#include "model/rank_clocks.hpp"

namespace stretto::model {

// All calls of one function at one place on communicators of one size.
struct CallSite {
  std::string function{};
  std::string object{};     // the file of the code
  std::int64_t offset = 0;  // there
  std::string symbol{};
  bool is_source = false;  // `object` is a source file and `offset` a line of it
  int ranks = 0;           // of the communicator
};

// What they take a rank, in the first scenario.
struct CallSiteTimes {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  double waiting_ns = 0;   // for ranks that come later
  double transfer_ns = 0;  // what it would gain if it cost nothing

  void add(std::int64_t of_bytes, const Waited& waited);
};

}  // namespace stretto::model
