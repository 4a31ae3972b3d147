#include "mpi/operand_order.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

void add(void* /*in*/, void* /*inout*/, int* /*length*/, MPI_Datatype* /*type*/) {}

TEST(OperandOrder, MattersWhereNumbersAreRoundedAndToOperationsOfTheProgram) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    for (int times = 0; times < 2; ++times) {
      EXPECT_TRUE(depends_on_order(MPI_SUM, MPI_DOUBLE));
      EXPECT_TRUE(depends_on_order(MPI_PROD, MPI_FLOAT));
      EXPECT_FALSE(depends_on_order(MPI_SUM, MPI_INT));
      EXPECT_FALSE(depends_on_order(MPI_PROD, MPI_LONG));
      EXPECT_FALSE(depends_on_order(MPI_MAX, MPI_DOUBLE));
      EXPECT_FALSE(depends_on_order(MPI_LAND, MPI_INT));
    }
    MPI_Op op{};
    MPI_Op_create(add, 1, &op);
    EXPECT_TRUE(depends_on_order(op, MPI_INT));
    MPI_Op_free(&op);
  });
}

TEST(OperandOrder, MayMatterWhereNothingIsKnown) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    MPI_Datatype type{};
    MPI_Type_contiguous(2, MPI_INT, &type);
    EXPECT_TRUE(depends_on_order(MPI_SUM, type));
    MPI_Type_free(&type);
    EXPECT_TRUE(depends_on_order(MPI_SUM, MPI_DATATYPE_NULL));
    EXPECT_TRUE(depends_on_order(MPI_OP_NULL, MPI_INT));
  });
}

}  // namespace
}  // namespace stretto
