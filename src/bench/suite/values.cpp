#include "bench/suite/values.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace stretto::bench {
namespace {

// A prime: no size of a block, which would be a power of two, brings back the same value.
constexpr std::int64_t kPeriod = 251;

// From 0 to 250, by a hash: no two ranks, places or repetitions have all values alike, and sums
// over any number of ranks differ from place to place.
std::int64_t value_at(int rank, std::int64_t index, int repetition) {
  std::uint64_t mixed = static_cast<std::uint64_t>(index % kPeriod) * 0x9e3779b97f4a7c15U +
                        static_cast<std::uint64_t>(rank) * 0xbf58476d1ce4e5b9U +
                        static_cast<std::uint64_t>(repetition) * 0x94d049bb133111ebU;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<std::int64_t>((mixed ^ (mixed >> 31U)) % kPeriod);
}

template <class Type>
Type combined(Type before, Type next, Combination combination) {
  switch (combination) {
    case Combination::sum:
      return static_cast<Type>(before + next);
    case Combination::max:
      return std::max(before, next);
    case Combination::min:
      return std::min(before, next);
    default:
      break;
  }
  const auto one = static_cast<std::int64_t>(before);
  const auto other = static_cast<std::int64_t>(next);
  return static_cast<Type>(combination == Combination::band ? one & other : one | other);
}

template <class Type>
void write_as(std::byte* to, std::int64_t length, int rank, std::int64_t from, int repetition) {
  std::array<Type, kPeriod> values;
  const std::int64_t different = std::min(kPeriod, length);
  for (std::int64_t i = 0; i < different; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<Type>(value_at(rank, from + i, repetition));
  }
  for (std::int64_t i = 0; i < length; i += kPeriod) {
    const auto bytes = static_cast<std::size_t>(std::min(kPeriod, length - i)) * sizeof(Type);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(Type)), values.data(), bytes);
  }
}

template <class Type>
std::int64_t first_wrong_as(const std::byte* received, const std::vector<ResultPiece>& pieces,
                            Combination combination, int repetition) {
  for (const ResultPiece& piece : pieces) {
    // Results come again after as many elements as values do.
    std::array<Type, kPeriod> expected;
    const std::int64_t different = std::min(kPeriod, piece.length);
    for (std::int64_t i = 0; i < different; ++i) {
      auto& each = expected[static_cast<std::size_t>(i)];
      each = static_cast<Type>(value_at(piece.first, piece.from + i, repetition));
      for (int rank = piece.first + 1; rank < piece.last; ++rank) {
        const auto next = static_cast<Type>(value_at(rank, piece.from + i, repetition));
        each = combined(each, next, combination);
      }
    }
    constexpr auto size = static_cast<std::int64_t>(sizeof(Type));
    const std::byte* const begin = received + piece.at * size;
    for (std::int64_t i = 0; i < piece.length; i += kPeriod) {
      const std::int64_t here = std::min(kPeriod, piece.length - i);
      const auto bytes = static_cast<std::size_t>(here * size);
      if (std::memcmp(begin + i * size, expected.data(), bytes) == 0) continue;
      const auto* const right = reinterpret_cast<const std::byte*>(expected.data());
      const auto differs = std::mismatch(right, right + bytes, begin + i * size);
      return piece.at * size + (differs.second - begin);
    }
  }
  return -1;
}

// Calls `use` with a value of the type that elements have.
template <class Use>
auto with_type(ElementType element, const Use& use) {
  switch (element) {
    case ElementType::byte:
      return use(std::uint8_t{});
    case ElementType::int32:
      return use(std::int32_t{});
    case ElementType::int64:
      return use(std::int64_t{});
    case ElementType::float32:
      return use(float{});
    case ElementType::float64:
      break;
  }
  return use(double{});
}

}  // namespace

std::optional<ElementType> element_named(std::string_view name) {
  if (name == "byte") return ElementType::byte;
  if (name == "int") return ElementType::int32;
  if (name == "long") return ElementType::int64;
  if (name == "float") return ElementType::float32;
  if (name == "double") return ElementType::float64;
  return std::nullopt;
}

std::optional<Combination> combination_named(std::string_view name) {
  if (name == "sum") return Combination::sum;
  if (name == "max") return Combination::max;
  if (name == "min") return Combination::min;
  if (name == "band") return Combination::band;
  if (name == "bor") return Combination::bor;
  return std::nullopt;
}

std::int64_t size_of(ElementType element) {
  return with_type(element, [](auto value) { return static_cast<std::int64_t>(sizeof value); });
}

bool combines(Combination combination, ElementType element) {
  const bool is_bitwise = combination == Combination::band || combination == Combination::bor;
  if (element == ElementType::byte) return is_bitwise;  // MPI_BYTE is no number.
  return !is_bitwise || element == ElementType::int32 || element == ElementType::int64;
}

void Values::write(std::byte* to, std::int64_t length, int rank, std::int64_t from,
                   int repetition) const {
  with_type(element_,
            [&](auto type) { write_as<decltype(type)>(to, length, rank, from, repetition); });
}

std::int64_t Values::first_wrong(const std::byte* received, const std::vector<ResultPiece>& pieces,
                                 int repetition) const {
  return with_type(element_, [&](auto type) {
    return first_wrong_as<decltype(type)>(received, pieces, combination_, repetition);
  });
}

}  // namespace stretto::bench
