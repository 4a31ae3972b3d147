#include "mpi/communicator_like.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

int copies = 0;
int copy_attribute(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* /*value*/,
                   void* /*copied*/, int* flag) {
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}

TEST(CommunicatorLike, HasTheRanksAndReturnsErrors) {
  fake_mpi::Job job(3);
  job.run([](int rank) {
    MPI_Comm comm = communicator_like(MPI_COMM_WORLD);
    int number = -1;
    MPI_Comm_rank(comm, &number);
    EXPECT_EQ(number, rank);
    MPI_Errhandler handler{};
    MPI_Comm_get_errhandler(comm, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
  });
}

TEST(CommunicatorLike, RunsNoCallbackOfTheProgramsAttributes) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    int keyval = 0;
    MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, nullptr);
    MPI_Comm comm = communicator_like(MPI_COMM_WORLD);
    EXPECT_EQ(copies, 0);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&keyval);
  });
}

// The handler of the program's would end the job by default.
TEST(CommunicatorLike, IsNullWhereTheMpiMakesNoneAndNoHandlerHears) {
  for (const char* function : {"Comm_group", "Comm_create"}) {
    fake_mpi::Job job(1);
    job.fail(0, function, 1);
    job.run([](int /*rank*/) {
      EXPECT_EQ(communicator_like(MPI_COMM_WORLD), MPI_COMM_NULL);
      MPI_Errhandler handler{};
      MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
      EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
    });
  }
}

}  // namespace
}  // namespace stretto
