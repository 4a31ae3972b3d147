// The entry points of collectives, in each of their forms.

#include <gtest/gtest.h>

#include <array>

#include "adding.hpp"
#include "in_a_process.hpp"
#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

TEST(EntryPoints, BlockingCallsAreHandled) {
  Program program(3);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    int data = rank == 1 ? 7 : 0;
    MPI_Bcast(&data, 1, MPI_INT, 1, MPI_COMM_WORLD);
    EXPECT_EQ(data, 7);
    std::array<int, 3> all{};
    MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(all, (std::array<int, 3>{0, 1, 2}));
    int sum = 0;
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, rank * (rank + 1) / 2);
    const std::array<int, 3> counts{1, 1, 1};
    const std::array<int, 3> displs{2, 1, 0};
    std::array<int, 3> reversed{};
    MPI_Gatherv(&rank, 1, MPI_INT, reversed.data(), counts.data(), displs.data(), MPI_INT, 0,
                MPI_COMM_WORLD);
    if (rank == 0) {
      EXPECT_EQ(reversed, (std::array<int, 3>{2, 1, 0}));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (const char* function :
         {"MPI_Bcast", "MPI_Allgather", "MPI_Scan", "MPI_Gatherv", "MPI_Barrier"}) {
      EXPECT_EQ(handled(function), 1) << function;
    }
  });
  EXPECT_EQ(program.calls(0, "Bcast"), 0);
}

TEST(EntryPoints, NonblockingCallsAre) {
  Program program(3);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    std::array<MPI_Request, 2> requests{};
    int sum = 0;
    std::array<int, 3> mine{10 * rank, 10 * rank + 1, 10 * rank + 2};
    std::array<int, 3> theirs{};
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ialltoall(mine.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    EXPECT_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(theirs, (std::array<int, 3>{rank, 10 + rank, 20 + rank}));
    EXPECT_EQ(handled("MPI_Iallreduce"), 1);
    EXPECT_EQ(handled("MPI_Ialltoall"), 1);
  });
}

TEST(EntryPoints, PersistentOnesAreStartedAndFreed) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    int in = 0;
    int out = 0;
    MPI_Request request{};
    MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    EXPECT_EQ(handled("MPI_Allreduce_init"), 1);
    for (int i = 0; i < 3; ++i) {
      in = rank + i;
      EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(out, 1 + 2 * i);
    }
    EXPECT_EQ(MPI_Startall(1, &request), MPI_SUCCESS);
    int flag = 0;
    while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_NE(request, MPI_REQUEST_NULL);
    EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  });
}

TEST(EntryPoints, CountsBeyondAnIntAreThoseOfTheSameCalls) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    int sum = 0;
    EXPECT_EQ(MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(handled("MPI_Allreduce"), 1);
  });
}

TEST(EntryPoints, NeighborsAreTheTopologys) {
  Program program(3);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    MPI_Comm ring{};
    const int size = 3;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    std::array<int, 2> got{};
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got.data(), 1, MPI_INT, ring);
    EXPECT_EQ(got, (std::array<int, 2>{(rank + 2) % 3, (rank + 1) % 3}));
    EXPECT_EQ(handled("MPI_Neighbor_allgather"), 1);
    MPI_Comm_free(&ring);
    const int to = (rank + 1) % 3;
    const int one = 1;
    MPI_Comm graph{};
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &graph);
    int before = -1;
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &before, 1, MPI_INT, graph);
    EXPECT_EQ(before, (rank + 2) % 3);
    MPI_Comm_free(&graph);
  });
}

TEST(EntryPoints, WhatIsWrongIsTheMpisToReport) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    // Both ranks name a root that there is not, and the fake is not asked to find that.
    EXPECT_EQ(passed("MPI_Allreduce", Reason::invalid_arguments), 0);
    const double value = rank;
    double result = 0;
    EXPECT_EQ(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT_EQ(passed("MPI_Allreduce", Reason::invalid_arguments), 1);
  });
  for (const int rank : {0, 1}) {
    for (const fake_mpi::Report& report : program.take_reports(rank)) {
      EXPECT_EQ(report.handler, MPI_ERRORS_RETURN);
    }
  }
}

// It must not run beside a program that has one thread; blocking it runs on the program's own.
TEST(EntryPoints, AFunctionOfTheProgramsRunsInBlockingCallsAlone) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    MPI_Op op{};
    MPI_Op_create(add, 1, &op);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(handled("MPI_Allreduce"), 1);
    MPI_Request request{};
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(passed("MPI_Iallreduce", Reason::one_thread), 1);
    MPI_Op_free(&op);
  });
}

TEST(EntryPoints, TypesAndOperationsMayBeFreedWhileTheyAreUsed) {
  Program program(2);
  run_program(program, MPI_THREAD_MULTIPLE, [&](int rank) {
    MPI_Datatype pair{};
    MPI_Op op{};
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(add, 1, &op);
    if (rank == 0)
      program.hold([](const fake_mpi::Envelope& each) { return each.from != each.to; });
    std::array<MPI_Request, 2> requests{};
    std::array<int, 2> data{rank == 0 ? 4 : 0, rank == 0 ? 5 : 0};
    int sum = 0;
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Ibcast(data.data(), 1, pair, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    EXPECT_EQ(pair, MPI_DATATYPE_NULL);
    EXPECT_EQ(op, MPI_OP_NULL);
    if (rank == 0) program.release();
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(data, (std::array<int, 2>{4, 5}));
    EXPECT_EQ(sum, 1);
  });
}

TEST(EntryPoints, NewCommunicatorsAreKnown) {
  Program program(4);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    std::array<MPI_Comm, 4> comms{};
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comms[2]);
    MPI_Comm_dup_with_info(comms[1], MPI_INFO_NULL, &comms[3]);
    MPI_Comm none{};
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
    EXPECT_EQ(none, MPI_COMM_NULL);
    int sum = 0;
    for (MPI_Comm& comm : comms) {
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
      EXPECT_EQ(sum, 6);
    }
    EXPECT_EQ(handled("MPI_Allreduce"), 4);
    MPI_Comm group{};
    MPI_Comm inter{};
    MPI_Comm merged{};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    EXPECT_EQ(sum, rank % 2 == 0 ? 4 : 2);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(handled("MPI_Allreduce"), 6);
    MPI_Comm_disconnect(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  });
}

// Ranks of another MPI_COMM_WORLD need not run Stretto.
TEST(EntryPoints, CommunicatorsOfTwoWorldsAreTheMpis) {
  Program program(2, {.others = 1});
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    MPI_Comm inter{};
    if (rank < 2) {
      MPI_Comm_accept("port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    } else {
      MPI_Comm_connect("port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    }
    MPI_Comm merged{};
    MPI_Intercomm_merge(inter, rank == 2 ? 1 : 0, &merged);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(handled("MPI_Allreduce"), 0);
    EXPECT_EQ(passed("MPI_Allreduce", Reason::not_attached), 1);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
  });
}

// To look them up takes an MPI the product of two sizes.
TEST(EntryPoints, RanksOfAKnownCommunicatorAreNotLookedUpAgain) {
  Program program(2, {.others = 1});
  std::array<long, 3> looked_up{};
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    const auto look_ups = [&] { return program.calls(rank, "Group_translate_ranks"); };
    MPI_Comm inter{};
    if (rank < 2) {
      MPI_Comm_accept("port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    } else {
      MPI_Comm_connect("port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    }
    const long before = look_ups();
    MPI_Comm copy{};
    MPI_Comm part{};
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, 0, -rank, &part);
    looked_up[static_cast<std::size_t>(rank)] = look_ups() - before;
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    EXPECT_EQ(sum, rank < 2 ? 1 : 2);
    EXPECT_EQ(passed("MPI_Allreduce", Reason::not_attached), 0);
    for (MPI_Comm* comm : {&part, &copy, &inter}) MPI_Comm_free(comm);
  });
  EXPECT_EQ(looked_up, (std::array<long, 3>{}));
}

TEST(EntryPoints, SomeAreTheMpisAlone) {
  Program program(1);
  run_program(program, MPI_THREAD_SINGLE, [&](int /*rank*/) {
    MPI_File file{};
    EXPECT_EQ(MPI_File_open(MPI_COMM_SELF, "x", 0, MPI_INFO_NULL, &file), MPI_SUCCESS);
    MPI_Session session{};
    EXPECT_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    EXPECT_EQ(MPI_Abort(MPI_COMM_WORLD, 3), MPI_SUCCESS);
    EXPECT_EQ(program.take_reports(0).front().error, 3);
  });
}

// Said once in a process.
TEST(EntryPointsDeathTest, BeforeInitAndAfterFinalizeCallsGoOn) {
  expect_in_a_process([] {
    testing::internal::CaptureStderr();
    const Setting verbose("STRETTO_VERBOSE", "1");
    Program program(1);
    program.run([](int /*rank*/) {
      MPI_Session session{};
      EXPECT_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    });
    EXPECT_NE(testing::internal::GetCapturedStderr().find("this program uses MPI sessions"),
              std::string::npos);
  });
}

}  // namespace
}  // namespace stretto::intercept::accelerate
