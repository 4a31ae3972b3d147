// MPI_COMM_WORLD as a transport's group, without an engine.
#pragma once

#include "mpi/opaque.hpp"
#include "transport/transport.hpp"

namespace stretto {

class TestGroup final : public Transport::Group {
 public:
  TestGroup(int rank_here, int ranks) : Group(rank_here, ranks, opaque(MPI_COMM_WORLD)) {}
  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    const auto bytes = static_cast<int>(mine.size());
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
  }
};

[[nodiscard]] inline Piece plain(void* address, std::size_t bytes) {
  return {.address = address,
          .count = static_cast<Count>(bytes),
          .type = opaque(MPI_BYTE),
          .bytes = static_cast<Count>(bytes),
          .plain = true};
}
template <class Value>
[[nodiscard]] Piece plain(Value& value) {
  return plain(&value, sizeof value);
}

}  // namespace stretto
