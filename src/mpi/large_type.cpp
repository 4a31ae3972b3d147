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
  const auto contiguous = [&](std::int64_t number, MPI_Datatype of, MPI_Datatype* made) {
    if (error_ != MPI_SUCCESS) return;
    error_ = mpi.Type_contiguous(static_cast<int>(number), of, made);
  };
  contiguous(kPart, type, &part);
  contiguous(count / kPart, part, &parts);
  contiguous(count % kPart, type, &rest);
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(count / kPart * kPart) * extent};
  const std::array<MPI_Datatype, 2> types{parts, rest};
  if (error_ == MPI_SUCCESS) {
    error_ = mpi.Type_create_struct(2, lengths.data(), places.data(), types.data(), &all_);
  }
  if (error_ == MPI_SUCCESS) error_ = mpi.Type_commit(&all_);
  for (MPI_Datatype* const made : {&part, &parts, &rest}) {
    if (*made != MPI_Datatype{}) mpi.Type_free(made);
  }
}

LargeType::~LargeType() {
  if (all_ != MPI_Datatype{}) native().Type_free(&all_);
}

}  // namespace stretto
