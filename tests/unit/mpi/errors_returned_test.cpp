#include "mpi/errors_returned.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

int calls = 0;
void count(MPI_Comm* /*comm*/, int* /*error*/, ...) { ++calls; }

class ErrorsReturnedTest : public testing::Test {
 protected:
  template <class Body>
  void run(const Body& body) {
    job.run([&](int /*rank*/) {
      MPI_Errhandler handler{};
      MPI_Comm_create_errhandler(count, &handler);
      body(handler);
      MPI_Errhandler_free(&handler);
    });
  }
  // Which handler an error goes to.
  static MPI_Errhandler handler_of(fake_mpi::Job& of, MPI_Comm comm) {
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return of.take_reports(0).back().handler;
  }
  fake_mpi::Job job{1};
};

TEST_F(ErrorsReturnedTest, AreWhileItLivesAndThenTheProgramsAgain) {
  run([&](MPI_Errhandler handler) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    {
      const ErrorsReturned outer(MPI_COMM_WORLD);
      EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), MPI_ERRORS_RETURN);
      {
        const ErrorsReturned inner(MPI_COMM_WORLD);
        EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), MPI_ERRORS_RETURN);
      }
      EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), MPI_ERRORS_RETURN);
    }
    EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), handler);
  });
}

TEST_F(ErrorsReturnedTest, OfTwoCommunicatorsEachHasItsOwnBack) {
  run([&](MPI_Errhandler handler) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    self_has_handler() = true;  // as the hook on MPI_Comm_set_errhandler notes
    {
      const ErrorsReturned world(MPI_COMM_WORLD);
      const ErrorsReturned self(MPI_COMM_SELF);
      EXPECT_EQ(handler_of(job, MPI_COMM_SELF), MPI_ERRORS_RETURN);
      EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), MPI_ERRORS_RETURN);
    }
    EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), handler);
    EXPECT_EQ(handler_of(job, MPI_COMM_SELF), MPI_ERRORS_ARE_FATAL);
  });
}

// MPICH says of a communicator without a handler of its own that errors are fatal, but asks those
// of MPI_COMM_SELF and MPI_COMM_WORLD: it still has to have none.
TEST_F(ErrorsReturnedTest, ACommunicatorWithoutAHandlerStillHasNone) {
  run([&](MPI_Errhandler handler) {
    MPI_Comm comm{};
    MPI_Group group{};
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Group_free(&group);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    {
      const ErrorsReturned returned(comm);
      EXPECT_EQ(handler_of(job, comm), MPI_ERRORS_RETURN);
    }
    EXPECT_EQ(handler_of(job, comm), handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    self_has_handler() = true;
    {
      const ErrorsReturned returned(comm);
      EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), handler);
    }
    EXPECT_EQ(handler_of(job, comm), MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
  });
}

TEST_F(ErrorsReturnedTest, AHandlerThatTheProgramGivesMeanwhileIsTheOneAfterwards) {
  run([&](MPI_Errhandler handler) {
    {
      const ErrorsReturned returned(MPI_COMM_WORLD);
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
      ErrorsReturned::keep(MPI_COMM_WORLD, handler);
      EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), MPI_ERRORS_RETURN);
    }
    EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), handler);
    ErrorsReturned::keep(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // now nobody has it
    EXPECT_EQ(handler_of(job, MPI_COMM_WORLD), MPI_ERRORS_RETURN);
  });
}

TEST_F(ErrorsReturnedTest, OtherCommunicatorsAndNullHandlersAreNotKept) {
  run([&](MPI_Errhandler handler) {
    MPI_Comm comm{};
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    ErrorsReturned::keep(comm, handler);
    ErrorsReturned::keep(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL);
    EXPECT_EQ(job.calls(0, "Comm_set_errhandler"), 0);
    MPI_Comm_free(&comm);
  });
}

}  // namespace
}  // namespace stretto
