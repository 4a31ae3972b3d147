#include "mpi/completion.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

template <class Function>
void* code(Function* function) {
  return reinterpret_cast<void*>(function);
}

// Four requests of a rank with itself: one that is complete, a null one, one that is not, and an
// inactive persistent one.
class Requests {
 public:
  Requests() {
    MPI_Irecv(&received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &all[0]);
    MPI_Irecv(&late, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &all[2]);
    MPI_Recv_init(&never, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &all[3]);
    send(1);
  }
  ~Requests() {
    if (all[2] != MPI_REQUEST_NULL) {
      send(2);
      MPI_Wait(&all[2], MPI_STATUS_IGNORE);
    }
    if (all[0] != MPI_REQUEST_NULL) MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&all[3]);
  }
  static void send(int tag) { MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF); }

  int received = 0, late = 0, never = 0;
  std::array<MPI_Request, 4> all{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                                 MPI_REQUEST_NULL};
};

// Places among the requests, and numbers of statuses.
std::vector<std::pair<int, int>> seen(const Completion& completion) {
  std::vector<std::pair<int, int>> all;
  completion.each_complete([&](int place, int status) { all.emplace_back(place, status); });
  return all;
}
using Seen = std::vector<std::pair<int, int>>;

class CompletionTest : public testing::Test {
 protected:
  template <class Body>
  void run(const Body& body) {
    job.run([&](int /*rank*/) {
      Requests requests;
      body(requests);
    });
  }
  fake_mpi::Job job{1};
  int flag = 7, index = 7, outcount = 7;
  std::array<int, 4> indices{};
  std::array<MPI_Status, 4> statuses{};
};

TEST_F(CompletionTest, WaitAndTest) {
  run([&](Requests& requests) {
    Completion test = Completion::test(code(&MPI_Test), &requests.all[2], &flag, &statuses[0]);
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test), Seen{});
    Requests::send(2);
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test), (Seen{{0, 0}}));
    EXPECT_EQ(statuses[0].MPI_TAG, 2);
    const Completion wait = Completion::wait(code(&MPI_Wait), &requests.all[0], &statuses[1]);
    EXPECT_EQ(wait.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(wait), (Seen{{0, 0}}));
    EXPECT_EQ(requests.received, 1);
  });
}

TEST_F(CompletionTest, WaitallAndTestall) {
  run([&](Requests& requests) {
    const Completion test =
        Completion::testall(code(&MPI_Testall), 4, requests.all.data(), &flag, statuses.data());
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test), Seen{});
    Requests::send(2);
    const Completion wait =
        Completion::waitall(code(&MPI_Waitall), 4, requests.all.data(), statuses.data());
    EXPECT_EQ(wait.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(wait), (Seen{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
    EXPECT_EQ(statuses[2].MPI_TAG, 2);
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test).size(), 4U);
  });
}

TEST_F(CompletionTest, WaitanyAndTestany) {
  run([&](Requests& requests) {
    const Completion wait =
        Completion::waitany(code(&MPI_Waitany), 4, requests.all.data(), &index, statuses.data());
    EXPECT_EQ(wait.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(wait), (Seen{{0, 0}}));
    const Completion test = Completion::testany(code(&MPI_Testany), 4, requests.all.data(), &index,
                                                &flag, statuses.data());
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test), Seen{});
    Requests::send(2);
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test), (Seen{{2, 0}}));
    EXPECT_EQ(wait.call(), MPI_SUCCESS);  // none is active any more
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_EQ(seen(wait), Seen{});
  });
}

TEST_F(CompletionTest, WaitsomeAndTestsome) {
  run([&](Requests& requests) {
    const Completion test = Completion::testsome(code(&MPI_Testsome), 4, requests.all.data(),
                                                 &outcount, indices.data(), statuses.data());
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test), (Seen{{0, 0}}));
    EXPECT_EQ(test.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(test), Seen{});
    Requests::send(2);
    const Completion wait = Completion::waitsome(code(&MPI_Waitsome), 4, requests.all.data(),
                                                 &outcount, indices.data(), statuses.data());
    EXPECT_EQ(wait.call(), MPI_SUCCESS);
    EXPECT_EQ(seen(wait), (Seen{{2, 0}}));
    EXPECT_EQ(wait.call(), MPI_SUCCESS);
    EXPECT_EQ(outcount, MPI_UNDEFINED);
    EXPECT_EQ(seen(wait), Seen{});
  });
}

// A wait may ask before it sleeps.
TEST_F(CompletionTest, EachWaitCanAskAsItsTestDoes) {
  run([&](Requests& requests) {
    int done = 7;
    MPI_Request* const late = &requests.all[2];
    const Completion one = Completion::wait(code(&MPI_Wait), late, &statuses[0]);
    const Completion all =
        Completion::waitall(code(&MPI_Waitall), 2, &requests.all[2], statuses.data());
    const Completion any =
        Completion::waitany(code(&MPI_Waitany), 2, &requests.all[2], &index, statuses.data());
    const Completion some = Completion::waitsome(code(&MPI_Waitsome), 2, &requests.all[2],
                                                 &outcount, indices.data(), statuses.data());
    for (const Completion& each : {one, all, any, some}) {
      EXPECT_EQ(each.ask(&done), MPI_SUCCESS);
      EXPECT_EQ(done, 0);
    }
    for (const Completion& each : {one, all, any, some}) {
      if (*late == MPI_REQUEST_NULL)
        MPI_Irecv(&requests.late, 1, MPI_INT, 0, 2, MPI_COMM_SELF, late);
      Requests::send(2);
      EXPECT_EQ(each.ask(&done), MPI_SUCCESS);
      EXPECT_EQ(done, 1);
      EXPECT_EQ(*late, MPI_REQUEST_NULL);
    }
    EXPECT_EQ(some.ask(&done), MPI_SUCCESS);  // none is active: over, too
    EXPECT_EQ(outcount, MPI_UNDEFINED);
    EXPECT_EQ(done, 1);
  });
}

TEST_F(CompletionTest, BeforeACallNoneIsComplete) {
  run([&](Requests& requests) {
    const auto none_is_seen = [](const Completion& completion) {
      completion.none_complete();
      return seen(completion).empty();
    };
    EXPECT_TRUE(none_is_seen(Completion::test(nullptr, requests.all.data(), &flag, nullptr)));
    EXPECT_TRUE(none_is_seen(Completion::testall(nullptr, 4, requests.all.data(), &flag, nullptr)));
    EXPECT_TRUE(
        none_is_seen(Completion::waitany(nullptr, 4, requests.all.data(), &index, nullptr)));
    EXPECT_TRUE(
        none_is_seen(Completion::testany(nullptr, 4, requests.all.data(), &index, &flag, nullptr)));
    EXPECT_TRUE(none_is_seen(
        Completion::waitsome(nullptr, 4, requests.all.data(), &outcount, indices.data(), nullptr)));
    EXPECT_EQ(outcount, 0);
  });
}

}  // namespace
}  // namespace stretto
