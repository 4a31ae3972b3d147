#include "intercept/shared/describe_rank.hpp"

#include <sys/resource.h>

#include "mpi/native.hpp"
#include "topology/topology.hpp"

namespace stretto::intercept {

void describe_rank(Json& json) {
  int rank = 0;
  int size = 0;
  native().Comm_rank(native().comm_world, &rank);
  native().Comm_size(native().comm_world, &size);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json.field("rank", rank)
      .field("size", size)
      .field("abi", STRETTO_ABI)
      .field("mpi", std::string_view(native_version()))
      .field("host", static_cast<const char*>(Affinity::here().host.data()))
      .field("involuntary_switches", usage.ru_nivcsw);
}

}  // namespace stretto::intercept
