// How memory without a name gets from one process of this user to another: a socket whose abstract
// name goes when the last who has it is gone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

namespace stretto::shm {

class Socket {
 public:
  Socket() = default;
  Socket(Socket&& other) noexcept { *this = static_cast<Socket&&>(other); }
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  // Named by `secret`. Closed where that fails, as all of these.
  [[nodiscard]] static Socket listen(std::uint64_t secret);
  // Who is at the other end. Others of this user may learn the name, but are other processes.
  struct Peer {
    std::uint64_t secret = 0;
    pid_t pid = 0;
  };
  // To the one who listens; `mine` says who comes.
  [[nodiscard]] static Socket connect(const Peer& listening, std::uint64_t mine);

  [[nodiscard]] bool is_closed() const { return fd_ < 0; }

  // On one that listens: passes the descriptor `fd` to all of these, who have connected and say
  // their secret. False where not all of them got it in time.
  [[nodiscard]] bool give(int fd, std::span<const Peer> peers) const;
  // On one that is connected: the descriptor that is passed; negative where none came in time.
  [[nodiscard]] int receive() const;

 private:
  explicit Socket(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace stretto::shm
