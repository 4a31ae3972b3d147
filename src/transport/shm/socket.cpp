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
constexpr int kBacklog = 4096;
constexpr int kTries = 2000;
constexpr unsigned kBetweenTriesUs = 1000;

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

// Where more come at a time than the kernel lets wait, the next try may find room.
bool connect_soon(int fd, const SocketName& name) {
  for (int tries = 0; tries < kTries; ++tries) {
    if (::connect(fd, name.get(), name.length) == 0) return true;
    if (errno != EAGAIN && errno != EINTR) return false;
    ::usleep(kBetweenTriesUs);
  }
  return false;
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
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket Socket::listen(std::uint64_t secret) {
  Socket made(open_socket());
  const SocketName name(secret);
  const bool listens = !made.is_closed() && ::bind(made.fd_, name.get(), name.length) == 0 &&
                       ::listen(made.fd_, kBacklog) == 0;
  return listens ? std::move(made) : Socket{};
}

Socket Socket::connect(const Peer& listening, std::uint64_t mine) {
  Socket made(open_socket());
  const bool connected =
      !made.is_closed() && connect_soon(made.fd_, SocketName(listening.secret)) &&
      other_end(made.fd_) == listening.pid &&
      ::send(made.fd_, &mine, sizeof mine, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof mine);
  return connected ? std::move(made) : Socket{};
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

int Socket::receive() const {
  if (!becomes_readable(fd_)) return -1;
  Parcel parcel;
  if (::recvmsg(fd_, &parcel.header, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* const beside = CMSG_FIRSTHDR(&parcel.header);
  if (beside == nullptr || beside->cmsg_type != SCM_RIGHTS) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(beside), sizeof fd);
  return fd;
}

}  // namespace stretto::shm
