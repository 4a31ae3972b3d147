#include "engine/failures.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

class FailuresTest : public testing::Test {
 protected:
  template <class Body>
  void run(const Body& body) {
    job.run([&](int /*rank*/) {
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      body();
      MPI_Comm_free(&comm);
    });
  }
  fake_mpi::Job job{1};
  MPI_Comm comm{};
  std::array<MPI_Request, 3> requests{};
  std::array<MPI_Status, 3> statuses{};
  std::array<int, 3> indices{0, 2, 0};
  int flag = 1, index = 0, outcount = 2;
};

TEST_F(FailuresTest, WithoutOneTheResultIsTheMpis) {
  run([&] {
    const Failures failures;
    const Completion wait = Completion::wait(nullptr, requests.data(), statuses.data());
    EXPECT_EQ(failures.result(MPI_SUCCESS, wait), MPI_SUCCESS);
    EXPECT_EQ(failures.result(MPI_ERR_OTHER, wait), MPI_ERR_OTHER);
    EXPECT_TRUE(job.take_reports(0).empty());
  });
}

TEST_F(FailuresTest, ASingleRequestsErrorIsReturnedAndItsHandlerCalled) {
  run([&] {
    const Failures failures;
    Failures::add(comm, MPI_ERR_NO_MEM);
    Failures::add(MPI_COMM_WORLD, MPI_ERR_OTHER);  // the first counts
    const Completion any =
        Completion::testany(nullptr, 3, requests.data(), &index, &flag, statuses.data());
    EXPECT_EQ(failures.result(MPI_SUCCESS, any), MPI_ERR_NO_MEM);
    const auto reports = job.take_reports(0);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].comm, comm);
    EXPECT_EQ(reports[0].error, MPI_ERR_NO_MEM);
  });
}

TEST_F(FailuresTest, OfSeveralEachStatusTellsItsOwn) {
  run([&] {
    const Failures failures;
    Failures::add(comm, MPI_ERR_NO_MEM);
    statuses[1].MPI_SOURCE = Failures::kFailed;
    statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = statuses[2].MPI_ERROR = 77;
    const Completion all = Completion::waitall(nullptr, 3, requests.data(), statuses.data());
    EXPECT_EQ(failures.result(MPI_SUCCESS, all), MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(statuses[1].MPI_ERROR, MPI_ERR_NO_MEM);
    EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_ANY_SOURCE);
    EXPECT_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
  });
}

TEST_F(FailuresTest, WhatTheMpiSaysOfItsOwnStays) {
  run([&] {
    const Failures failures;
    Failures::add(comm, MPI_ERR_NO_MEM);
    statuses[0].MPI_SOURCE = Failures::kFailed;
    statuses[1].MPI_ERROR = MPI_ERR_TRUNCATE;
    statuses[2].MPI_ERROR = 77;  // beyond those that are complete
    const Completion some = Completion::waitsome(nullptr, 3, requests.data(), &outcount,
                                                 indices.data(), statuses.data());
    EXPECT_EQ(failures.result(MPI_ERR_IN_STATUS, some), MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_ERR_NO_MEM);
    EXPECT_EQ(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    EXPECT_EQ(statuses[2].MPI_ERROR, 77);
  });
}

TEST_F(FailuresTest, StatusesMayBeIgnored) {
  run([&] {
    const Failures failures;
    Failures::add(comm, MPI_ERR_NO_MEM);
    const Completion all = Completion::waitall(nullptr, 3, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(failures.result(MPI_SUCCESS, all), MPI_ERR_IN_STATUS);
  });
}

// A callback of the program's may wait, too, inside of a wait.
TEST_F(FailuresTest, AnInnerWaitsAreNotTheOuters) {
  run([&] {
    const Failures outer;
    const Completion wait = Completion::wait(nullptr, requests.data(), statuses.data());
    {
      const Failures inner;
      Failures::add(comm, MPI_ERR_NO_MEM);
      EXPECT_EQ(inner.result(MPI_SUCCESS, wait), MPI_ERR_NO_MEM);
    }
    EXPECT_EQ(outer.result(MPI_SUCCESS, wait), MPI_SUCCESS);
  });
  Failures::add(comm, MPI_ERR_OTHER);  // nobody collects: nothing happens
}

}  // namespace
}  // namespace stretto
