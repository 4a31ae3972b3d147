#include "base/doorbell.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <thread>

namespace stretto {
namespace {

constexpr std::int64_t kLong = 3'600'000'000'000;  // ns: a test that slept for it would not end

TEST(Doorbell, ThatHasRungSinceItWasReadLetsNobodySleep) {
  Doorbell bell;
  const std::uint32_t rings = bell.rings();
  bell.ring();
  bell.wait(rings, kLong);
  EXPECT_NE(bell.rings(), rings);
}

TEST(Doorbell, EndsTheSleepOfAnotherThread) {
  Doorbell bell;
  const std::uint32_t rings = bell.rings();
  std::thread sleeps([&] {
    while (bell.rings() == rings) bell.wait(rings, kLong);
  });
  bell.ring();
  sleeps.join();
}

TEST(Doorbell, IsNotSleptByForLongerThanAsked) {
  const Doorbell bell;
  bell.wait(bell.rings(), 1000);
}

TEST(Doorbell, EndsTheSleepOfAnotherProcess) {
  void* const shared =
      ::mmap(nullptr, sizeof(Doorbell), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* const bell = new (shared) Doorbell;
  const std::uint32_t rings = bell->rings();
  const pid_t child = ::fork();
  if (child == 0) {
    while (bell->rings() == rings) bell->wait(rings, kLong);
    ::_exit(0);
  }
  bell->ring();
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ::munmap(shared, sizeof(Doorbell));
}

}  // namespace
}  // namespace stretto
