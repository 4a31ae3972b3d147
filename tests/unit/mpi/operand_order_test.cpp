#include "mpi/operand_order.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

void do_nothing(void* /*in*/, void* /*inout*/, int* /*length*/, MPI_Datatype* /*type*/) {}

TEST(OperandOrder, MattersWhereNumbersAreRoundedAndToOperationsOfTheProgram) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    for (int times = 0; times < 2; ++times) {
      EXPECT_TRUE(depends_on_order(MPI_SUM, MPI_DOUBLE, 3));
      EXPECT_TRUE(depends_on_order(MPI_PROD, MPI_FLOAT, 3));
      EXPECT_FALSE(depends_on_order(MPI_SUM, MPI_INT, 3));
      EXPECT_FALSE(depends_on_order(MPI_PROD, MPI_LONG, 3));
      EXPECT_FALSE(depends_on_order(MPI_MAX, MPI_DOUBLE, 3));
      EXPECT_FALSE(depends_on_order(MPI_LAND, MPI_INT, 3));
    }
    MPI_Op op{};
    MPI_Op_create(do_nothing, 1, &op);
    EXPECT_TRUE(depends_on_order(op, MPI_INT, 3));
    MPI_Op_free(&op);
  });
}

TEST(OperandOrder, MattersNotToTheSumOfTwo) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    for (const MPI_Datatype type : {MPI_DOUBLE, MPI_FLOAT, MPI_C_DOUBLE_COMPLEX, MPI_INT}) {
      EXPECT_FALSE(depends_on_order(MPI_SUM, type, 2));
    }
    EXPECT_TRUE(depends_on_order(MPI_PROD, MPI_C_DOUBLE_COMPLEX, 2));
    EXPECT_TRUE(depends_on_order(MPI_SUM, MPI_DATATYPE_NULL, 2));
    MPI_Op op{};
    MPI_Op_create(do_nothing, 1, &op);
    EXPECT_TRUE(depends_on_order(op, MPI_INT, 2));
    MPI_Op_free(&op);
  });
}

TEST(OperandOrder, MayMatterWhereNothingIsKnown) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    MPI_Datatype type{};
    MPI_Type_contiguous(2, MPI_INT, &type);
    EXPECT_TRUE(depends_on_order(MPI_SUM, type, 3));
    MPI_Type_free(&type);
    EXPECT_TRUE(depends_on_order(MPI_SUM, MPI_DATATYPE_NULL, 3));
    EXPECT_TRUE(depends_on_order(MPI_OP_NULL, MPI_INT, 3));
  });
}

}  // namespace
}  // namespace stretto
