#include "mpi/large_type.hpp"

#include <array>

namespace stretto {
namespace {

constexpr std::int64_t kPart = std::int64_t{1} << 30;  // elements

}  // namespace

LargeType::LargeType(std::int64_t count, MPI_Datatype type) {
  const Native& mpi = native();
  MPI_Datatype part{};
  MPI_Datatype parts{};
  MPI_Datatype rest{};
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  mpi.Type_get_extent(type, &lower_bound, &extent);
  mpi.Type_contiguous(static_cast<int>(kPart), type, &part);
  mpi.Type_contiguous(static_cast<int>(count / kPart), part, &parts);
  mpi.Type_contiguous(static_cast<int>(count % kPart), type, &rest);
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(count / kPart * kPart) * extent};
  const std::array<MPI_Datatype, 2> types{parts, rest};
  error_ = mpi.Type_create_struct(2, lengths.data(), places.data(), types.data(), &all_);
  if (error_ == MPI_SUCCESS) error_ = mpi.Type_commit(&all_);
  for (MPI_Datatype* const made : {&part, &parts, &rest}) mpi.Type_free(made);
}

LargeType::~LargeType() { native().Type_free(&all_); }

}  // namespace stretto
