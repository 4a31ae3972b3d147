#include "engine/transports.hpp"

#include "base/config.hpp"
#include "mpi/element.hpp"
#include "mpi/opaque.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/shm/shm_transport.hpp"

namespace stretto {

Transports make_transports() {
  Transports transports;
  if (switch_setting("STRETTO_SHARED_MEMORY").value_or(true)) {
    transports.push_back(
        std::make_unique<shm::ShmTransport>(shm::Packing{.copy = copy,
                                                         .packed = opaque(native().packed),
                                                         .truncated = MPI_ERR_TRUNCATE,
                                                         .cancelled = MPI_ERR_OTHER}));
  }
  transports.push_back(std::make_unique<MpiTransport>());
  return transports;
}

}  // namespace stretto
