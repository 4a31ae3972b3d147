#include "engine/transports.hpp"

#include "transport/mpi/mpi_transport.hpp"

namespace stretto {

Transports make_transports() {
  Transports transports;
  transports.push_back(std::make_unique<MpiTransport>());
  return transports;
}

}  // namespace stretto
