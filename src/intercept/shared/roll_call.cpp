#include "intercept/shared/roll_call.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/log.hpp"
#include "intercept/shared/job_name.hpp"
#include "intercept/shared/this_rank.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept {
namespace {

// To one of several addresses. The kernel repeats a connection's first packet, which a busy host
// drops, after 1, 3 and 7 s: who is not there at once is given the time in a second round, and all
// rounds together the time that the others wait for this rank.
constexpr int kConnectMs = 1000;
constexpr int kConnectAgainMs = 8000;
constexpr int kConnectAllMs = 20'000;
constexpr int kAnswerMs = 30'000;  // `stretto run` waits a third of that for those who are missing

bool wait_for(int line, short what, int limit_ms) {
  const std::int64_t until_ns = now_ns() + std::int64_t{limit_ms} * 1'000'000;
  pollfd waiting{.fd = line, .events = what, .revents = 0};
  for (;;) {
    const std::int64_t left_ns = until_ns - now_ns();
    const int ready =
        ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left_ns, 0) / 1'000'000));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR || left_ns <= 0) return false;
  }
}

template <class Address>
int connect_to(const Address& address, int family, int limit_ms) {
  const int line = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (line < 0) return -1;
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  bool connected = ::connect(line, generic, sizeof address) == 0;
  if (!connected && errno == EAGAIN) {  // many at once, on this host
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(line, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    ::fcntl(line, F_SETFL, 0);
    connected = ::connect(line, generic, sizeof address) == 0;
  } else if (!connected && errno == EINPROGRESS && wait_for(line, POLLOUT, limit_ms)) {
    int error = 0;
    socklen_t size = sizeof error;
    connected = ::getsockopt(line, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  if (connected) {
    ::fcntl(line, F_SETFL, 0);
    return line;
  }
  ::close(line);
  return -1;
}

int connect_to_path(std::string_view path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return -1;
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  return connect_to(address, AF_UNIX, kConnectMs);
}

int connect_to_port(const std::string& host, std::string_view port, int limit_ms) {
  sockaddr_in address{};
  std::uint16_t number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  if (parsed.ec != std::errc{} || ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    return -1;
  }
  address.sin_family = AF_INET;
  address.sin_port = htons(number);
  const int line = connect_to(address, AF_INET, limit_ms);
  if (line < 0) return -1;
  const int on = 1;  // a host that is gone without a word is noticed
  ::setsockopt(line, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return line;
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// After the key: a path on this host or, on others, one of the addresses that follow it.
int connect_to_run(const std::vector<std::string>& where) {
  int line = where.size() > 1 ? connect_to_path(where[1]) : -1;
  const std::int64_t until_ns = now_ns() + std::int64_t{kConnectAllMs} * 1'000'000;
  for (const int each_ms : {kConnectMs, kConnectAgainMs}) {
    for (std::size_t i = 2; i < where.size() && line < 0; ++i) {
      const std::size_t colon = where[i].rfind(':');
      const std::int64_t left_ms = (until_ns - now_ns()) / 1'000'000;
      if (colon == std::string::npos || left_ms <= 0) continue;
      line =
          connect_to_port(where[i].substr(0, colon), std::string_view(where[i]).substr(colon + 1),
                          static_cast<int>(std::min<std::int64_t>(each_ms, left_ms)));
    }
  }
  return line;
}

// Those that must be equal on all ranks, by name.
std::string equal_settings() {
  std::vector<std::string> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const char* name :
         {"STRETTO_SELECTION", "STRETTO_PROGRESS_THREAD=", "STRETTO_TAG_BITS=",
          "STRETTO_DEVICE_BUFFERS=", "STRETTO_SHARED_MEMORY=", "STRETTO_RULES="}) {
      if (text.starts_with(name)) settings.emplace_back(text);
    }
  }
  std::sort(settings.begin(), settings.end());
  std::string all;
  for (const std::string& setting : settings) all += ' ' + setting;
  std::replace(all.begin(), all.end(), '\n', ' ');
  return all;
}

// Did who preloads by hand say that all ranks do?
bool is_trusted() {
  const std::string word = setting("STRETTO_RUN_ALL_RANKS").value_or("ask");
  if (word != "ask" && word != "trust") {
    refuse(2, "STRETTO_RUN_ALL_RANKS=%s is neither ask nor trust", word.c_str());
  }
  return word == "trust";
}

// What `stretto run` answers, or nothing.
std::string ask(int line, const std::string& words) {
  for (std::size_t sent = 0; sent < words.size();) {
    const ssize_t more = ::send(line, words.data() + sent, words.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return {};
    sent += static_cast<std::size_t>(more);
  }
  std::string answer;
  while (!answer.ends_with('\n') && wait_for(line, POLLIN, kAnswerMs)) {
    std::array<char, 64> some{};
    const ssize_t count = ::recv(line, some.data(), some.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    answer.append(some.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

}  // namespace

bool answers_for_several() { return setting("STRETTO_RUN_LIFELINE") || is_trusted(); }

RollCall call_roll(const char* mode, int rank, int size) {
  const auto where = setting("STRETTO_RUN_LIFELINE");
  if (size == 1 && !where) return {.all = true, .line = -1};
  if (!where) {
    const bool all = is_trusted();
    if (!all && rank == 0) {
      say("nobody can tell whether all %d ranks run Stretto, so the program runs as it is: start "
          "it by "
          "`stretto run`, or set STRETTO_RUN_ALL_RANKS=trust where all of them preload it",
          size);
    }
    return {.all = all, .line = -1};
  }
  const std::vector<std::string> parts = parts_of(*where);
  RollCall roll{.all = false, .line = connect_to_run(parts)};
  if (roll.line < 0) {
    // The others will hear that this rank is missing.
    roll.all = size == 1;
    if (!roll.all && speaks_for_all()) {
      say("ranks cannot reach `stretto run`, so the program runs as it is, without Stretto; where "
          "all ranks preload it STRETTO_RUN_ALL_RANKS=trust without STRETTO_RUN_LIFELINE says so");
    }
    return roll;
  }
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string words =
      "rank " + std::to_string(rank) + " pid " + std::to_string(::getpid()) + " host " +
      host.data() + " key " + parts.front() + "\nof " + std::to_string(size) + " in " + job_name() +
      " runs " + STRETTO_VERSION + ' ' + mode + ' ' + STRETTO_ABI + equal_settings() + '\n';
  const std::string answer = ask(roll.line, words);
  if (answer.empty()) {
    refuse(5, "rank %d was not told whether all ranks run Stretto: `stretto run` does not answer",
           rank);
  }
  roll.all = answer == "all\n";
  return roll;
}

bool is_everywhere(const char* mode) {
  int rank = 0;
  int size = 1;
  native().Comm_rank(native().comm_world, &rank);
  native().Comm_size(native().comm_world, &size);
  const RollCall roll = call_roll(mode, rank, size);
  if (roll.line >= 0) {
    static_cast<void>(::send(roll.line, "done\n", 5, MSG_NOSIGNAL));
    ::close(roll.line);
  }
  return roll.all;
}

}  // namespace stretto::intercept
