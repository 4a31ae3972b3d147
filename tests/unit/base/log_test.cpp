#include "base/log.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace stretto {
namespace {

// As launchers read what a rank says, late.
TEST(Log, WhoRefusesStaysUntilItsLineIsRead) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDERR_FILENO);
    refuse(5, "no %s", "more");
  }
  ::close(pipe[1]);
  pollfd line{.fd = pipe[0], .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&line, 1, -1), 1);
  ::usleep(100'000);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0);
  std::array<char, 64> said{};
  const ssize_t length = ::read(pipe[0], said.data(), said.size());
  EXPECT_EQ(std::string_view(said.data(), static_cast<std::size_t>(length)), "stretto: no more\n");
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  ::close(pipe[0]);
}

}  // namespace
}  // namespace stretto
