#include "transport/shm/host_group.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "topology/host_numbers.hpp"
#include "topology/topology.hpp"
#include "transport/shm/pull.hpp"
#include "transport/shm/socket.hpp"

namespace stretto::shm {
namespace {

// What a rank says of itself.
struct Mark {
  std::uint64_t place = 0;    // equal for those who may share memory; 0: with nobody
  std::uint64_t secret = 0;   // of its own, which names its socket
  std::uint64_t address = 0;  // of the secret in its memory
  std::int64_t pid = 0;
};

// What has become of it on the way.
constexpr std::uint8_t kConnected = 1;  // to the first rank's socket; or it has the memory
constexpr std::uint8_t kPulls = 2;      // it has read each other's secret

// As a hostname of its own makes a host, here as for layouts, and a namespace of networks or
// processes keeps sockets or process ids from those outside.
std::uint64_t place_here() {
  std::string text = Affinity::here().host.data();
  text += boot_id().data();
  for (const char* of : {"/proc/self/ns/net", "/proc/self/ns/pid"}) {
    struct stat known{};
    if (::stat(of, &known) != 0) return 0;
    text += ' ' + std::to_string(known.st_dev) + ' ' + std::to_string(known.st_ino);
  }
  return host_word(text);
}

template <class Each>
std::vector<Each> of_all(const Transport::Group& group, const Each& mine) {
  std::vector<Each> all(static_cast<std::size_t>(group.size));
  group.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

bool any_share(const std::vector<Mark>& marks) {
  std::vector<std::uint64_t> places;
  for (const Mark& mark : marks) {
    if (mark.place != 0) places.push_back(mark.place);
  }
  std::ranges::sort(places);
  return std::ranges::adjacent_find(places) != places.end();
}

// Can this rank read the memory of all of these?
bool can_pull(const std::vector<Mark>& others) {
  return std::ranges::all_of(others, [](const Mark& other) {
    std::uint64_t secret = 0;
    const auto pid = static_cast<pid_t>(other.pid);
    return pull(pid, other.address, &secret, sizeof secret) == 0 && secret == other.secret;
  });
}

// The best of a few times, in ns.
template <class Action>
std::int64_t time_of(const Action& action) {
  std::int64_t best = INT64_MAX;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t start = now_ns();
    action();
    best = std::min(best, now_ns() - start);
  }
  return best;
}

// The kernel takes long over each page where it is a guest, and copies less fast than a program.
bool is_pulling_slow(const std::byte* from, std::size_t bytes) {
  bytes = std::min(bytes, std::size_t{128} << 10);
  std::vector<std::byte> to(bytes);
  const auto address = reinterpret_cast<std::uint64_t>(from);
  const std::int64_t copied = time_of([&] { std::memcpy(to.data(), from, bytes); });
  const std::int64_t pulled =
      time_of([&] { static_cast<void>(pull(::getpid(), address, to.data(), bytes)); });
  return pulled > copied + copied / 2;
}

// Do all of these ranks say so?
bool all_say(const std::vector<std::uint8_t>& said, const std::vector<int>& ranks,
             std::uint8_t what) {
  return std::ranges::all_of(
      ranks, [&](int rank) { return (said[static_cast<std::size_t>(rank)] & what) != 0; });
}

}  // namespace

HostGroup HostGroup::of(const Transport::Group& group, std::size_t (*bytes_for)(int)) {
  Mark mine{.place = place_here(), .pid = ::getpid()};
  mine.address = reinterpret_cast<std::uint64_t>(&mine.secret);
  const bool random = ::getrandom(&mine.secret, sizeof mine.secret, 0) == sizeof mine.secret;
  // Before the others can know its name.
  const Socket listening = Socket::listen(mine.secret);
  if (!random || listening.is_closed()) mine.place = 0;

  const std::vector<Mark> marks = of_all(group, mine);
  if (!any_share(marks)) return {};
  HostGroup made;
  std::vector<Mark> here;
  for (int rank = 0; rank < group.size; ++rank) {
    const Mark& mark = marks[static_cast<std::size_t>(rank)];
    if (mine.place == 0 || mark.place != mine.place) continue;
    if (rank == group.rank) made.local = static_cast<int>(made.ranks.size());
    made.ranks.push_back(rank);
    made.pids.push_back(static_cast<pid_t>(mark.pid));
    here.push_back(mark);
  }
  // Alone it takes part in what follows, as the others of the group do.
  const auto number = static_cast<int>(here.size());
  const std::size_t bytes = bytes_for(number);

  std::uint8_t said = 0;
  int fd = -1;
  Socket first;
  if (number > 1) {
    if (made.local == 0) {
      made.memory = Segment::make(bytes, &fd);
      if (fd >= 0 && !made.memory.is_empty()) said |= kConnected;
    } else {
      first = Socket::connect(here.front().secret, mine.secret);
      if (!first.is_closed()) said |= kConnected;
    }
    if (can_pull(here)) said |= kPulls;
  }
  std::vector<std::uint8_t> all = of_all(group, said);
  const bool connected = number > 1 && all_say(all, made.ranks, kConnected);
  made.pulls = all_say(all, made.ranks, kPulls);

  said = 0;
  if (connected && made.local == 0) {
    std::vector<std::uint64_t> secrets;
    for (const Mark& mark : here) secrets.push_back(mark.secret);
    secrets.erase(secrets.begin());
    if (listening.give(fd, secrets)) said = kConnected;
  } else if (connected) {
    const int received = first.receive();
    if (received >= 0) made.memory = Segment::map(received, bytes);
    if (received >= 0) ::close(received);
    if (!made.memory.is_empty()) said = kConnected;
  }
  if (fd >= 0) ::close(fd);
  all = of_all(group, said);
  if (number > 1 && !all_say(all, made.ranks, kConnected)) {
    if (made.local == 0) {
      say("the ranks of this host cannot share memory: their messages go by the MPI");
    }
    return {};
  }
  if (number < 2) return {};
  made.pulls_late = made.pulls && is_pulling_slow(made.memory.base(), bytes);
  if (!made.pulls && made.local == 0) {
    say("the kernel lets ranks of this host not read each other's memory: long messages are copied "
        "twice");
  }
  return made;
}

}  // namespace stretto::shm
