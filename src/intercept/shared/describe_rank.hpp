// What every rank's file begins with.
#pragma once

#include <string>

#include "base/json.hpp"

namespace stretto::intercept {

// Which rank it is, and on what.
struct RankDescription {
  int rank = 0;
  int size = 0;
  std::string mpi;
  std::string host;

  // This rank's. Asks the MPI.
  [[nodiscard]] static RankDescription here();
};

// Fields: which rank it is, on what, and how often others had its core until now.
void describe_rank(Json& json, const RankDescription& rank);
inline void describe_rank(Json& json) { describe_rank(json, RankDescription::here()); }

}  // namespace stretto::intercept
