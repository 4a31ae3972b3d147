#include <gtest/gtest.h>

#include <array>
#include <climits>

#include "mpi/call.hpp"
#include "mpi/opaque.hpp"

namespace stretto {
namespace {

TEST(Numbers, AreReadByTheirSize) {
  const std::array<int, 2> plain{3, -4};
  const std::array<MPI_Count, 2> large{Count{INT_MAX} + 5, -6};
  const std::array<MPI_Aint, 1> places{Count{INT_MAX} + 7};
  EXPECT_EQ(Numbers(plain.data())[1], -4);
  EXPECT_EQ(Numbers(large.data())[0], Count{INT_MAX} + 5);
  EXPECT_EQ(Numbers(large.data())[1], -6);
  EXPECT_EQ(Numbers(places.data())[0], Count{INT_MAX} + 7);
}

TEST(Numbers, MayBeMissing) {
  EXPECT_FALSE(Numbers());
  EXPECT_FALSE(Numbers(static_cast<const int*>(nullptr)));
  const int one = 1;
  EXPECT_TRUE(Numbers(&one));
}

TEST(Opaque, GivesBackTheHandle) {
  EXPECT_EQ(type_of(opaque(MPI_DOUBLE)), MPI_DOUBLE);
  EXPECT_EQ(comm_of(opaque(MPI_COMM_WORLD)), MPI_COMM_WORLD);
  EXPECT_EQ(opaque(MPI_INT), opaque(MPI_INT));
  EXPECT_FALSE(opaque(MPI_INT) == opaque(MPI_DOUBLE));
}

}  // namespace
}  // namespace stretto
