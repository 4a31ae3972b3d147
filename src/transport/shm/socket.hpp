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
  [[nodiscard]] static Socket listen(std::uint64_t secret, int backlog = kBacklog);
  // Who is at the other end. Others of this user may learn the name, but are other processes.
  struct Peer {
    std::uint64_t secret = 0;
    pid_t pid = 0;
  };
  // To the one who listens; `mine` says who comes. Where more have come than the kernel lets wait,
  // it is open, and to be connected later.
  [[nodiscard]] static Socket connect(const Peer& listening, std::uint64_t mine);

  [[nodiscard]] bool is_closed() const { return fd_ < 0; }

  // On one that listens: passes the descriptor `fd` to all of these, who have connected and say
  // their secret. False where not all of them got it in time.
  [[nodiscard]] bool give(int fd, std::span<const Peer> peers) const;
  // On one that connects, while the other gives: the descriptor; negative where none came in time.
  [[nodiscard]] int receive();

 private:
  static constexpr int kBacklog = 4096;  // older kernels let no more than 128 wait

  explicit Socket(int fd) : fd_(fd) {}
  // What errno says where it fails, and 0 where it does not.
  [[nodiscard]] int try_to_connect() const;

  int fd_ = -1;
  // Of one that connects: to whom, as whom, and whether it has.
  Peer listening_{};
  std::uint64_t mine_ = 0;
  bool is_connected_ = false;
};

}  // namespace stretto::shm
