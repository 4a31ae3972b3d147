// One call of a collective, as a program makes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/native.hpp"
#include "schedule/shape.hpp"

namespace stretto::bench {

// Of `bytes` as Shape::count has them, by functions of `mpi`: the MPI's own, or others' in their
// place. Reductions add doubles, one at least. A neighbourhood collective calls nothing.
void call_collective(const Native& mpi, Collective collective, std::int64_t bytes, std::byte* in,
                     std::byte* out, int root, MPI_Comm comm);

// Of one buffer of all ranks' blocks.
[[nodiscard]] inline std::int64_t bytes_of_all(std::int64_t bytes, int size) {
  return (bytes < 8 ? 8 : bytes) * size;
}

}  // namespace stretto::bench
