#include "mpi/element.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <numeric>
#include <vector>

#include "fake_mpi/job.hpp"
#include "mpi/own_channel.hpp"

namespace stretto {
namespace {

// Some datatypes that a program may have.
struct Types {
  MPI_Datatype row{};        // 4 ints
  MPI_Datatype rows{};       // 2 of these, by MPI_Type_dup of a contiguous one
  MPI_Datatype gapped{};     // every other int of 5
  MPI_Datatype backwards{};  // two ints, the second first
  MPI_Datatype below{};      // begins before its address, extent 28

  Types() {
    MPI_Type_contiguous(4, MPI_INT, &row);
    MPI_Datatype two{};
    MPI_Type_contiguous(2, row, &two);
    MPI_Type_dup(two, &rows);
    MPI_Type_free(&two);
    MPI_Type_vector(3, 1, 2, MPI_INT, &gapped);
    const int ones[] = {1, 1};
    const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    const MPI_Aint swapped[] = {4, 0};
    MPI_Type_create_struct(2, ones, swapped, ints, &backwards);
    const MPI_Aint around[] = {-8, 4};
    MPI_Datatype plain{};
    MPI_Type_create_struct(2, ones, around, ints, &plain);
    MPI_Type_create_resized(plain, -12, 28, &below);
    MPI_Type_free(&plain);
  }
  ~Types() {
    for (MPI_Datatype* type : {&row, &rows, &gapped, &backwards, &below}) MPI_Type_free(type);
  }
};

class ElementTest : public testing::Test {
 protected:
  // On the one rank of a job, with the channel that copies need.
  template <class Body>
  void run(const Body& body) {
    job.run([&](int /*rank*/) {
      ASSERT_TRUE(own_channel::open());
      {
        const Types types;
        body(types);
      }
      own_channel::close();
    });
  }
  fake_mpi::Job job{1};
};

TEST_F(ElementTest, PlainIsWhatMemcpyMayMove) {
  run([](const Types& types) {
    EXPECT_TRUE(is_plain(MPI_INT));
    EXPECT_TRUE(is_plain(types.row));
    EXPECT_TRUE(is_plain(types.rows));  // and frees what it was shown
    EXPECT_FALSE(is_plain(types.gapped));
    EXPECT_FALSE(is_plain(types.backwards));  // without a gap, but in another order
    EXPECT_FALSE(is_plain(types.below));
    EXPECT_FALSE(is_plain(MPI_DOUBLE_INT));  // has a gap at its end
    EXPECT_TRUE(is_plain(MPI_FLOAT_INT));
  });
}

TEST_F(ElementTest, OneMadeWithALargeCountMayBeAskedAbout) {
  run([](const Types& /*types*/) {
    MPI_Datatype large{};
    MPI_Type_contiguous_c(3, MPI_INT, &large);
    EXPECT_TRUE(is_plain(large));
    MPI_Type_free(&large);
  });
}

TEST_F(ElementTest, StrideCountsTheGapsAndBytesDoNot) {
  run([](const Types& types) {
    const Element element = Element::of(types.gapped, 2);
    EXPECT_EQ(element.stride, 2 * 20);
    EXPECT_EQ(element.bytes, 2 * 12);
    EXPECT_EQ(element.per_element, 2);
    EXPECT_FALSE(element.plain);
    EXPECT_EQ(Element::of(types.below).stride, 28);
    EXPECT_EQ(Element::packed(40).bytes, 40);
    EXPECT_EQ(Element::packed(40).type, MPI_PACKED);
    EXPECT_EQ(Element::bytes_of(8).stride, 8);
  });
}

TEST_F(ElementTest, APieceOfABlockBeginsAtItsOffset) {
  run([](const Types& types) {
    std::vector<int> memory(40);
    const Block block{memory.data(), Element::of(types.gapped, 2)};
    const Piece piece = block.piece({3, 1});
    EXPECT_EQ(piece.address, reinterpret_cast<std::byte*>(memory.data()) + 3 * 40);
    EXPECT_EQ(piece.count, 2);
    EXPECT_EQ(piece.bytes, 24);
    EXPECT_EQ(type_of(piece.type), types.gapped);
  });
}

TEST_F(ElementTest, OfPartsAPieceIsOneOfThemOrNothing) {
  std::vector<int> memory(4);
  const Block block{nullptr,
                    {},
                    {Piece{.address = &memory[0], .count = 1, .bytes = 4},
                     Piece{.address = &memory[2], .count = 2, .bytes = 8}}};
  EXPECT_EQ(block.piece({1, 1}).address, &memory[2]);
  EXPECT_EQ(block.piece({1, 0}).address, nullptr);
  EXPECT_EQ(block.piece({1, 0}).bytes, 0);
}

// Whatever the two layouts: the same ints arrive, and nothing else is touched.
TEST_F(ElementTest, CopiesBetweenAnyTwoLayoutsOfOneSignature) {
  run([](const Types& types) {
    struct Layout {
      MPI_Datatype type;
      Count count;
      std::vector<std::size_t> places;  // of six ints, from the third on
    };
    const std::vector<Layout> layouts{
        {MPI_INT, 6, {0, 1, 2, 3, 4, 5}},
        {types.gapped, 2, {0, 2, 4, 5, 7, 9}},
        {types.backwards, 3, {1, 0, 3, 2, 5, 4}},
    };
    constexpr std::size_t kBase = 3;
    for (const Layout& from : layouts) {
      for (const Layout& to : layouts) {
        std::vector<int> source(20, -1);
        std::vector<int> target(20, -2);
        std::vector<int> expected(20, -2);
        for (int i = 0; i < 6; ++i) {
          const auto place = static_cast<std::size_t>(i);
          source[kBase + from.places[place]] = i;
          expected[kBase + to.places[place]] = i;
        }
        const Piece left = Block{&source[kBase], Element::of(from.type)}.piece({0, from.count});
        const Piece right = Block{&target[kBase], Element::of(to.type)}.piece({0, to.count});
        EXPECT_EQ(copy(left, right), MPI_SUCCESS);
        EXPECT_EQ(target, expected);
      }
    }
  });
}

TEST_F(ElementTest, ACopyOfNothingTouchesNothing) {
  EXPECT_EQ(copy(Piece{}, Piece{.bytes = 8}), MPI_SUCCESS);
}

TEST_F(ElementTest, ACopyOfMoreThanThereIsRoomForIsTruncated) {
  run([](const Types& types) {
    std::vector<int> memory(12);
    const Piece two = Block{memory.data(), Element::of(MPI_INT)}.piece({0, 2});
    const Piece one = Block{memory.data() + 4, Element::of(types.gapped)}.piece({0, 1});
    EXPECT_EQ(copy(one, two), MPI_ERR_TRUNCATE);
  });
}

TEST_F(ElementTest, WhatThePackingFailsWithIsReturned) {
  run([&](const Types& types) {
    std::vector<int> memory(24);
    const Piece gapped = Block{memory.data(), Element::of(types.gapped)}.piece({0, 2});
    const Piece plain = Block{memory.data() + 12, Element::of(MPI_INT)}.piece({0, 6});
    const Piece backwards = Block{memory.data() + 12, Element::of(types.backwards)}.piece({0, 3});
    job.fail(0, "Pack", 1, MPI_ERR_NO_MEM);
    EXPECT_EQ(copy(gapped, plain), MPI_ERR_NO_MEM);
    job.fail(0, "Unpack", 1, MPI_ERR_NO_MEM);
    EXPECT_EQ(copy(plain, gapped), MPI_ERR_NO_MEM);
    job.fail(0, "Pack", 1, MPI_ERR_NO_MEM);
    EXPECT_EQ(copy(gapped, backwards), MPI_ERR_NO_MEM);
    EXPECT_EQ(job.take_reports(0).front().handler, MPI_ERRORS_RETURN);
  });
}

TEST_F(ElementTest, ReducesInOrder) {
  run([](const Types& /*types*/) {
    std::vector<int> left{5, 6};
    std::vector<int> right{10, 20};
    const Piece from = Block{left.data(), Element::of(MPI_INT)}.piece({0, 2});
    const Piece to = Block{right.data(), Element::of(MPI_INT)}.piece({0, 2});
    EXPECT_EQ(reduce(from, to, MPI_SUM), MPI_SUCCESS);
    EXPECT_EQ(right, (std::vector<int>{15, 26}));
  });
}

// Of vectors that no test has memory for: a function of the program's tells what it was given.
struct Told {
  std::vector<std::pair<std::uintptr_t, int>> calls;
} told;

void tell(void* in, void* /*inout*/, int* length, MPI_Datatype* /*type*/) {
  told.calls.emplace_back(reinterpret_cast<std::uintptr_t>(in), *length);
}

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

TEST_F(ElementTest, ReducesMoreThanAnIntCounts) {
  run([](const Types& /*types*/) {
    told.calls.clear();
    MPI_Op op{};
    MPI_Op_create(tell, 1, &op);
    const Count count = Count{INT_MAX} * 2 + 5;
    const Piece from{.address = at(0x1000), .count = count, .type = opaque(MPI_SHORT)};
    const Piece to{.address = at(0x2000), .count = count, .type = opaque(MPI_SHORT)};
    EXPECT_EQ(reduce(from, to, op), MPI_SUCCESS);
    const std::uintptr_t part = std::uintptr_t{2} * INT_MAX;
    EXPECT_EQ(told.calls,
              (std::vector<std::pair<std::uintptr_t, int>>{
                  {0x1000, INT_MAX}, {0x1000 + part, INT_MAX}, {0x1000 + 2 * part, 5}}));
    MPI_Op_free(&op);
  });
}

TEST_F(ElementTest, AReductionInPartsEndsWithTheFirstThatFails) {
  run([&](const Types& /*types*/) {
    told.calls.clear();
    MPI_Op op{};
    MPI_Op_create(tell, 1, &op);
    job.fail(0, "Reduce_local", 2, MPI_ERR_OTHER);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const Piece piece{
        .address = at(0x1000), .count = Count{INT_MAX} * 3, .type = opaque(MPI_SHORT)};
    EXPECT_EQ(reduce(piece, piece, op), MPI_ERR_OTHER);
    EXPECT_EQ(told.calls.size(), 1U);
    MPI_Op_free(&op);
  });
}

// Packed, that would be more than MPI_Pack counts: they go as a message to oneself. The fake MPI
// moves no data of that length.
TEST_F(ElementTest, CopiesMoreThanAnIntCounts) {
  run([&](const Types& types) {
    const Count elements = Count{INT_MAX} / 2;
    const Piece gapped = Block{at(0x1000), Element::of(types.gapped)}.piece({0, elements});
    const Piece swapped =
        Block{at(0x1000), Element::of(types.backwards)}.piece({0, elements / 2 * 3 + 3});
    EXPECT_EQ(copy(gapped, swapped), MPI_SUCCESS);
    EXPECT_EQ(job.calls(0, "Sendrecv"), 1);
    EXPECT_EQ(job.calls(0, "Type_create_struct"), 2);
    const Count many = Count{INT_MAX} * 3;
    const Piece from = Block{at(0x1000), Element::of(types.gapped)}.piece({0, many});
    const Piece to = Block{at(0x1000), Element::of(types.backwards)}.piece({0, 2 * many});
    EXPECT_EQ(copy(from, to), MPI_SUCCESS);
    EXPECT_EQ(job.calls(0, "Sendrecv"), 2);
    EXPECT_EQ(job.calls(0, "Pack"), 0);
  });
}

TEST_F(ElementTest, EmptyElementsBeyondAnIntAreNotCopied) {
  run([](const Types& types) {
    MPI_Datatype empty{};
    MPI_Type_contiguous(0, types.gapped, &empty);
    const Piece from{.address = at(0x1000), .count = 1, .type = opaque(types.gapped), .bytes = 12};
    const Piece to{
        .address = at(0x1000), .count = Count{INT_MAX} + 1, .type = opaque(empty), .bytes = 12};
    EXPECT_EQ(copy(from, to), MPI_ERR_COUNT);
    MPI_Type_free(&empty);
  });
}

}  // namespace
}  // namespace stretto
