// Waits and tests of requests that are Stretto's, the MPI's, null or not active, in one array.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "engine/engine.hpp"
#include "engine/failures.hpp"
#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr int kRequests = 5;
// Higher than those that Stretto takes of its own in any of these programs.
constexpr int kTag = 77'777;

// On two ranks: a collective of Stretto's, a receive from the other rank, a null request, a
// persistent collective that is active, and one that is not.
class Mixed {
 public:
  explicit Mixed(int rank) : rank_(rank) {
    MPI_Iallreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(&received, 1, MPI_INT, 1 - rank, kTag, MPI_COMM_WORLD, &all[1]);
    MPI_Allreduce_init(&rank_, &persistent, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &all[3]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &all[4]);
    MPI_Start(&all[3]);
  }
  ~Mixed() {
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(received, 11 - rank_);
    EXPECT_EQ(persistent, 1);
    for (const std::size_t done : {0U, 1U, 2U}) EXPECT_EQ(all[done], MPI_REQUEST_NULL);
    for (const std::size_t kept : {3U, 4U}) {
      EXPECT_NE(all[kept], MPI_REQUEST_NULL);
      MPI_Request_free(&all[kept]);
    }
  }
  void send() {
    const int value = 10 + rank_;
    MPI_Send(&value, 1, MPI_INT, 1 - rank_, kTag, MPI_COMM_WORLD);
  }
  std::array<MPI_Request, kRequests> all{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                                         MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int sum = 0, received = 0, persistent = -1;

 private:
  int rank_;
};

// How to complete all of them.
struct Way {
  const char* name;
  void (*complete)(std::array<MPI_Request, kRequests>& requests);
};

const Way kWays[] = {
    {"Wait",
     [](auto& requests) {
       for (MPI_Request& request : requests) {
         MPI_Status status{};
         EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
         EXPECT_TRUE(status.MPI_TAG == kTag || status.MPI_SOURCE == MPI_ANY_SOURCE ||
                     status.MPI_SOURCE == 0);
       }
     }},
    {"Test",
     [](auto& requests) {
       for (MPI_Request& request : requests) {
         for (int flag = 0; flag == 0;) {
           EXPECT_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
         }
       }
     }},
    {"Waitall",
     [](auto& requests) {
       std::array<MPI_Status, kRequests> statuses{};
       EXPECT_EQ(MPI_Waitall(kRequests, requests.data(), statuses.data()), MPI_SUCCESS);
       EXPECT_EQ(statuses[1].MPI_TAG, kTag);
       EXPECT_EQ(statuses[0].MPI_TAG, MPI_ANY_TAG);
     }},
    {"Testall",
     [](auto& requests) {
       for (int flag = 0; flag == 0;) {
         EXPECT_EQ(MPI_Testall(kRequests, requests.data(), &flag, MPI_STATUSES_IGNORE),
                   MPI_SUCCESS);
       }
     }},
    {"Waitany",
     [](auto& requests) {
       std::array<int, kRequests> seen{};
       for (int i = 0; i < 3; ++i) {
         int index = -1;
         EXPECT_EQ(MPI_Waitany(kRequests, requests.data(), &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
         ASSERT_TRUE(index == 0 || index == 1 || index == 3) << index;
         EXPECT_EQ(seen[static_cast<std::size_t>(index)]++, 0);
       }
       int index = -1;
       EXPECT_EQ(MPI_Waitany(kRequests, requests.data(), &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
       EXPECT_EQ(index, MPI_UNDEFINED);
     }},
    {"Testany",
     [](auto& requests) {
       int index = -1;
       for (int flag = 0; flag == 0 || index != MPI_UNDEFINED;) {
         EXPECT_EQ(MPI_Testany(kRequests, requests.data(), &index, &flag, MPI_STATUS_IGNORE),
                   MPI_SUCCESS);
       }
     }},
    {"Waitsome",
     [](auto& requests) {
       int all = 0;
       for (int number = 0; number != MPI_UNDEFINED;) {
         std::array<int, kRequests> indices{};
         EXPECT_EQ(
             MPI_Waitsome(kRequests, requests.data(), &number, indices.data(), MPI_STATUSES_IGNORE),
             MPI_SUCCESS);
         EXPECT_NE(number, 0);
         if (number > 0) all += number;
       }
       EXPECT_EQ(all, 3);
     }},
    {"Testsome",
     [](auto& requests) {
       int all = 0;
       for (int number = 0; number != MPI_UNDEFINED;) {
         std::array<int, kRequests> indices{};
         EXPECT_EQ(
             MPI_Testsome(kRequests, requests.data(), &number, indices.data(), MPI_STATUSES_IGNORE),
             MPI_SUCCESS);
         if (number > 0) all += number;
       }
       EXPECT_EQ(all, 3);
     }},
};

class MixedCompletion : public testing::TestWithParam<Way> {};

TEST_P(MixedCompletion, TakesEachKindOnce) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    Mixed mixed(rank);
    mixed.send();
    GetParam().complete(mixed.all);
  });
}

// The message comes late, and Stretto's own are complete meanwhile.
TEST_P(MixedCompletion, WaitsForTheMpisOwn) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    Mixed mixed(rank);
    fake_mpi::eventually([] { return Engine::get().background() == 0; });
    if (rank == 0) program.hold([](const fake_mpi::Envelope& each) { return each.tag == kTag; });
    MPI_Barrier(MPI_COMM_WORLD);
    mixed.send();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) program.release();
    GetParam().complete(mixed.all);
  });
}

// The other way round.
TEST_P(MixedCompletion, WaitsForStrettosOwn) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    const auto not_the_programs = [](const fake_mpi::Envelope& each) {
      return each.tag != kTag && each.from != each.to;
    };
    if (rank == 0) program.hold(not_the_programs);
    int other = 0;
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, kTag, &other, 1, MPI_INT, 1 - rank, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Mixed mixed(rank);
    mixed.send();
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, kTag, &other, 1, MPI_INT, 1 - rank, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) program.release();
    GetParam().complete(mixed.all);
  });
}

INSTANTIATE_TEST_SUITE_P(Each, MixedCompletion, testing::ValuesIn(kWays),
                         [](const auto& tested) { return tested.param.name; });

TEST(Completion, WhereNothingOfStrettosIsPendingItIsTheMpis) {
  Program program(1);
  run_program(program, MPI_THREAD_SINGLE, [&](int /*rank*/) {
    int got = 0;
    const int value = 3;
    MPI_Request request{};
    MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(got, 3);
    EXPECT_EQ(program.calls(0, "Wait"), 1);
  });
}

TEST(Completion, OfARequestItsStatusCanBeAsked) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    int sum = 0;
    MPI_Request request{};
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int flag = 0; flag == 0;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, 1);
    EXPECT_NE(request, MPI_REQUEST_NULL);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  });
}

TEST(Completion, OfManyRequestsToo) {
  constexpr int kMany = 3;
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    // What is pending advances in the program's calls alone.
    Engine::get().stop_thread();
    for (int way = 0; way < 3; ++way) {
      MPI_Barrier(MPI_COMM_WORLD);
      std::array<int, kMany> sums{};
      std::array<MPI_Request, kMany> requests{};
      for (std::size_t i = 0; i < kMany; ++i) {
        MPI_Iallreduce(&rank, &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
      }
      const MPI_Request* const asked = requests.data();
      std::array<int, kMany> indices{};
      int number = 0;
      int flag = 0;
      fake_mpi::eventually([&] {
        switch (way) {
          case 0:
            MPI_Request_get_status_any(kMany, asked, &number, &flag, MPI_STATUS_IGNORE);
            return flag != 0;
          case 1:
            MPI_Request_get_status_all(kMany, asked, &flag, MPI_STATUSES_IGNORE);
            return flag != 0;
          default:
            MPI_Request_get_status_some(kMany, asked, &number, indices.data(), MPI_STATUSES_IGNORE);
            return number == kMany;
        }
      });
      EXPECT_EQ(std::ranges::count(requests, MPI_REQUEST_NULL), 0);
      EXPECT_EQ(MPI_Waitall(kMany, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(std::ranges::count(sums, 1), std::ssize(sums));
    }
  });
}

// -- failures

std::atomic<int> heard{0};
void hear(MPI_Comm* /*comm*/, int* error, ...) {
  ++heard;
  EXPECT_TRUE(*error == MPI_ERR_NO_MEM || *error == MPI_ERR_IN_STATUS) << *error;
}

// A nonblocking collective of `rank` 0 that fails, and one that does not.
class Failing {
 public:
  explicit Failing(fake_mpi::Job& job, int rank) : rank_(rank) {
    heard = 0;
    int warm = 0;
    MPI_Allreduce(&rank, &warm, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Errhandler handler{};
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(comm_, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 0) job.fail(0, "Reduce_local", 1, MPI_ERR_NO_MEM);
    MPI_Iallreduce(&rank_, &sums[0], 1, MPI_INT, MPI_SUM, comm_, &requests[0]);
    fake_mpi::eventually([] { return Engine::get().background() == 0; });
    MPI_Iallreduce(&rank_, &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  }
  ~Failing() { MPI_Comm_free(&comm_); }
  [[nodiscard]] bool fails() const { return rank_ == 0; }

  std::array<MPI_Request, 2> requests{};
  std::array<int, 2> sums{};

 private:
  int rank_;
  MPI_Comm comm_{};
};

TEST(Failing, AWaitForItReturnsItsErrorToItsCommunicatorsHandler) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    Failing failing(program, rank);
    EXPECT_EQ(MPI_Wait(&failing.requests[0], MPI_STATUS_IGNORE),
              failing.fails() ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&failing.requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(failing.sums[1], 1);
    if (failing.fails()) {
      EXPECT_EQ(heard, 1);
    }
  });
}

TEST(Failing, OfSeveralItsStatusTells) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    Failing failing(program, rank);
    std::array<MPI_Status, 2> statuses{};
    EXPECT_EQ(MPI_Waitall(2, failing.requests.data(), statuses.data()),
              failing.fails() ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
    if (failing.fails()) {
      EXPECT_EQ(statuses[0].MPI_ERROR, MPI_ERR_NO_MEM);
      EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
      EXPECT_EQ(heard, 1);
    }
  });
}

TEST(Failing, APersistentOneIsWaitedForAndStartedAgain) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    heard = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request request{};
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0) program.fail(0, "Reduce_local", 1, MPI_ERR_NO_MEM);
    MPI_Start(&request);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), rank == 0 ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    MPI_Start(&request);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    MPI_Request_free(&request);
  });
}

}  // namespace
}  // namespace stretto::intercept::accelerate
