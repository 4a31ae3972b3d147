#include "intercept/accelerate/lifeline.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <string_view>

#include "intercept/shared/this_rank.hpp"

namespace stretto::intercept::accelerate::lifeline {
namespace {

// Where descriptors end that a program may use with select(), and as many below it as others may
// have taken there.
constexpr rlim_t kHighest = 1024;
constexpr rlim_t kSpare = 64;

// The process has one, whichever of its ranks opens it.
constinit std::atomic<int> line{-1};

void send(int to, std::string_view words) {
  // Nobody may listen any more, and that is no fault of the program's.
  static_cast<void>(::send(to, words.data(), words.size(), MSG_NOSIGNAL));
}

// The same connection under a high number. A process that was killed closes its descriptors from
// the highest down: an MPI's connection closed before this one tells other ranks first, and
// those that crash or exit for it would be taken for the first that died.
int last_of_all(int connection) {
  rlimit limit{};
  if (connection < 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return connection;
  const rlim_t end = std::min(limit.rlim_cur, kHighest);
  if (end <= kSpare) return connection;
  const int high = ::fcntl(connection, F_DUPFD_CLOEXEC, static_cast<int>(end - kSpare));
  if (high < 0) return connection;
  ::close(connection);
  return high;
}

// Last of all in a process that ends by exit() or from main, and not in one that is killed.
[[gnu::destructor]] void leave() {
  const int open_line = line;
  if (open_line >= 0 && is_rank_process()) send(open_line, "left\n");
}

}  // namespace

void open(int connection) {
  line = last_of_all(connection);
  if (connection < 0) return;
  // A child that lives on must not keep the line open.
  ::pthread_atfork(nullptr, nullptr, [] {
    const int inherited = line.exchange(-1);
    if (inherited >= 0) ::close(inherited);
  });
}

void abort(int code) {
  const int open_line = line;
  if (open_line < 0) return;
  std::array<char, 32> words{};
  const int length = std::snprintf(words.data(), words.size(), "aborts %d\n", code);
  send(open_line, {words.data(), static_cast<std::size_t>(length)});
}

void close() {
  const int open_line = line.exchange(-1);
  if (open_line < 0) return;
  send(open_line, "done\n");
  ::close(open_line);
}

}  // namespace stretto::intercept::accelerate::lifeline
