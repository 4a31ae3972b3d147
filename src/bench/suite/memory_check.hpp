// Whether the buffers of a cell fit into the memory of the hosts it is measured on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "topology/topology.hpp"

namespace stretto::bench {

class MemoryCheck {
 public:
  // Called by all ranks of `comm`, which is the caller's and stays; `hosts` is of its ranks.
  MemoryCheck(MPI_Comm comm, const Topology& hosts);
  ~MemoryCheck();
  MemoryCheck(const MemoryCheck&) = delete;
  MemoryCheck& operator=(const MemoryCheck&) = delete;

  // Called by all ranks, with the bytes of what each is about to allocate: where all of one host
  // need more than it has, of that which lacks most what it needs and has; else empty. The same on
  // all ranks.
  [[nodiscard]] std::string shortage_of(std::int64_t buffer_bytes) const;

 private:
  MPI_Comm comm_;
  MPI_Comm host_{};     // what has a name of its own: a container, which has limits of its own
  MPI_Comm machine_{};  // what has a kernel of its own
};

}  // namespace stretto::bench
