// Virtual time of messages.

#include <gtest/gtest.h>

#include <array>

#include "intercept/whatif/program.hpp"

namespace stretto::intercept::whatif {
namespace {

TEST(WhatifMessages, ArriveWhenTheModelSays) {
  Program program(2);
  run_program(program, [](int rank) {
    int value = 5;
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      EXPECT_DOUBLE_EQ(clock_of(kSim), kSend);
    } else {
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_DOUBLE_EQ(clock_of(kSim), one_way(4) + kRecv);
    }
    EXPECT_DOUBLE_EQ(clock_of(kNoCommunication), 0);
  });
}

TEST(WhatifMessages, AMessageThatHasComeLongAgoCostsNoWait) {
  Program program(2);
  run_program(program, [](int rank) {
    std::array<int, 3> values{};
    // Back and forth: the last receive finds the first message there.
    if (rank == 0) {
      MPI_Send(values.data(), 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
      MPI_Recv(values.data(), 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(values.data(), 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    } else {
      MPI_Send(values.data(), 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(values.data(), 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double before = clock_of(kSim);
      MPI_Recv(values.data(), 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_DOUBLE_EQ(clock_of(kSim), before + kRecv);
    }
  });
}

TEST(WhatifMessages, NonblockingOnesAreReceivedWhereTheyAreWaitedFor) {
  Program program(2);
  run_program(program, [](int rank) {
    std::array<int, 2> got{};
    std::array<MPI_Request, 4> requests{};
    for (int i = 0; i < 2; ++i) {
      const auto place = static_cast<std::size_t>(i);
      MPI_Irecv(&got[place], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[place]);
    }
    for (int i = 0; i < 2; ++i) {
      MPI_Isend(&rank, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD,
                &requests[2 + static_cast<std::size_t>(i)]);
    }
    EXPECT_DOUBLE_EQ(clock_of(kSim), 2 * kSend);
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(got, (std::array<int, 2>{1 - rank, 1 - rank}));
    EXPECT_GE(clock_of(kSim), one_way(4) + kRecv);
    EXPECT_LE(clock_of(kSim), 2 * kSend + one_way(4) + 2 * kRecv);
  });
}

TEST(WhatifMessages, BothWaysAtOnce) {
  Program program(2);
  run_program(program, [](int rank) {
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT_EQ(got, 1 - rank);
    EXPECT_DOUBLE_EQ(clock_of(kSim), one_way(4) + kRecv);
  });
}

TEST(WhatifMessages, OnesToNobodyCostNothing) {
  Program program(1);
  run_program(program, [](int rank) {
    MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_DOUBLE_EQ(clock_of(kSim), 0);
  });
}

// Whichever the MPI matches: that one's clock message is taken.
TEST(WhatifMessages, FromAnySourceAreThoseThatCame) {
  Program program(3);
  run_program(program, [](int rank) {
    if (rank > 0) {
      // Rank 2 is later by a message.
      int value = rank;
      if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value = 2;
      } else {
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
      }
      MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
      return;
    }
    double last = 0;
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
      int value = 0;
      MPI_Status status{};
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      EXPECT_EQ(status.MPI_SOURCE, value);
      EXPECT_EQ(status.MPI_TAG, 4);
      EXPECT_GE(clock_of(kSim), last);
      last = clock_of(kSim);
      sum += value;
    }
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(Process::get().flags.wildcards, 2);
    EXPECT_GE(last, 2 * one_way(4) + kRecv);  // after the later one
  });
}

TEST(WhatifMessages, AreSeenByProbesAndTakenByMatchedOnes) {
  Program program(2);
  run_program(program, [](int rank) {
    int value = 6;
    if (rank == 0) {
      for (int tag = 0; tag < 3; ++tag) MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
      return;
    }
    MPI_Status status{};
    MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
    EXPECT_EQ(status.MPI_TAG, 0);
    EXPECT_GE(clock_of(kSim), one_way(4));
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Message message{};
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    EXPECT_EQ(value, 6);
    int flag = 0;
    while (flag == 0) MPI_Improbe(0, 2, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Request request{};
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    EXPECT_GE(Process::get().flags.polls, 1);
  });
}

TEST(WhatifMessages, PersistentOnesGoEachTimeTheyAreStarted) {
  Program program(2);
  run_program(program, [](int rank) {
    int value = rank;
    MPI_Request request{};
    if (rank == 0) {
      MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    } else {
      MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    }
    EXPECT_DOUBLE_EQ(clock_of(kSim), 0);
    for (int i = 0; i < 3; ++i) {
      if (i < 2) {
        MPI_Start(&request);
      } else {
        MPI_Startall(1, &request);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
      EXPECT_DOUBLE_EQ(clock_of(kSim), 3 * kSend);
    } else {
      // The second is there before the first is taken in.
      EXPECT_DOUBLE_EQ(clock_of(kSim), one_way(4) + 3 * kRecv);
    }
    MPI_Request_free(&request);
  });
}

// By each of the functions that wait and test.
TEST(WhatifMessages, AreReceivedByWhateverCompletesThem) {
  Program program(2);
  run_program(program, [](int rank) {
    constexpr int kSent = 8;
    if (rank == 0) {
      for (int tag = 0; tag < kSent; ++tag) {
        MPI_Send(&tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
      }
      return;
    }
    std::array<int, kSent> got{};
    std::array<MPI_Request, kSent> requests{};
    for (int tag = 0; tag < kSent; ++tag) {
      const auto place = static_cast<std::size_t>(tag);
      MPI_Irecv(&got[place], 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[place]);
    }
    int flag = 0;
    int index = -1;
    int number = 0;
    std::array<int, kSent> indices{};
    while (flag == 0) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Waitany(1, &requests[2], &index, MPI_STATUS_IGNORE);
    for (flag = 0; flag == 0;) MPI_Testany(1, &requests[3], &index, &flag, MPI_STATUS_IGNORE);
    MPI_Waitsome(1, &requests[4], &number, indices.data(), MPI_STATUSES_IGNORE);
    for (number = 0; number == 0;) {
      MPI_Testsome(1, &requests[5], &number, indices.data(), MPI_STATUSES_IGNORE);
    }
    for (flag = 0; flag == 0;) MPI_Testall(1, &requests[6], &flag, MPI_STATUSES_IGNORE);
    for (flag = 0; flag == 0;) MPI_Request_get_status(requests[7], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(1, &requests[7], MPI_STATUSES_IGNORE);
    for (int tag = 0; tag < kSent; ++tag) EXPECT_EQ(got[static_cast<std::size_t>(tag)], tag);
    EXPECT_GE(clock_of(kSim), one_way(4) + (kSent - 1) * kSend + kRecv);
  });
}

TEST(WhatifMessages, ACancelledOrFailedReceiveTakesNone) {
  Program program(2);
  run_program(program, [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::array<int, 2> values{};
    if (rank == 0) {
      MPI_Send(values.data(), 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Send(values.data(), 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      return;
    }
    MPI_Request request{};
    MPI_Irecv(values.data(), 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(MPI_Recv(values.data(), 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Recv(values.data(), 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  });
  static_cast<void>(program.take_reports(1));
}

TEST(WhatifMessages, ATestThatFindsAFailedReceiveSaysWhich) {
  Program program(2);
  run_program(program, [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::array<int, 2> values{};
    if (rank == 0) {
      MPI_Send(values.data(), 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
      return;
    }
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(values.data(), 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
    int error = MPI_SUCCESS;
    int index = MPI_UNDEFINED;
    int flag = 0;
    while (error == MPI_SUCCESS) {
      EXPECT_EQ(flag, 0);
      flag = -1;
      error = MPI_Testany(2, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(error, MPI_ERR_TRUNCATE);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(index, 1);
  });
  static_cast<void>(program.take_reports(1));
}

}  // namespace
}  // namespace stretto::intercept::whatif
