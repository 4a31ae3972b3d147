#include "mpi/reducible.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

void nothing(void* /*in*/, void* /*inout*/, int* /*length*/, MPI_Datatype* /*type*/) {}

TEST(Reducible, IsAskedOfTheMpiOnceAndNoHandlerHears) {
  fake_mpi::Job job(1);
  job.run([&](int /*rank*/) {
    EXPECT_TRUE(reducible(MPI_SUM, MPI_INT));
    EXPECT_TRUE(reducible(MPI_MAX, MPI_DOUBLE));
    const long asked = job.calls(0, "Reduce_local");
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(reducible(MPI_SUM, MPI_INT));
      EXPECT_TRUE(reducible(MPI_MAX, MPI_DOUBLE));
    }
    EXPECT_EQ(job.calls(0, "Reduce_local"), asked);
    EXPECT_FALSE(reducible(MPI_BAND, MPI_DOUBLE));
    EXPECT_FALSE(reducible(MPI_SUM, MPI_BYTE));
  });
  for (const fake_mpi::Report& report : job.take_reports(0)) {
    EXPECT_EQ(report.handler, MPI_ERRORS_RETURN);
  }
}

TEST(Reducible, AnOperationOfTheProgramsTakesAnyType) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    MPI_Op op{};
    MPI_Op_create(nothing, 1, &op);
    EXPECT_TRUE(reducible(op, MPI_BYTE));
    EXPECT_FALSE(reducible(MPI_OP_NULL, MPI_INT));
    MPI_Op_free(&op);
  });
}

// More pairs than are remembered.
TEST(Reducible, StaysRightForAnyNumberOfPairs) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    const MPI_Datatype types[] = {MPI_INT,           MPI_UNSIGNED,      MPI_LONG,
                                  MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG, MPI_SHORT,
                                  MPI_SIGNED_CHAR,   MPI_UNSIGNED_CHAR, MPI_INT32_T,
                                  MPI_UINT32_T,      MPI_INT64_T,       MPI_UINT64_T};
    const MPI_Op ops[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                          MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
    for (int round = 0; round < 2; ++round) {
      for (const MPI_Datatype type : types) {
        for (const MPI_Op op : ops) {
          EXPECT_EQ(reducible(op, type), op != MPI_MAXLOC && op != MPI_MINLOC);
        }
      }
    }
  });
  static_cast<void>(job.take_reports(0));
}

}  // namespace
}  // namespace stretto
