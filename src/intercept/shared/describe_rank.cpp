#include "intercept/shared/describe_rank.hpp"

#include <sys/resource.h>

#include "mpi/native.hpp"
#include "topology/topology.hpp"

namespace stretto::intercept {

RankDescription RankDescription::here() {
  RankDescription found{.mpi = native_version(),
                        .host = static_cast<const char*>(Affinity::here().host.data())};
  native().Comm_rank(native().comm_world, &found.rank);
  native().Comm_size(native().comm_world, &found.size);
  return found;
}

void describe_rank(Json& json, const RankDescription& rank) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json.field("rank", rank.rank)
      .field("size", rank.size)
      .field("abi", STRETTO_ABI)
      .field("mpi", std::string_view(rank.mpi))
      .field("host", std::string_view(rank.host))
      .field("involuntary_switches", usage.ru_nivcsw);
}

}  // namespace stretto::intercept
