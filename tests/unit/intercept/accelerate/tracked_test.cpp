// Requests of the MPI's own that the progress thread moves along.

#include "intercept/accelerate/tracked.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "engine/engine.hpp"
#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

// On two hosts, where it is worth while.
template <class Body>
void on_two_hosts(const Body& body) {
  const Setting asked("STRETTO_PROGRESS_MESSAGES", "1");
  Program program(2, {.ranks_per_host = 1});
  run_program(program, MPI_THREAD_SINGLE, body);
}

TEST(Tracked, LongMessagesBetweenHostsAreUntilTheyAreComplete) {
  on_two_hosts([](int rank) {
    std::vector<char> out(64 << 10);
    std::vector<char> in(64 << 10);
    const auto bytes = static_cast<int>(in.size());
    std::array<MPI_Request, 2> requests{};
    EXPECT_FALSE(Tracked::get().any());
    MPI_Irecv(in.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    EXPECT_TRUE(Tracked::get().any());
    EXPECT_EQ(Engine::get().background(), 1);
    MPI_Isend(out.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    EXPECT_EQ(Engine::get().background(), 2);
    int index = -1;
    MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(Engine::get().background(), 1);
    for (int flag = 0; flag == 0;) MPI_Testall(2, requests.data(), &flag, MPI_STATUSES_IGNORE);
    EXPECT_FALSE(Tracked::get().any());
    EXPECT_EQ(Engine::get().background(), 0);
  });
}

TEST(Tracked, ShortOnesAreNot) {
  on_two_hosts([](int rank) {
    int got = 0;
    MPI_Request request{};
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    EXPECT_FALSE(Tracked::get().any());
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST(Tracked, ThoseOfOneHostAreNot) {
  const Setting asked("STRETTO_PROGRESS_MESSAGES", "1");
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE,
              [](int /*rank*/) { EXPECT_FALSE(Tracked::worth(1 << 20, MPI_DOUBLE)); });
}

TEST(Tracked, NoneAreUnlessThatIsAskedFor) {
  Program program(2, {.ranks_per_host = 1});
  run_program(program, MPI_THREAD_SINGLE,
              [](int /*rank*/) { EXPECT_FALSE(Tracked::worth(1 << 20, MPI_DOUBLE)); });
}

TEST(Tracked, AFreedOneIsForgotten) {
  on_two_hosts([](int rank) {
    static std::array<std::vector<char>, 2> out{std::vector<char>(64 << 10),
                                                std::vector<char>(64 << 10)};
    std::vector<char> in(64 << 10);
    const auto bytes = static_cast<int>(in.size());
    MPI_Request request{};
    MPI_Isend(out[static_cast<std::size_t>(rank)].data(), bytes, MPI_BYTE, 1 - rank, 0,
              MPI_COMM_WORLD, &request);
    EXPECT_TRUE(Tracked::get().any());
    MPI_Request_free(&request);
    EXPECT_FALSE(Tracked::get().any());
    MPI_Recv(in.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

}  // namespace
}  // namespace stretto::intercept::accelerate
