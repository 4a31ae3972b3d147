// MPI_COMM_WORLD as a transport's group, without an engine.
#pragma once

#include <gtest/gtest.h>

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
  // Of all ranks: those of a fake job are on one host.
  void allgather_among(std::span<const int> ranks, std::span<const std::byte> mine,
                       std::span<std::byte> all) const override {
    ASSERT_EQ(ranks.size(), static_cast<std::size_t>(size));
    allgather(mine, all);
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
