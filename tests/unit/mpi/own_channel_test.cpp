#include "mpi/own_channel.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

TEST(OwnChannel, IsOpenedAndClosedOnce) {
  fake_mpi::Job job(1);
  job.run([&](int /*rank*/) {
    EXPECT_TRUE(own_channel::open());
    EXPECT_TRUE(own_channel::open());
    EXPECT_EQ(job.calls(0, "Comm_create"), 1);
    own_channel::close();
    own_channel::close();
    EXPECT_EQ(job.calls(0, "Comm_free"), 1);
  });
}

TEST(OwnChannel, EachRankHasItsOwn) {
  fake_mpi::Job job(3);
  job.run([](int rank) {
    ASSERT_TRUE(own_channel::open());
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, own_channel::get(),
                 MPI_STATUS_IGNORE);
    EXPECT_EQ(got, rank);
    own_channel::close();
  });
}

TEST(OwnChannel, WithoutAContextItStaysClosed) {
  fake_mpi::Job job(1, {.contexts = 0});
  job.run([&](int /*rank*/) {
    EXPECT_FALSE(own_channel::open());
    own_channel::close();
  });
  EXPECT_EQ(job.take_reports(0).front().handler, MPI_ERRORS_RETURN);
}

class SignalTest : public testing::Test {
 protected:
  template <class Body>
  void run(const Body& body) {
    job.run([&](int /*rank*/) {
      ASSERT_TRUE(own_channel::open());
      body();
      own_channel::close();
    });
  }
  fake_mpi::Job job{1};
};

TEST_F(SignalTest, CompletesItsRequestAsOftenAsItIsStarted) {
  run([] {
    const own_channel::Signal signal;
    MPI_Request request = signal.request();
    for (int i = 0; i < 3; ++i) {
      int flag = 1;
      MPI_Start(&request);
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0);
      signal.raise(MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    EXPECT_EQ(signal.take_error(), MPI_SUCCESS);
    MPI_Request_free(&request);
  });
}

TEST_F(SignalTest, AnErrorMakesTheWaitFailAndIsTakenOnce) {
  run([&] {
    const own_channel::Signal signal;
    MPI_Request request = signal.request();
    MPI_Start(&request);
    signal.raise(MPI_ERR_NO_MEM);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    EXPECT_EQ(signal.take_error(), MPI_ERR_NO_MEM);
    EXPECT_EQ(signal.take_error(), MPI_SUCCESS);
    MPI_Request_free(&request);
    EXPECT_EQ(job.take_reports(0).front().handler, MPI_ERRORS_RETURN);
  });
}

// Of many at a time, and tags are used again.
TEST_F(SignalTest, EachCompletesItsOwnRequest) {
  run([&] {
    for (int round = 0; round < 2; ++round) {
      const own_channel::Signal one;
      const own_channel::Signal other;
      MPI_Request first = one.request();
      MPI_Request second = other.request();
      MPI_Start(&first);
      MPI_Start(&second);
      other.raise(MPI_SUCCESS);
      int flag = 1;
      MPI_Test(&first, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0);
      EXPECT_EQ(MPI_Wait(&second, MPI_STATUS_IGNORE), MPI_SUCCESS);
      one.raise(MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&first, MPI_STATUS_IGNORE), MPI_SUCCESS);
      MPI_Request_free(&first);
      MPI_Request_free(&second);
    }
  });
}

}  // namespace
}  // namespace stretto
