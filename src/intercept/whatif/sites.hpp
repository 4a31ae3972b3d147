// Where in the program virtual time goes into collectives.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "model/group_times.hpp"

namespace stretto::intercept::whatif {

// All calls of one function at one place on communicators of one size.
struct SiteKey {
  const char* function = nullptr;
  void* caller = nullptr;
  int size = 0;

  friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
};

using Sites = std::map<SiteKey, model::SiteTimes>;

}  // namespace stretto::intercept::whatif
