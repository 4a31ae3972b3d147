#include "mpi/large_type.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

constexpr std::int64_t kMany = (std::int64_t{5} << 30) + 7;

TEST(LargeType, IsAsLongAsItsElements) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    const LargeType type(kMany, MPI_INT);
    ASSERT_EQ(type.error(), MPI_SUCCESS);
    MPI_Count size = 0;
    native().Type_size_x(type.get(), &size);
    EXPECT_EQ(size, 4 * kMany);
    MPI_Aint lower_bound = -1;
    MPI_Aint extent = 0;
    native().Type_get_extent(type.get(), &lower_bound, &extent);
    EXPECT_EQ(lower_bound, 0);
    EXPECT_EQ(extent, 4 * kMany);
  });
}

using Broken = std::tuple<const char*, int>;
class BrokenLargeType : public testing::TestWithParam<Broken> {};

// What was made of it until then is freed, and no null type is.
TEST_P(BrokenLargeType, SaysWhatItsMakingFailedWith) {
  const auto& [function, nth] = GetParam();
  fake_mpi::Job job(1);
  job.run([&, of = function, number = nth](int /*rank*/) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    job.fail(0, of, number, MPI_ERR_NO_MEM);
    const LargeType type(kMany, MPI_INT);
    EXPECT_EQ(type.error(), MPI_ERR_NO_MEM);
  });
}

INSTANTIATE_TEST_SUITE_P(Calls, BrokenLargeType,
                         testing::Values(Broken{"Type_contiguous", 1}, Broken{"Type_contiguous", 2},
                                         Broken{"Type_contiguous", 3},
                                         Broken{"Type_create_struct", 1},
                                         Broken{"Type_commit", 1}));

}  // namespace
}  // namespace stretto
