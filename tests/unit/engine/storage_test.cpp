#include "engine/storage.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

// Writes `count` elements there; a sanitizer sees what does not fit.
void fill(const Storage& storage, MPI_Datatype type, int count) {
  MPI_Count size = 0;
  native().Type_size_x(type, &size);
  std::vector<std::byte> data(static_cast<std::size_t>(size * count));
  int position = 0;
  native().Unpack(data.data(), static_cast<int>(data.size()), &position, storage.base(), count,
                  type, MPI_COMM_SELF);
}

TEST(Storage, HasRoomForElementsThatReachBeyondTheirExtentAndBelowTheirAddress) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    const std::array<int, 2> ones{1, 1};
    const std::array<MPI_Aint, 2> places{-8, 40};
    const std::array<MPI_Datatype, 2> ints{MPI_INT, MPI_INT};
    MPI_Datatype wide{};
    MPI_Type_create_struct(2, ones.data(), places.data(), ints.data(), &wide);
    for (const MPI_Aint extent : {12, -12, 0}) {
      MPI_Datatype type{};
      MPI_Type_create_resized(wide, 0, extent, &type);
      const Storage storage(Element::of(type), 3);
      ASSERT_NE(storage.base(), nullptr);
      fill(storage, type, 3);
      MPI_Type_free(&type);
    }
    MPI_Type_free(&wide);
  });
}

TEST(Storage, OfNothingIsNone) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    EXPECT_EQ(Storage(Element::of(MPI_INT), 0).base(), nullptr);
    EXPECT_EQ(Storage(Element::of(MPI_INT, 0), 5).base(), nullptr);
    EXPECT_EQ(Storage().base(), nullptr);
  });
}

TEST(Storage, PlainElementsBeginAtTheirAddress) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    const Storage storage(Element::of(MPI_DOUBLE, 2), 4);
    std::memset(storage.base(), 1, 64);
    const Storage copy = storage;
    EXPECT_EQ(copy.base(), storage.base());
  });
}

}  // namespace
}  // namespace stretto
