#include "api/call.hpp"

#include <gtest/gtest.h>

#include <climits>

#include "api/submit.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;

thread_local int elements[64];  // each rank's own

Call allreduce(Count count, Form form = Form::blocking) {
  Call call{.collective = Collective::allreduce, .form = form, .sendbuf = elements};
  call.recvbuf = elements + 32;
  call.recvcount = count;
  call.recvtype = MPI_INT;
  call.op = MPI_SUM;
  call.comm = MPI_COMM_WORLD;
  return call;
}

Reason reason(const Call& call) { return decide(call).choice.reason; }

TEST(Decide, OnACommunicatorThatIsNotKnownTheCallIsTheMpis) {
  Job job(1);
  job.run([](int /*rank*/) {
    EXPECT_EQ(reason(allreduce(1)), Reason::not_attached);
    EXPECT_EQ(decide(allreduce(1)).error, MPI_ERR_COMM);
    EXPECT_EQ(
        always_native(Collective::barrier, Form::blocking, communicators::find(MPI_COMM_WORLD)),
        Reason::not_attached);
  });
}

TEST(Decide, WrongArgumentsAreTheMpisToReport) {
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    EXPECT_EQ(reason(allreduce(-1)), Reason::invalid_arguments);
    EXPECT_EQ(decide(allreduce(-1)).error, MPI_ERR_COUNT);
  });
}

TEST(Decide, WhatAnIntCannotCountInBytesIsTheMpis) {
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    EXPECT_EQ(reason(allreduce(INT_MAX / 4)), Reason::none);
    EXPECT_EQ(reason(allreduce(INT_MAX / 4 + 1)), Reason::too_large);
    EXPECT_EQ(reason(allreduce(Count{INT_MAX} * 4)), Reason::too_large);
    Call gather{.collective = Collective::allgather, .sendbuf = elements, .recvbuf = elements};
    gather.sendtype = gather.recvtype = MPI_INT;
    gather.comm = MPI_COMM_WORLD;
    gather.sendcount = gather.recvcount = INT_MAX / 8;
    EXPECT_EQ(reason(gather), Reason::none);
    gather.sendcount = gather.recvcount = INT_MAX / 8 + 1;  // two blocks of it are too long
    EXPECT_EQ(reason(gather), Reason::too_large);
  });
}

TEST(Decide, NonblockingIsTheMpisWhereNobodyWouldDriveIt) {
  Job job(2, {.thread_level = MPI_THREAD_FUNNELED});
  run_with_stretto(job, [](int /*rank*/) {
    EXPECT_EQ(reason(allreduce(1)), Reason::none);
    EXPECT_EQ(reason(allreduce(1, Form::nonblocking)), Reason::no_progress_thread);
    EXPECT_EQ(always_native(Collective::allreduce, Form::nonblocking,
                            communicators::find(MPI_COMM_WORLD)),
              Reason::no_progress_thread);
    EXPECT_EQ(
        always_native(Collective::allreduce, Form::blocking, communicators::find(MPI_COMM_WORLD)),
        Reason::none);
  });
}

TEST(Decide, OneRankAloneIsTheMpis) {
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    Call call = allreduce(1);
    call.comm = MPI_COMM_SELF;
    EXPECT_EQ(reason(call), Reason::one_rank);
  });
}

TEST(Decide, OnOneHostTheMpisOwnAreBest) {
  Job job(2);
  job.run([](int /*rank*/) {
    const fake_mpi::WithStretto stretto;
    EXPECT_EQ(reason(allreduce(1)), Reason::native_faster);
  });
}

// The same wherever it is asked, or ranks would not do the same.
TEST(Decide, AllRanksAgree) {
  Job job(5);
  std::array<const Algorithm*, 5> chosen{};
  run_with_stretto(job, [&](int rank) {
    for (const Count count : {1, 100, 5000, 100'000}) {
      chosen[static_cast<std::size_t>(rank)] = decide(allreduce(count)).choice.algorithm;
      MPI_Barrier(MPI_COMM_WORLD);
      for (const Algorithm* const algorithm : chosen) EXPECT_EQ(algorithm, chosen[0]);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
}

TEST(Run, UsesAPlanAgain) {
  Job job(2);
  run_with_stretto(job, [](int /*rank*/) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run(allreduce(3), decide(allreduce(3))), MPI_SUCCESS);
    const PlanCache::Counts counts = Engine::get().plans().counts();
    EXPECT_EQ(counts.built, 1);
    EXPECT_EQ(counts.reused, 3);
  });
}

TEST(Report, CallsTheHandlerOfAnErrorAlone) {
  Job job(1);
  job.run([&](int /*rank*/) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(report(MPI_COMM_SELF, MPI_SUCCESS), MPI_SUCCESS);
    EXPECT_TRUE(job.take_reports(0).empty());
    EXPECT_EQ(report(MPI_COMM_SELF, MPI_ERR_OTHER), MPI_ERR_OTHER);
    EXPECT_EQ(job.take_reports(0).size(), 1U);
  });
}

TEST(Prepare, TheFirstCallOnACommunicatorPreparesIt) {
  const fake_mpi::NeverNative never_native;
  Job job(2);
  job.run([](int rank) {
    int sum = 0;
    EXPECT_EQ(stretto_allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    EXPECT_NE(communicators::find(MPI_COMM_WORLD), nullptr);
    EXPECT_EQ(stretto_attach(MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(stretto_attach(MPI_COMM_NULL), MPI_ERR_COMM);
    stretto_finalize();
  });
}

// One rank has no context left for itself: others must not wait for it.
TEST(Prepare, WithoutAContextCallsAreTheMpis) {
  Job job(2, {.contexts = 1});
  job.run([](int rank) {
    int sum = 0;
    EXPECT_EQ(stretto_attach(MPI_COMM_WORLD), MPI_ERR_COMM);
    EXPECT_EQ(stretto_allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    stretto_finalize();
  });
}

// Like a collective that the MPI has not.
TEST(SubmitDeathTest, AFunctionThatTheMpiLacksEndsTheProgramWithOneLine) {
  EXPECT_EXIT(static_cast<void>(MpiFunction<int (*)()>("Nonesuch").get()),
              testing::ExitedWithCode(5), "this MPI has no MPI_Nonesuch");
}

}  // namespace
}  // namespace stretto
