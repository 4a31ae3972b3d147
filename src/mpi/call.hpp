// A collective call as MPI describes it.
#pragma once

#include <cstddef>
#include <cstring>

#include "mpi/native.hpp"
#include "schedule/shape.hpp"
#include "selection/selection.hpp"

namespace stretto {

// An array of counts or displacements: int, or in large-count forms MPI_Count or MPI_Aint.
class Numbers {
 public:
  Numbers() = default;
  template <class Number>
  Numbers(const Number* first) : first_(first), bytes_(sizeof(Number)) {
    static_assert(sizeof(Number) == sizeof(int) || sizeof(Number) == sizeof(Count));
  }

  explicit operator bool() const { return first_ != nullptr; }
  Count operator[](std::size_t i) const {
    if (bytes_ == sizeof(int)) return static_cast<const int*>(first_)[i];
    Count number = 0;  // MPI_Aint and MPI_Count may be different types of one size
    std::memcpy(&number, static_cast<const std::byte*>(first_) + i * bytes_, sizeof number);
    return number;
  }

 private:
  const void* first_ = nullptr;
  std::size_t bytes_ = sizeof(int);
};

// Arguments that a collective does not have keep their defaults. Those of one buffer
// (bcast) or of one count and type (reductions) use the recv ones. Gatherv and its kind are
// gathers and so on that give counts and displacements, one a rank or neighbour: in extents
// of the type, or, with a type each (alltoallw), in bytes.
struct Call {
  Collective collective{};
  Form form = Form::blocking;
  bool uneven = false;  // gatherv and its kind; of reductions MPI_Reduce_scatter
  const void* sendbuf = nullptr;
  Count sendcount = 0;
  Numbers sendcounts{};
  Numbers senddispls{};
  MPI_Datatype sendtype{};
  const MPI_Datatype* sendtypes = nullptr;
  void* recvbuf = nullptr;
  Count recvcount = 0;
  Numbers recvcounts{};
  Numbers recvdispls{};
  MPI_Datatype recvtype{};
  const MPI_Datatype* recvtypes = nullptr;
  MPI_Op op{};
  int root = 0;
  MPI_Comm comm{};
};

}  // namespace stretto
