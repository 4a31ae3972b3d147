#include "mpi/type_contents.hpp"

#include <vector>

namespace stretto {
namespace {

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

// Of MPI 4; an mpi.h may not declare them, and the MPI may lack them.
using GetEnvelope = int (*)(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*);
using GetContents = int (*)(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int*,
                            MPI_Aint*, MPI_Count*, MPI_Datatype*);

GetEnvelope large_get_envelope() {
  static const auto function =
      reinterpret_cast<GetEnvelope>(native_symbol("PMPI_Type_get_envelope_c"));
  return function;
}

GetContents large_get_contents() {
  static const auto function =
      reinterpret_cast<GetContents>(native_symbol("PMPI_Type_get_contents_c"));
  return function;
}

Envelope envelope_of(MPI_Datatype type) {
  Envelope found;
  if (const GetEnvelope ask = large_get_envelope()) {
    ask(type, &found.integers, &found.addresses, &found.counts, &found.types, &found.combiner);
    return found;
  }
  int integers = 0;
  int addresses = 0;
  int types = 0;
  native().Type_get_envelope(type, &integers, &addresses, &types, &found.combiner);
  found.integers = integers;
  found.addresses = addresses;
  found.types = types;
  return found;
}

}  // namespace

int combiner_of(MPI_Datatype type) { return envelope_of(type).combiner; }

MPI_Datatype inner_type_of(MPI_Datatype type) {
  const Envelope envelope = envelope_of(type);
  // One more of each, as no argument may be a null pointer.
  std::vector<int> integers(static_cast<std::size_t>(envelope.integers) + 1);
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(envelope.addresses) + 1);
  std::vector<MPI_Count> counts(static_cast<std::size_t>(envelope.counts) + 1);
  MPI_Datatype inner{};
  if (const GetContents ask = large_get_contents()) {
    ask(type, envelope.integers, envelope.addresses, envelope.counts, 1, integers.data(),
        addresses.data(), counts.data(), &inner);
  } else {
    native().Type_get_contents(type, static_cast<int>(envelope.integers),
                               static_cast<int>(envelope.addresses), 1, integers.data(),
                               addresses.data(), &inner);
  }
  return inner;
}

}  // namespace stretto
