// Waiting, testing and freeing: stretto.h's requests, Stretto's and the MPI's mixed.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;

// On two ranks, whose messages are held until `release` is called on both: a request of Stretto's,
// one of the MPI's (a collective on one rank), a null one, and a persistent one that is inactive.
class Mixed {
 public:
  Mixed(Job& job, int rank) : job_(job), rank_(rank) {
    if (rank == 0) job.hold([](const fake_mpi::Envelope& each) { return each.from != each.to; });
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(stretto_iallreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &all[0]),
              MPI_SUCCESS);
    EXPECT_EQ(stretto_iallreduce(&rank_, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &all[1]),
              MPI_SUCCESS);
    EXPECT_EQ(stretto_barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &all[3]), MPI_SUCCESS);
  }
  ~Mixed() {
    EXPECT_EQ(all[0], STRETTO_REQUEST_NULL);
    EXPECT_EQ(all[1], STRETTO_REQUEST_NULL);
    EXPECT_NE(all[3], STRETTO_REQUEST_NULL);  // a persistent one stays
    EXPECT_EQ(stretto_request_free(&all[3]), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(own, rank_);
  }
  void release() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) job_.release();
  }
  std::array<stretto_request, 4> all{};
  int sum = 0, own = -1;

 private:
  Job& job_;
  int rank_;
};

template <class Body>
void with_mixed_requests(const Body& body) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    Mixed mixed(job, rank);
    body(mixed);
  });
}

TEST(Completion, WaitTakesEachKind) {
  with_mixed_requests([](Mixed& mixed) {
    EXPECT_EQ(stretto_wait(&mixed.all[1]), MPI_SUCCESS);
    EXPECT_EQ(stretto_wait(&mixed.all[2]), MPI_SUCCESS);
    EXPECT_EQ(stretto_wait(&mixed.all[3]), MPI_SUCCESS);
    mixed.release();
    EXPECT_EQ(stretto_wait(&mixed.all[0]), MPI_SUCCESS);
    EXPECT_EQ(stretto_wait(&mixed.all[0]), MPI_SUCCESS);  // it is null by now
  });
}

TEST(Completion, TestDoesNotWait) {
  with_mixed_requests([](Mixed& mixed) {
    int flag = 1;
    EXPECT_EQ(stretto_test(&mixed.all[0], &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    for (const std::size_t done : {1U, 2U, 3U}) {
      EXPECT_EQ(stretto_test(&mixed.all[done], &flag), MPI_SUCCESS);
      EXPECT_EQ(flag, 1);
    }
    mixed.release();
    for (flag = 0; flag == 0;) stretto_test(&mixed.all[0], &flag);
  });
}

TEST(Completion, TestallThenWaitall) {
  with_mixed_requests([](Mixed& mixed) {
    int flag = 1;
    EXPECT_EQ(stretto_testall(4, mixed.all.data(), &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    EXPECT_NE(mixed.all[1], STRETTO_REQUEST_NULL);  // none is freed
    mixed.release();
    EXPECT_EQ(stretto_waitall(4, mixed.all.data()), MPI_SUCCESS);
    EXPECT_EQ(stretto_testall(4, mixed.all.data(), &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
  });
}

TEST(Completion, WaitanyAndTestanyNameOne) {
  with_mixed_requests([](Mixed& mixed) {
    int index = -5;
    int flag = 0;
    EXPECT_EQ(stretto_waitany(4, mixed.all.data(), &index), MPI_SUCCESS);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(stretto_testany(4, mixed.all.data(), &index, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(index, MPI_UNDEFINED);
    mixed.release();
    EXPECT_EQ(stretto_waitany(4, mixed.all.data(), &index), MPI_SUCCESS);
    EXPECT_EQ(index, 0);
    EXPECT_EQ(stretto_testany(4, mixed.all.data(), &index, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);  // none is active
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_EQ(stretto_waitany(4, mixed.all.data(), &index), MPI_SUCCESS);
    EXPECT_EQ(index, MPI_UNDEFINED);
  });
}

TEST(Completion, WaitsomeAndTestsomeNameThoseThatAre) {
  with_mixed_requests([](Mixed& mixed) {
    int number = -5;
    std::array<int, 4> indices{};
    EXPECT_EQ(stretto_waitsome(4, mixed.all.data(), &number, indices.data()), MPI_SUCCESS);
    EXPECT_EQ(number, 1);
    EXPECT_EQ(indices[0], 1);
    EXPECT_EQ(stretto_testsome(4, mixed.all.data(), &number, indices.data()), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
    mixed.release();
    EXPECT_EQ(stretto_waitsome(4, mixed.all.data(), &number, indices.data()), MPI_SUCCESS);
    EXPECT_EQ(number, 1);
    EXPECT_EQ(indices[0], 0);
    EXPECT_EQ(stretto_testsome(4, mixed.all.data(), &number, indices.data()), MPI_SUCCESS);
    EXPECT_EQ(number, MPI_UNDEFINED);
  });
}

TEST(Completion, OfNoRequestsThereIsNothingToWaitFor) {
  Job job(1);
  job.run([](int /*rank*/) {
    int flag = 0;
    int index = 0;
    stretto_request none = STRETTO_REQUEST_NULL;
    EXPECT_EQ(stretto_waitall(0, nullptr), MPI_SUCCESS);
    EXPECT_EQ(stretto_testall(0, nullptr, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(stretto_waitany(0, nullptr, &index), MPI_SUCCESS);
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_EQ(stretto_test(&none, &flag), MPI_SUCCESS);  // and Stretto was never used
    EXPECT_EQ(stretto_request_free(&none), MPI_ERR_REQUEST);
    EXPECT_EQ(stretto_start(&none), MPI_ERR_REQUEST);
  });
}

TEST(Completion, ThatOfAFreedOneComesByItself) {
  Job job(2);
  std::array<int, 2> sums{};
  std::array<int, 2> in{1, 2};
  run_with_stretto(job, [&](int rank) {
    const auto me = static_cast<std::size_t>(rank);
    stretto_request request = STRETTO_REQUEST_NULL;
    stretto_iallreduce(&in[me], &sums[me], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    EXPECT_EQ(stretto_request_free(&request), MPI_SUCCESS);
    EXPECT_EQ(request, STRETTO_REQUEST_NULL);
    // The MPI's, too.
    int own = 0;
    stretto_iallreduce(&rank, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
    EXPECT_EQ(stretto_request_free(&request), MPI_SUCCESS);
  });
  EXPECT_EQ(sums, (std::array<int, 2>{3, 3}));
}

// -- persistent collectives

TEST(Persistent, IsStartedAnyNumberOfTimes) {
  Job job(3);
  run_with_stretto(job, [](int rank) {
    int in = 0;
    int out = 0;
    stretto_request request = STRETTO_REQUEST_NULL;
    ASSERT_EQ(stretto_allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                     &request),
              MPI_SUCCESS);
    for (int i = 0; i < 5; ++i) {
      in = rank + i;
      EXPECT_EQ(stretto_start(&request), MPI_SUCCESS);
      EXPECT_EQ(stretto_start(&request), MPI_ERR_REQUEST);  // it is active
      EXPECT_EQ(stretto_wait(&request), MPI_SUCCESS);
      EXPECT_EQ(out, 3 + 3 * i);
    }
    EXPECT_EQ(stretto_request_free(&request), MPI_SUCCESS);
  });
}

// Each has tags of its own.
TEST(Persistent, SeveralAreStartedInAnyOrder) {
  Job job(2);
  run_with_stretto(job, [](int rank) {
    constexpr std::size_t kMany = 4;
    std::array<int, kMany> in{};
    std::array<int, kMany> out{};
    std::array<stretto_request, kMany> requests{};
    for (std::size_t i = 0; i < kMany; ++i) {
      in[i] = 10 * static_cast<int>(i) + rank;
      stretto_allreduce_init(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &requests[i]);
    }
    for (std::size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(stretto_start(&requests[rank == 0 ? i : kMany - 1 - i]), MPI_SUCCESS);
    }
    EXPECT_EQ(stretto_waitall(kMany, requests.data()), MPI_SUCCESS);
    for (std::size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(out[i], 20 * static_cast<int>(i) + 1);
      EXPECT_EQ(stretto_request_free(&requests[i]), MPI_SUCCESS);
    }
  });
}

TEST(Persistent, OneThatIsTheMpisStartsAndEndsAlike) {
  Job job(1);
  run_with_stretto(job, [&](int /*rank*/) {
    const int in = 4;
    int out = 0;
    stretto_request request = STRETTO_REQUEST_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    ASSERT_EQ(stretto_allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL,
                                     &request),
              MPI_SUCCESS);
    EXPECT_EQ(stretto_startall(1, &request), MPI_SUCCESS);
    EXPECT_EQ(stretto_wait(&request), MPI_SUCCESS);
    EXPECT_EQ(out, 4);
    job.fail(0, "Start", 1, MPI_ERR_NO_MEM);
    EXPECT_EQ(stretto_startall(1, &request), MPI_ERR_NO_MEM);
    EXPECT_EQ(stretto_request_free(&request), MPI_SUCCESS);
  });
}

// It goes on, and what it holds goes with its end.
TEST(Persistent, MayBeFreedWhileItIsActive) {
  Job job(2);
  std::array<int, 2> sums{};
  std::array<int, 2> in{3, 5};
  run_with_stretto(job, [&](int rank) {
    const auto me = static_cast<std::size_t>(rank);
    stretto_request request = STRETTO_REQUEST_NULL;
    stretto_allreduce_init(&in[me], &sums[me], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request);
    stretto_start(&request);
    EXPECT_EQ(stretto_request_free(&request), MPI_SUCCESS);
  });
  EXPECT_EQ(sums, (std::array<int, 2>{8, 8}));
}

TEST(Persistent, WithoutATagLeftItIsAnErrorOnAllRanks) {
  const Setting few("STRETTO_TAG_BITS", "13");
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::vector<stretto_request> requests;
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS) {
      requests.push_back(STRETTO_REQUEST_NULL);
      error = stretto_barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests.back());
    }
    EXPECT_EQ(error, MPI_ERR_OTHER);
    EXPECT_EQ(job.take_reports(rank).size(), 1U);
    requests.pop_back();
    EXPECT_FALSE(requests.empty());
    for (stretto_request& request : requests) stretto_request_free(&request);
  });
}

// -- errors

// Its sum cannot be worked out on one rank, which no message tells the other.
TEST(Completion, AFailedOnesErrorIsReturnedAfterItsHandlerWasCalled) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int warm = 0;
    int out = 0;
    stretto_allreduce(&warm, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) job.fail(0, "Reduce_local", 1, MPI_ERR_NO_MEM);
    stretto_request request = STRETTO_REQUEST_NULL;
    stretto_iallreduce(&rank, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    EXPECT_EQ(stretto_wait(&request), rank == 0 ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    EXPECT_EQ(request, STRETTO_REQUEST_NULL);
    bool heard = false;
    for (const fake_mpi::Report& report : job.take_reports(rank)) {
      heard = heard || (report.comm == MPI_COMM_WORLD && report.error == MPI_ERR_NO_MEM);
    }
    EXPECT_EQ(heard, rank == 0);
  });
}

TEST(Completion, WhatRepeatsIsNotDecidedOnAgain) {
  Job job(2);
  run_with_stretto(job, [&](int rank) {
    long asked = 0;
    for (int round = 0; round < 5; ++round) {
      const int in = rank + round;
      int out = 0;
      stretto_request request = STRETTO_REQUEST_NULL;
      stretto_iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      EXPECT_EQ(stretto_wait(&request), MPI_SUCCESS);
      EXPECT_EQ(out, 1 + 2 * round);
      if (round == 0) asked = job.calls(rank, "Type_size_x");
    }
    EXPECT_EQ(job.calls(rank, "Type_size_x"), asked);
  });
}

TEST(Completion, AFailedOneOfTheMpisReturnsItsError) {
  Job job(1);
  run_with_stretto(job, [&](int /*rank*/) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int in = 1;
    int out = 0;
    stretto_request request = STRETTO_REQUEST_NULL;
    job.fail(0, "Iallreduce", 1, MPI_ERR_NO_MEM);
    EXPECT_EQ(stretto_iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request),
              MPI_ERR_NO_MEM);
    EXPECT_EQ(request, STRETTO_REQUEST_NULL);
    stretto_iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
    job.fail(0, "Test", 1, MPI_ERR_NO_MEM);
    EXPECT_EQ(stretto_wait(&request), MPI_ERR_NO_MEM);
    EXPECT_EQ(request, STRETTO_REQUEST_NULL);
  });
}

TEST(Version, IsThatOfTheBuild) { EXPECT_NE(std::string(stretto_version()), ""); }

}  // namespace
}  // namespace stretto
