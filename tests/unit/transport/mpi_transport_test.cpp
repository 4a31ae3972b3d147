#include "transport/mpi/mpi_transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>

#include "fake_mpi/job.hpp"
#include "transport/test_group.hpp"

namespace stretto {
namespace {

class MpiTransportTest : public testing::Test {
 protected:
  template <class Body>
  void run(const Body& body) {
    job.run([&](int rank) {
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      const TestGroup group(rank, 1);
      endpoint.group = transport.join(group).group;
      body();
    });
  }
  fake_mpi::Job job{1};
  MpiTransport transport;
  Transport::Endpoint endpoint{};
  int owner = 0;
  std::array<int, 8> values{};

  int receive(std::size_t place) {
    endpoint.tag = static_cast<int>(place);
    return transport.post_recv(plain(values[place]), endpoint,
                               {&owner, static_cast<std::int32_t>(place)});
  }
  static void send(int tag) { MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); }
};

TEST_F(MpiTransportTest, ReachesAllAndSoNamesNone) {
  run([&] {
    const TestGroup group(0, 1);
    EXPECT_TRUE(transport.join(group).reached.empty());
    EXPECT_EQ(comm_of(transport.join(group).group), MPI_COMM_WORLD);
  });
}

TEST_F(MpiTransportTest, AMessageThatIsNotPostedIsNotInFlight) {
  run([&] {
    job.fail(0, "Isend", 1, MPI_ERR_NO_MEM);
    int value = 0;
    EXPECT_EQ(transport.post_send(plain(value), endpoint, {&owner, 0}), MPI_ERR_NO_MEM);
    EXPECT_TRUE(transport.idle());
    int lost = 0;
    EXPECT_NE(MPI_Recv(&lost, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
  });
}

TEST_F(MpiTransportTest, AReceiveThatIsNotPostedIsNotInFlight) {
  run([&] {
    job.fail(0, "Irecv", 1, MPI_ERR_NO_MEM);
    EXPECT_EQ(receive(0), MPI_ERR_NO_MEM);
    EXPECT_TRUE(transport.idle());
    send(0);  // and nobody misses it
  });
}

// Of several one fails: the others do not.
TEST_F(MpiTransportTest, AMessageThatFailsIsToldOfAlone) {
  run([&] {
    for (std::size_t i = 0; i < 4; ++i) receive(i);
    const std::array<int, 2> two{};
    for (int tag = 0; tag < 4; ++tag) {
      if (tag != 2) send(tag);
    }
    MPI_Send(two.data(), 2, MPI_INT, 0, 2, MPI_COMM_WORLD);  // longer than there is room for
    std::vector<Transport::Completed> all;
    fake_mpi::eventually([&] {
      const auto& some = transport.poll();
      all.insert(all.end(), some.begin(), some.end());
      return all.size() == 4;
    });
    for (const auto& [token, error] : all) {
      EXPECT_EQ(error, token.step == 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS) << token.step;
    }
  });
}

// Each look costs, so not all are looked at each time; but none is forgotten.
TEST_F(MpiTransportTest, LooksAtAFewAtATimeAndAtAllInTheEnd) {
  run([&] {
    for (std::size_t i = 0; i < 8; ++i) receive(i);
    const long before = job.calls(0, "Test");
    EXPECT_TRUE(transport.poll().empty());
    EXPECT_EQ(job.calls(0, "Test") - before, 3);
    for (int last : {7, 0, 4, 1, 6, 2, 5, 3}) {
      send(last);
      int polls = 0;
      fake_mpi::eventually([&] {
        ++polls;
        const auto& completed = transport.poll();
        if (completed.empty()) return false;
        EXPECT_EQ(completed.front().token.step, last);
        return true;
      });
      EXPECT_LE(polls, 3);
      EXPECT_EQ(values[static_cast<std::size_t>(last)], last);
    }
  });
}

// An MPI that says of a request only that it cannot be asked.
TEST_F(MpiTransportTest, ARequestThatCannotBeTestedHasFailed) {
  run([&] {
    receive(0);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    job.fail(0, "Test", 1, MPI_ERR_INTERN);
    const auto& completed = transport.poll();
    ASSERT_EQ(completed.size(), 1U);
    EXPECT_EQ(completed.front().error, MPI_ERR_INTERN);
    EXPECT_TRUE(transport.idle());
  });
}

// The fake MPI moves no data of that length.
TEST_F(MpiTransportTest, MoreElementsThanAnIntCountsAreOneMessage) {
  run([&] {
    const Count count = Count{INT_MAX} + 9;
    const Piece many{
        .address = nullptr, .count = count, .type = opaque(MPI_SHORT), .bytes = 2 * count};
    EXPECT_EQ(transport.post_send(many, endpoint, {&owner, 0}), MPI_SUCCESS);
    EXPECT_EQ(transport.post_recv(many, endpoint, {&owner, 1}), MPI_SUCCESS);
    std::size_t completed = 0;
    fake_mpi::eventually([&] { return (completed += transport.poll().size()) == 2; });
    EXPECT_EQ(job.calls(0, "Isend"), job.calls(0, "Type_create_struct") > 0 ? 1 : 0);
  });
}

// Where the MPI has no functions that count so far.
TEST_F(MpiTransportTest, WithoutADatatypeForThemManyElementsFail) {
  run([&] {
    const Piece many{.count = Count{INT_MAX} + 9, .type = opaque(MPI_SHORT)};
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (const char* function : {"Type_create_struct", "Isend_c"}) {
      job.fail(0, function, 1, MPI_ERR_NO_MEM);
    }
    EXPECT_EQ(transport.post_send(many, endpoint, {&owner, 0}), MPI_ERR_NO_MEM);
    EXPECT_TRUE(transport.idle());
    job.may_leave_objects();  // the message that arrives as an error
  });
}

TEST_F(MpiTransportTest, CancellingSparesSends) {
  run([&] {
    std::vector<int> data(1000);
    endpoint.tag = 0;
    EXPECT_EQ(transport.post_send(plain(data.data(), 4000), endpoint, {&owner, 0}), MPI_SUCCESS);
    receive(1);
    transport.cancel_receives(&owner);
    EXPECT_EQ(job.calls(0, "Cancel"), 1);
    MPI_Recv(data.data(), 4000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::size_t completed = 0;
    fake_mpi::eventually([&] { return (completed += transport.poll().size()) == 2; });
  });
}

}  // namespace
}  // namespace stretto
