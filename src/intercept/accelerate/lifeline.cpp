#include "intercept/accelerate/lifeline.hpp"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <string_view>

#include "intercept/shared/this_rank.hpp"

namespace stretto::intercept::accelerate::lifeline {
namespace {

// The process has one, whichever of its ranks opens it.
constinit std::atomic<int> line{-1};

void send(int to, std::string_view words) {
  // Nobody may listen any more, and that is no fault of the program's.
  static_cast<void>(::send(to, words.data(), words.size(), MSG_NOSIGNAL));
}

// Last of all in a process that ends by exit() or from main, and not in one that is killed.
[[gnu::destructor]] void leave() {
  const int open_line = line;
  if (open_line >= 0 && is_rank_process()) send(open_line, "left\n");
}

}  // namespace

void open(int connection) {
  line = connection;
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
