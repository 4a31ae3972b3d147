// A descriptor that passes between ranks, here of one process.

#include "transport/shm/socket.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace stretto::shm {
namespace {

constexpr int kOthers = 4;

// Names are the machine's, on which this test may run twice at a time.
std::uint64_t secret_of(int rank) {
  return (static_cast<std::uint64_t>(::getpid()) << 8) + static_cast<std::uint64_t>(rank);
}

// How many get it where the kernel lets so many wait, once all of them have tried to connect.
int receivers(int backlog) {
  const Socket listening = Socket::listen(secret_of(0), backlog);
  std::vector<Socket> connecting;
  std::vector<Socket::Peer> peers;
  for (int rank = 1; rank <= kOthers; ++rank) {
    connecting.push_back(Socket::connect({secret_of(0), ::getpid()}, secret_of(rank)));
    EXPECT_FALSE(connecting.back().is_closed());
    peers.push_back({secret_of(rank), ::getpid()});
  }
  int received = 0;
  std::thread others([&] {
    std::vector<std::thread> each;
    std::atomic<int> count{0};
    for (Socket& socket : connecting) {
      each.emplace_back([&] {
        const int fd = socket.receive();
        if (fd >= 0 && ::close(fd) == 0) ++count;
      });
    }
    for (std::thread& thread : each) thread.join();
    received = count;
  });
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_TRUE(listening.give(fd, peers));
  ::close(fd);
  others.join();
  return received;
}

TEST(SocketTest, PassesADescriptorToAll) { EXPECT_EQ(receivers(kOthers), kOthers); }

TEST(SocketTest, WhoFindsTheQueueFullWaitsForRoom) { EXPECT_EQ(receivers(0), kOthers); }

TEST(SocketTest, NobodyConnectsToWhoIsNotThere) {
  EXPECT_TRUE(Socket::connect({secret_of(100), ::getpid()}, secret_of(1)).is_closed());
}

TEST(SocketTest, NobodyConnectsToAnotherProcess) {
  const Socket listening = Socket::listen(secret_of(0));
  EXPECT_TRUE(Socket::connect({secret_of(0), ::getppid()}, secret_of(1)).is_closed());
}

}  // namespace
}  // namespace stretto::shm
