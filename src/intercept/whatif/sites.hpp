// Where in the program virtual time goes into collectives.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

namespace stretto::intercept::whatif {

// All calls of one function at one place on communicators of one size; times of this rank, as is.
struct Site {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  double waiting_ns = 0;   // for ranks that come later
  double transfer_ns = 0;  // what it would gain if it cost nothing
};

struct SiteKey {
  const char* function = nullptr;
  void* caller = nullptr;
  int size = 0;

  friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
};

using Sites = std::map<SiteKey, Site>;

}  // namespace stretto::intercept::whatif
