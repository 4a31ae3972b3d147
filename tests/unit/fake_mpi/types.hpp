// Datatypes of the fake MPI: what lies where, and how it is packed.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace fake_mpi {

struct Type {
  // `count` of `type` in a row, `at` bytes from the element's address.
  struct Part {
    MPI_Aint at = 0;
    MPI_Count count = 1;
    std::shared_ptr<const Type> type;
  };

  MPI_Datatype named = MPI_DATATYPE_NULL;  // of a predefined one, which has no parts
  int combiner = MPI_COMBINER_NAMED;
  bool is_large = false;  // made by a function with large counts
  MPI_Count size = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower_bound = 0;
  MPI_Aint true_extent = 0;
  std::vector<Part> parts;
  // As MPI_Type_get_contents tells them; the types are those of `parts` unless they are here.
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<std::shared_ptr<const Type>> made_of;
};
using TypePointer = std::shared_ptr<const Type>;

[[nodiscard]] bool is_predefined(MPI_Datatype type);
[[nodiscard]] TypePointer predefined(MPI_Datatype type);

// Calls `see(address, count, type)` for the elements of predefined types that lie in a row, in
// order.
using SeeRun = std::function<void(std::byte*, MPI_Count, const Type&)>;
void each_run(std::byte* base, MPI_Count count, const Type& type, const SeeRun& see);

// Data as they travel. Too long for a test's memory, they are a length alone, and nobody's memory
// is touched.
struct Packed {
  MPI_Count length = 0;
  std::vector<std::byte> bytes;
};
[[nodiscard]] Packed pack(const void* base, MPI_Count count, const Type& type);
// As many as fit; returns an MPI error code.
int unpack(const Packed& packed, void* base, MPI_Count count, const Type& type);

}  // namespace fake_mpi
