// What operations must give, and that nothing else is taken for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/suite/blocks.hpp"
#include "bench/suite/values.hpp"

namespace stretto::bench {
namespace {

struct Case {
  const MeasuredOperation& operation;
  BenchCell cell;
  int size;
  int root;
};

// As a torus of one dimension has them.
Place place_of(int rank, int size, bool neighbors) {
  Place place{.rank = rank, .size = size};
  if (neighbors) {
    place.sources = {(rank + size - 1) % size, (rank + 1) % size};
    place.destinations = place.sources;
  }
  return place;
}

template <class Use>
void for_every_case(const Use& use) {
  for (const MeasuredOperation& operation : operations()) {
    for (const int size : {1, 2, 3, 4, 7}) {
      for (int root = 0; root < (operation.rooted ? size : 1); ++root) {
        for (const bool in_place : {false, true}) {
          if (in_place && !operation.in_place) continue;
          BenchCell cell{
              .operation = std::string(operation.name), .in_place = in_place, .root = root};
          use(Case{.operation = operation, .cell = cell, .size = size, .root = root});
          if (!operation.takes_counts) continue;
          cell.counts = {2, 0, 5};
          use(Case{.operation = operation, .cell = cell, .size = size, .root = root});
          cell.counts.clear();
          cell.of_root = true;
          use(Case{.operation = operation, .cell = cell, .size = size, .root = root});
        }
      }
    }
  }
}

constexpr std::int64_t kElements = 6;

TEST(Results, LieInTheReceiveBufferAndComeFromSendBuffers) {
  for_every_case([](const Case& each) {
    for (int rank = 0; rank < each.size; ++rank) {
      const Place place = place_of(rank, each.size, each.operation.neighbors);
      const BlockLayout blocks = blocks_of(each.operation, each.cell, kElements, place);
      std::int64_t end = 0;
      for (const ResultPiece& piece :
           result_of(each.operation, each.cell, blocks, place, each.root)) {
        EXPECT_GE(piece.at, end) << each.operation.name;
        end = piece.at + piece.length;
        EXPECT_LT(piece.first, piece.last);
        EXPECT_LE(piece.last, each.size + (each.operation.accumulates ? 1 : 0));
        for (int source = piece.first; source < piece.last; ++source) {
          // One beyond the last rank stands for what was there before, which is as long.
          const int whose = std::min(source, each.size - 1);
          const BlockLayout theirs =
              blocks_of(each.operation, each.cell, kElements,
                        place_of(whose, each.size, each.operation.neighbors));
          EXPECT_LE(piece.from + piece.length, theirs.send_length) << each.operation.name;
        }
      }
      EXPECT_LE(end, blocks.receive_length) << each.operation.name;
      for (const ResultPiece& own :
           laid_before(each.operation, each.cell, blocks, place, each.root)) {
        EXPECT_TRUE(each.cell.in_place || each.operation.accumulates) << each.operation.name;
        EXPECT_LE(own.at + own.length, std::max(blocks.receive_length, blocks.send_length));
        EXPECT_LE(own.from + own.length, blocks.send_length);
      }
    }
  });
}

TEST(Results, AllElementsMayBeTheRoots) {
  for (const std::string name : {"allgatherv", "reduce_scatter"}) {
    const MeasuredOperation& operation = *operation_named(name);
    const BenchCell cell{.operation = name, .root = 2, .of_root = true};
    for (int rank = 0; rank < 4; ++rank) {
      const BlockLayout blocks = blocks_of(operation, cell, kElements, place_of(rank, 4, false));
      EXPECT_EQ(blocks.counts, (std::vector<int>{0, 0, kElements, 0})) << name;
      // To the root all that is combined goes, and from it all that is gathered.
      const bool gathers = name == "allgatherv";
      EXPECT_EQ(blocks.send_length, !gathers || rank == 2 ? kElements : 0) << name;
      EXPECT_EQ(blocks.receive_length, gathers || rank == 2 ? kElements : 0) << name;
    }
  }
}

TEST(Results, ALocalReductionCombinesTwoVectors) {
  const MeasuredOperation& operation = *operation_named("reduce_local");
  const BenchCell cell{.operation = "reduce_local"};
  const Place place = place_of(1, 2, false);
  const BlockLayout blocks = blocks_of(operation, cell, kElements, place);
  const Values values(ElementType::float64, Combination::sum);
  std::vector<double> sent(kElements);
  std::vector<double> received(kElements);
  const auto write = [&](std::vector<double>& to, int rank) {
    values.write(reinterpret_cast<std::byte*>(to.data()), kElements, rank, 0, 3);
  };
  write(sent, place.rank);
  for (const ResultPiece& piece : laid_before(operation, cell, blocks, place, -1)) {
    EXPECT_EQ(piece.length, kElements);
    write(received, piece.first);
  }
  const auto first_wrong = [&] {
    return values.first_wrong(reinterpret_cast<const std::byte*>(received.data()),
                              result_of(operation, cell, blocks, place, -1), 3);
  };
  EXPECT_GE(first_wrong(), 0) << "before the call";
  for (std::size_t i = 0; i < sent.size(); ++i) received[i] += sent[i];
  EXPECT_EQ(first_wrong(), -1);
}

TEST(Results, WhatOneSendsTheOtherExpects) {
  for_every_case([](const Case& each) {
    if (!each.operation.name.starts_with("alltoall")) return;
    for (int rank = 0; rank < each.size; ++rank) {
      const BlockLayout mine =
          blocks_of(each.operation, each.cell, kElements, place_of(rank, each.size, false));
      for (int other = 0; other < each.size; ++other) {
        const BlockLayout theirs =
            blocks_of(each.operation, each.cell, kElements, place_of(other, each.size, false));
        EXPECT_EQ(mine.send_counts[static_cast<std::size_t>(other)],
                  theirs.counts[static_cast<std::size_t>(rank)]);
      }
    }
  });
}

// The right result of a vector of sums, made without Values.
template <class Type>
std::vector<Type> sums(const Values& values, int ranks, std::int64_t length, int repetition) {
  std::vector<Type> all(static_cast<std::size_t>(length), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Type> one(all.size());
    values.write(reinterpret_cast<std::byte*>(one.data()), length, rank, 0, repetition);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Type>(all[i] + one[i]);
  }
  return all;
}

template <class Type>
void expect_every_byte_checked(ElementType element) {
  constexpr std::int64_t length = 600;  // beyond where values come again
  const Values values(element, Combination::sum);
  auto result = sums<Type>(values, 5, length, 3);
  const std::vector<ResultPiece> pieces{
      {.at = 0, .length = length, .first = 0, .last = 5, .from = 0}};
  auto* const bytes = reinterpret_cast<std::byte*>(result.data());
  EXPECT_EQ(values.first_wrong(bytes, pieces, 3), -1);
  EXPECT_GE(values.first_wrong(bytes, pieces, 4), 0) << "the result of another repetition";
  for (std::size_t i = 0; i < result.size() * sizeof(Type); ++i) {
    bytes[i] ^= std::byte{1};
    EXPECT_EQ(values.first_wrong(bytes, pieces, 3), static_cast<std::int64_t>(i));
    bytes[i] ^= std::byte{1};
  }
}

TEST(Values, OneWrongByteAnywhereIsFound) {
  expect_every_byte_checked<double>(ElementType::float64);
  expect_every_byte_checked<float>(ElementType::float32);
  expect_every_byte_checked<std::int32_t>(ElementType::int32);
  expect_every_byte_checked<std::int64_t>(ElementType::int64);
}

TEST(Values, ABlockInAnothersPlaceIsFound) {
  const Values values(ElementType::byte, Combination::bor);
  std::vector<std::byte> received(512);
  const std::vector<ResultPiece> pieces{
      {.at = 0, .length = 256, .first = 0, .last = 1, .from = 0},
      {.at = 256, .length = 256, .first = 1, .last = 2, .from = 256}};
  values.write(received.data(), 256, 0, 0, 0);
  values.write(received.data() + 256, 256, 1, 256, 0);
  EXPECT_EQ(values.first_wrong(received.data(), pieces, 0), -1);
  values.write(received.data() + 256, 256, 1, 0, 0);  // the block that is for the other rank
  EXPECT_EQ(values.first_wrong(received.data(), pieces, 0), 256);
  values.write(received.data() + 256, 256, 2, 256, 0);  // of another rank
  EXPECT_EQ(values.first_wrong(received.data(), pieces, 0), 256);
}

TEST(Values, CombineAsMpiHasThem) {
  EXPECT_FALSE(combines(Combination::sum, ElementType::byte));
  EXPECT_TRUE(combines(Combination::band, ElementType::byte));
  EXPECT_FALSE(combines(Combination::bor, ElementType::float64));
  EXPECT_TRUE(combines(Combination::bor, ElementType::int32));
  EXPECT_TRUE(combines(Combination::max, ElementType::float32));
  EXPECT_FALSE(element_named("complex"));
  EXPECT_EQ(size_of(ElementType::float32), 4);
}

}  // namespace
}  // namespace stretto::bench
