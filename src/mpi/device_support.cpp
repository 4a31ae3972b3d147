#include "mpi/device_support.hpp"

#include "mpi/native.hpp"

namespace stretto {

DeviceSupport device_support() {
  for (const char* name : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support",
                           "MPIX_Query_hip_support", "MPIX_Query_ze_support"}) {
    const auto query = reinterpret_cast<int (*)()>(native_symbol(name));
    if (query != nullptr && query() != 0) return DeviceSupport::yes;
  }
  const auto supports =
      reinterpret_cast<int (*)(int type, int* supported)>(native_symbol("MPIX_GPU_query_support"));
  // Open MPI does not know what UCX takes, so its no says nothing (open-mpi/ompi issue 7963).
  if (supports == nullptr) return DeviceSupport::unknown;
  for (const int type : {0, 1, 2}) {  // MPIX_GPU_SUPPORT_CUDA, _ZE, _HIP
    int supported = 0;
    if (supports(type, &supported) == MPI_SUCCESS && supported != 0) return DeviceSupport::yes;
  }
  return DeviceSupport::no;
}

}  // namespace stretto
