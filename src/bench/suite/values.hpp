// What elements are: such values that a wrong, missing or moved one shows, and no sum rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/blocks.hpp"

namespace stretto::bench {

enum class ElementType : std::uint8_t { byte, int32, int64, float32, float64 };
enum class Combination : std::uint8_t { sum, max, min, band, bor };

[[nodiscard]] std::optional<ElementType> element_named(std::string_view name);
[[nodiscard]] std::optional<Combination> combination_named(std::string_view name);
[[nodiscard]] std::int64_t size_of(ElementType element);
// Does MPI define it, and is its result exact?
[[nodiscard]] bool combines(Combination combination, ElementType element);

class Values {
 public:
  Values(ElementType element, Combination combination)
      : element_(element), combination_(combination) {}

  // ElementType i of `to` is to be element from + i of the send buffer of `rank` in this
  // repetition.
  void write(std::byte* to, std::int64_t length, int rank, std::int64_t from, int repetition) const;

  // The first byte of a receive buffer that is not what these pieces say; -1: there is none.
  [[nodiscard]] std::int64_t first_wrong(const std::byte* received,
                                         const std::vector<ResultPiece>& pieces,
                                         int repetition) const;

 private:
  ElementType element_;
  Combination combination_;
};

}  // namespace stretto::bench
