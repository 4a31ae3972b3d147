// One side of a call, what a rank sends or receives: arguments and the memory they mean.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "action.hpp"
#include "buffer.hpp"
#include "types.hpp"

namespace differential {

// Until it is described, a side is not significant: what a call must not look at.
struct Side {
  void* data = reinterpret_cast<void*>(std::uintptr_t{64});
  int count = -77;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<int> counts, displs;  // of MPI_Alltoallw displacements in bytes
  std::vector<MPI_Aint> places;     // in bytes, of MPI_Neighbor_alltoallw
  std::vector<MPI_Datatype> types;

  Buffer buffer;
  Type element;

  // A vector to reduce.
  void describe_vector(int reduction, int elements);
  // Blocks of so many elements each; `random` draws how they lie and are called. Those to send
  // may be the same memory.
  void describe_blocks(const Arguments& arguments, const std::vector<int>& blocks, Random random,
                       bool sent);

 private:
  int lay_out(const Arguments& arguments, Random& random, bool sent);
  void describe_each(const Arguments& arguments, Random& random);
  void describe_alike(int ints, int without_blocks);
};

}  // namespace differential
