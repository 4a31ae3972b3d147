// end_if_free by value.
#pragma once

#include "model/meaning.hpp"

namespace stretto::model {

[[nodiscard]] inline std::vector<double> ends_if_free(Collective collective, Rank root,
                                                      const std::vector<double>& arrivals) {
  std::vector<double> ends;
  end_if_free(collective, root, arrivals, ends);
  return ends;
}

}  // namespace stretto::model
