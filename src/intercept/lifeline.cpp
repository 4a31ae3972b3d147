#include "intercept/lifeline.hpp"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/config.hpp"
#include "intercept/this_rank.hpp"

namespace stretto::intercept::lifeline {
namespace {

int line = -1;

void tell(std::string_view words) {
  // Nobody may listen any more, and that is no fault of the program's.
  static_cast<void>(::send(line, words.data(), words.size(), MSG_NOSIGNAL));
}

// Last of all in a process that ends by exit() or from main, and not in one that is killed.
[[gnu::destructor]] void leave() {
  if (line >= 0 && is_rank_process()) tell("left\n");
}

}  // namespace

void open(int rank) {
  const std::optional<std::string> path = setting("STRETTO_RUN_LIFELINE");
  sockaddr_un address{};
  if (!path || path->size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  path->copy(address.sun_path, path->size());
  line = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (line < 0) return;
  if (::connect(line, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(std::exchange(line, -1));
    return;
  }
  // A child that lives on must not keep the line open.
  ::pthread_atfork(nullptr, nullptr, [] {
    if (line >= 0) ::close(std::exchange(line, -1));
  });
  std::array<char, 64> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::array<char, 128> words{};
  const int length = std::snprintf(words.data(), words.size(), "rank %d pid %d host %s\n", rank,
                                   static_cast<int>(::getpid()), host.data());
  tell({words.data(), static_cast<std::size_t>(length)});
}

void abort(int code) {
  if (line < 0) return;
  std::array<char, 32> words{};
  const int length = std::snprintf(words.data(), words.size(), "aborts %d\n", code);
  tell({words.data(), static_cast<std::size_t>(length)});
}

void close() {
  if (line < 0) return;
  tell("done\n");
  ::close(std::exchange(line, -1));
}

}  // namespace stretto::intercept::lifeline
