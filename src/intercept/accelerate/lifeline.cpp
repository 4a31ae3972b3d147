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

void send(std::string_view words) {
  // Nobody may listen any more, and that is no fault of the program's.
  static_cast<void>(::send(line, words.data(), words.size(), MSG_NOSIGNAL));
}

// Last of all in a process that ends by exit() or from main, and not in one that is killed.
[[gnu::destructor]] void leave() {
  if (line >= 0 && is_rank_process()) send("left\n");
}

}  // namespace

void open(int connection) {
  line = connection;
  if (connection < 0) return;
  // A child that lives on must not keep the line open.
  ::pthread_atfork(nullptr, nullptr, [] {
    if (line >= 0) ::close(line.exchange(-1));
  });
}

void abort(int code) {
  if (line < 0) return;
  std::array<char, 32> words{};
  const int length = std::snprintf(words.data(), words.size(), "aborts %d\n", code);
  send({words.data(), static_cast<std::size_t>(length)});
}

void close() {
  if (line < 0) return;
  send("done\n");
  ::close(line.exchange(-1));
}

}  // namespace stretto::intercept::accelerate::lifeline
