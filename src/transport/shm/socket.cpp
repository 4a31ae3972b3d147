#include "transport/shm/socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace stretto::shm {
namespace {

// Those on the other side are in the same call: only one that has been stopped takes so long.
constexpr int kPatienceMs = 20'000;
constexpr unsigned kBetweenTriesUs = 1000;
constexpr int kTries = kPatienceMs;

struct SocketName {
  sockaddr_un address{};
  socklen_t length = 0;

  explicit SocketName(std::uint64_t secret) {
    address.sun_family = AF_UNIX;
    // The first byte, zero, makes it abstract.
    const int length_of_name =
        std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "stretto-%016llx",
                      static_cast<unsigned long long>(secret));
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                    static_cast<std::size_t>(length_of_name));
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// Nobody waits to be connected: where more come than are taken meanwhile, that fails.
int open_socket() { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

// The process at the other end, where it is this user's; 0: it is not.
pid_t other_end(int fd) {
  ucred other{};
  socklen_t length = sizeof other;
  const bool known = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0;
  return known && other.uid == ::geteuid() ? other.pid : 0;
}

bool becomes_readable(int fd) {
  pollfd awaited{.fd = fd, .events = POLLIN, .revents = 0};
  for (;;) {
    const int ready = ::poll(&awaited, 1, kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;
    return ready == 1;
  }
}

// A byte with a descriptor beside it.
struct Parcel {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};

  Parcel() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

bool send_descriptor(int to, int fd) {
  Parcel parcel;
  cmsghdr* const beside = CMSG_FIRSTHDR(&parcel.header);
  beside->cmsg_level = SOL_SOCKET;
  beside->cmsg_type = SCM_RIGHTS;
  beside->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(beside), &fd, sizeof fd);
  return ::sendmsg(to, &parcel.header, MSG_NOSIGNAL) == 1;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  listening_ = other.listening_;
  mine_ = other.mine_;
  is_connected_ = other.is_connected_;
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket Socket::listen(std::uint64_t secret, int backlog) {
  Socket made(open_socket());
  const SocketName name(secret);
  const bool listens = !made.is_closed() && ::bind(made.fd_, name.get(), name.length) == 0 &&
                       ::listen(made.fd_, backlog) == 0;
  return listens ? std::move(made) : Socket{};
}

Socket Socket::connect(const Peer& listening, std::uint64_t mine) {
  Socket made(open_socket());
  made.listening_ = listening;
  made.mine_ = mine;
  const int error = made.try_to_connect();
  made.is_connected_ = error == 0;
  return error == 0 || error == EAGAIN ? std::move(made) : Socket{};
}

int Socket::try_to_connect() const {
  const SocketName name(listening_.secret);
  if (is_closed() || ::connect(fd_, name.get(), name.length) != 0) return errno;
  if (other_end(fd_) != listening_.pid) return EPERM;
  const ssize_t sent = ::send(fd_, &mine_, sizeof mine_, MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(sizeof mine_) ? 0 : EPIPE;
}

bool Socket::give(int fd, std::span<const Peer> peers) const {
  std::vector<Peer> awaited(peers.begin(), peers.end());
  while (!awaited.empty()) {
    if (!becomes_readable(fd_)) return false;
    const Socket come(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
    if (come.is_closed()) return false;
    // Anybody may connect: who is not one of these gets nothing, and is not waited for.
    const pid_t pid = other_end(come.fd_);
    const bool is_known = std::ranges::find(awaited, pid, &Peer::pid) != awaited.end();
    if (!is_known || !becomes_readable(come.fd_)) continue;
    std::uint64_t secret = 0;
    if (::recv(come.fd_, &secret, sizeof secret, 0) != static_cast<ssize_t>(sizeof secret))
      continue;
    const auto found = std::ranges::find_if(
        awaited, [&](const Peer& each) { return each.pid == pid && each.secret == secret; });
    if (found == awaited.end()) continue;
    if (!send_descriptor(come.fd_, fd)) return false;
    awaited.erase(found);
  }
  return true;
}

int Socket::receive() {
  for (int tries = 0; !is_connected_ && tries < kTries; ++tries) {
    const int error = try_to_connect();
    if (error != 0 && error != EAGAIN) return -1;
    is_connected_ = error == 0;
    if (!is_connected_) ::usleep(kBetweenTriesUs);
  }
  if (!is_connected_ || !becomes_readable(fd_)) return -1;
  Parcel parcel;
  if (::recvmsg(fd_, &parcel.header, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* const beside = CMSG_FIRSTHDR(&parcel.header);
  if (beside == nullptr || beside->cmsg_type != SCM_RIGHTS) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(beside), sizeof fd);
  return fd;
}

}  // namespace stretto::shm
