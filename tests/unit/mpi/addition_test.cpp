#include "mpi/addition.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

constexpr std::size_t kCount = 1001;

// Both operands lie anywhere, and the sum where either does or elsewhere.
template <class Element>
void check(MPI_Datatype type, Element small, Element large) {
  fake_mpi::Job job(1);
  job.run([&](int /*rank*/) {
    const Addition add = addition(MPI_SUM, type, sizeof(Element));
    ASSERT_NE(add, nullptr);
    constexpr std::size_t kBytes = kCount * sizeof(Element);
    for (const int place : {0, 1, 2}) {
      std::vector<std::byte> memory(3 * kBytes + 3);
      const std::array<std::byte*, 3> at{memory.data() + 1, memory.data() + kBytes + 2,
                                         memory.data() + 2 * kBytes + 3};
      for (std::size_t i = 0; i < kCount; ++i) {
        const Element left = i % 3 == 0 ? large : small;
        const Element right = i % 2 == 0 ? large : small;
        std::memcpy(at[0] + i * sizeof left, &left, sizeof left);
        std::memcpy(at[1] + i * sizeof right, &right, sizeof right);
      }
      std::byte* const to = at[static_cast<std::size_t>(place)];
      add(at[0], at[1], to, kBytes);
      for (std::size_t i = 0; i < kCount; ++i) {
        Element sum{};
        std::memcpy(&sum, to + i * sizeof sum, sizeof sum);
        const auto expected =
            static_cast<Element>((i % 3 == 0 ? large : small) + (i % 2 == 0 ? large : small));
        ASSERT_EQ(sum, expected) << i;
      }
    }
  });
}

TEST(Addition, IsThatOfTheType) {
  check(MPI_DOUBLE, 0.1, 1e16);
  check(MPI_FLOAT, 0.1F, 1e8F);
  check(MPI_INT, 3, -70'000);
  check<std::uint32_t>(MPI_UNSIGNED, 3, std::numeric_limits<std::uint32_t>::max());
  check<std::int64_t>(MPI_INT64_T, -3, std::int64_t{1} << 60);
  check<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, {0.1, 3}, {1e16, -2});
  check<std::complex<float>>(MPI_C_FLOAT_COMPLEX, {0.1F, 3}, {1e8F, -2});
}

TEST(Addition, IsOfWhatItKnowsAlone) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    EXPECT_EQ(addition(MPI_MAX, MPI_DOUBLE, 8), nullptr);
    EXPECT_EQ(addition(MPI_PROD, MPI_DOUBLE, 8), nullptr);
    EXPECT_EQ(addition(MPI_SUM, MPI_LONG_DOUBLE, 16), nullptr);
    EXPECT_EQ(addition(MPI_SUM, MPI_SHORT, 2), nullptr);
    // A Fortran compiler may have been asked for longer ones.
    EXPECT_EQ(addition(MPI_SUM, MPI_DOUBLE_PRECISION, 16), nullptr);
    EXPECT_EQ(addition(MPI_SUM, MPI_REAL, 8), nullptr);
  });
}

}  // namespace
}  // namespace stretto
