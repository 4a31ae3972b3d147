// More elements than an int can count, as one element of a datatype made for it: for an MPI
// without the functions of MPI 4.0 that count further.
#pragma once

#include "mpi/native.hpp"

namespace stretto {

class LargeType {
 public:
  LargeType(std::int64_t count, MPI_Datatype type);
  // What has been started with it goes on.
  ~LargeType();
  LargeType(const LargeType&) = delete;
  LargeType& operator=(const LargeType&) = delete;

  // Of the datatype's making.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] MPI_Datatype get() const { return all_; }

 private:
  MPI_Datatype all_{};
  int error_ = MPI_SUCCESS;
};

}  // namespace stretto
