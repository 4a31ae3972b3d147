// What a rank tells `stretto run` of its end.

#include "intercept/accelerate/lifeline.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

namespace stretto::intercept::accelerate {
namespace {

std::string all_from(int line) {
  std::string text;
  std::array<char, 64> some{};
  for (ssize_t length = 0; (length = ::recv(line, some.data(), some.size(), 0)) > 0;) {
    text.append(some.data(), static_cast<std::size_t>(length));
  }
  return text;
}

TEST(Lifeline, TellsOfAnAbortAndOfTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  lifeline::open(ends[0]);
  lifeline::abort(7);
  lifeline::close();
  lifeline::close();  // there is none any more
  lifeline::abort(8);
  EXPECT_EQ(all_from(ends[1]), "aborts 7\ndone\n");
  ::close(ends[1]);
}

// Other ranks learn of a death by the MPI's connections, and may die of it: the first line to
// close has to be that of the rank that died first.
TEST(Lifeline, ClosesBeforeWhatTheMpiOpensAfterIt) {
  std::array<int, 2> line{};
  std::array<int, 2> of_mpi{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, line.data()), 0);
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, of_mpi.data()), 0);
  const int both = ::epoll_create1(0);
  for (const int end : {line[1], of_mpi[1]}) {
    epoll_event closes{};
    closes.events = EPOLLIN;
    closes.data.fd = end;
    ASSERT_EQ(::epoll_ctl(both, EPOLL_CTL_ADD, end, &closes), 0);
  }
  const pid_t rank = ::fork();
  if (rank == 0) {
    lifeline::open(line[0]);
    ::fcntl(of_mpi[0], F_DUPFD, line[0] + 1);  // what is opened later has a higher number
    ::close(of_mpi[0]);
    ::raise(SIGKILL);
  }
  ::close(line[0]);
  ::close(of_mpi[0]);
  ASSERT_EQ(::waitpid(rank, nullptr, 0), rank);
  std::array<epoll_event, 2> closed{};  // in the order in which they did
  ASSERT_EQ(::epoll_wait(both, closed.data(), 2, 0), 2);
  EXPECT_EQ(closed[0].data.fd, line[1]);
  for (const int end : {line[1], of_mpi[1], both}) ::close(end);
}

TEST(Lifeline, MayBeNone) {
  lifeline::open(-1);
  lifeline::abort(1);
  lifeline::close();
}

}  // namespace
}  // namespace stretto::intercept::accelerate
