#include "transport/shm/segment.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace stretto::shm {
namespace {

constexpr std::size_t kBytes = 1 << 20;

rlimit both(rlim_t most) { return {.rlim_cur = most, .rlim_max = most}; }

TEST(Segment, IsTheSameMemoryForWhoMapsIt) {
  int fd = -1;
  const Segment made = Segment::make(kBytes, &fd);
  ASSERT_FALSE(made.is_empty());
  const Segment other = Segment::map(fd, kBytes);
  ::close(fd);
  ASSERT_FALSE(other.is_empty());
  ASSERT_NE(made.base(), other.base());
  std::memcpy(made.base() + kBytes - 4, "four", 4);
  EXPECT_EQ(std::memcmp(other.base() + kBytes - 4, "four", 4), 0);
}

// Where it ends reading would be a SIGBUS.
TEST(Segment, IsNotMappedBeyondItsEnd) {
  int fd = -1;
  const Segment made = Segment::make(kBytes, &fd);
  EXPECT_TRUE(Segment::map(fd, 2 * kBytes).is_empty());
  ::close(fd);
}

// A profiler's timer may be shorter than the kernel takes for all of it.
TEST(Segment, IsMadeWhateverSignalsCome) {
  struct sigaction nothing{};
  nothing.sa_handler = [](int /*number*/) {};
  struct sigaction before{};
  ASSERT_EQ(::sigaction(SIGALRM, &nothing, &before), 0);
  const itimerval often{.it_interval = {0, 300}, .it_value = {0, 300}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  int fd = -1;
  EXPECT_FALSE(Segment::make(64 * kBytes, &fd).is_empty());
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  ::close(fd);
}

TEST(Segment, IsNotMadeBeyondTheLimitOfFiles) {
  EXPECT_EXIT(
      {
        const rlimit limit = both(kBytes - 1);
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(2);
        int fd = -1;
        std::_Exit(Segment::make(kBytes, &fd).is_empty() && fd < 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Segment, IsNotMadeWhereNoFileMayBeOpened) {
  EXPECT_EXIT(
      {
        const rlimit limit = both(3);
        if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) std::_Exit(2);
        int fd = -1;
        std::_Exit(Segment::make(kBytes, &fd).is_empty() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stretto::shm
