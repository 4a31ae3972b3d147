#include "transport/shm/host_group.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "topology/host_numbers.hpp"
#include "topology/topology.hpp"
#include "transport/shm/copy_limit.hpp"
#include "transport/shm/passing_memory.hpp"
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
  std::uint64_t copies_below = 0;  // see Copying
  std::uint64_t anew_copies_below = 0;
  std::uint64_t takes_lines = 0;
  std::uint64_t knows_copying = 0;  // are these known?
  std::int64_t processors = 0;      // of its host
};

// What has become of it on the way.
constexpr std::uint8_t kConnected = 1;  // to the first rank, or will be; or it has the memory
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
std::span<const std::byte> bytes_of(const Each& one) {
  return std::as_bytes(std::span(&one, 1));
}

// The ranks whose place may be this one's, itself among them, or none where it is with nobody: by
// four bytes a rank, as a world may have a million, and another place may happen to have the same.
std::vector<int> candidates(const Transport::Group& group, std::uint64_t place) {
  const auto word = static_cast<std::uint32_t>(place);
  const std::uint32_t mine = place == 0 ? 0 : std::max<std::uint32_t>(word, 1);
  const PassingMemory<std::uint32_t> words(static_cast<std::size_t>(group.size));
  group.allgather(bytes_of(mine), std::as_writable_bytes(words.all()));
  std::vector<int> found;
  for (int rank = 0; mine != 0 && rank < group.size; ++rank) {
    if (words.all()[static_cast<std::size_t>(rank)] == mine) found.push_back(rank);
  }
  return found;
}

template <class Each>
std::vector<Each> of_all(const Transport::Group& group, const std::vector<int>& ranks,
                         const Each& mine) {
  std::vector<Each> all(ranks.size());
  group.allgather_among(ranks, bytes_of(mine), std::as_writable_bytes(std::span(all)));
  return all;
}

// Can this rank read the memory of all of these?
bool can_pull(const std::vector<Mark>& others) {
  return std::ranges::all_of(others, [](const Mark& other) {
    std::uint64_t secret = 0;
    const auto pid = static_cast<pid_t>(other.pid);
    return pull(pid, other.address, &secret, sizeof secret) == 0 && secret == other.secret;
  });
}

// As all of these copy.
Copying common(const std::vector<Copying>& all) {
  Copying least = all.front();
  for (const Copying& each : all) {
    least.below = std::min(least.below, each.below);
    least.anew_below = std::min(least.anew_below, each.anew_below);
    least.takes_lines = least.takes_lines && each.takes_lines;
  }
  return least;
}

// As all of these copy, where all know. Where they wait for each other's core nothing is copied
// twice that may be pulled: that needs nobody else, and to find out would take long.
std::optional<Copying> known_to_all(const std::vector<Mark>& here) {
  const bool all_know =
      std::ranges::all_of(here, [](const Mark& mark) { return mark.knows_copying != 0; });
  if (here.empty()) return std::nullopt;
  const auto processors = std::ranges::min_element(here, {}, &Mark::processors)->processors;
  if (std::cmp_greater(here.size(), processors)) return Copying{};
  if (!all_know) return std::nullopt;
  std::vector<Copying> all;
  all.reserve(here.size());
  for (const Mark& mark : here) {
    all.push_back({mark.copies_below, mark.anew_copies_below, mark.takes_lines != 0});
  }
  return common(all);
}

// Do all at this place say so, of what the candidates say?
bool all_say(const std::vector<std::uint8_t>& said, const std::vector<Mark>& marks,
             std::uint64_t place, std::uint8_t what) {
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (marks[i].place == place && (said[i] & what) == 0) return false;
  }
  return true;
}

}  // namespace

HostGroup HostGroup::of(const Transport::Group& group, std::size_t (*bytes_for)(int),
                        std::optional<Copying> copying) {
  Mark mine{.place = place_here(), .pid = ::getpid()};
  mine.knows_copying = copying.has_value();
  mine.copies_below = copying.value_or(Copying{}).below;
  mine.anew_copies_below = copying.value_or(Copying{}).anew_below;
  mine.takes_lines = copying.value_or(Copying{}).takes_lines;
  mine.processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  mine.address = reinterpret_cast<std::uint64_t>(&mine.secret);
  const bool random = ::getrandom(&mine.secret, sizeof mine.secret, 0) == sizeof mine.secret;
  // Before the others can know its name.
  Socket listening = Socket::listen(mine.secret);
  if (!random || listening.is_closed()) mine.place = 0;

  const std::vector<int> ranks = candidates(group, mine.place);
  if (ranks.size() < 2) return {};
  const std::vector<Mark> marks = of_all(group, ranks, mine);
  HostGroup made;
  std::vector<Mark> here;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Mark& mark = marks[i];
    if (mark.place != mine.place) continue;
    if (ranks[i] == group.rank) made.local = static_cast<int>(made.ranks.size());
    made.ranks.push_back(ranks[i]);
    made.pids.push_back(static_cast<pid_t>(mark.pid));
    here.push_back(mark);
  }
  // Alone it takes part in what follows, as the other candidates do.
  const auto number = static_cast<int>(here.size());
  const std::size_t bytes = bytes_for(number);

  std::uint8_t said = 0;
  int fd = -1;
  Socket first;
  if (number > 1 && bytes > 0) {
    if (made.local == 0) {
      made.memory = Segment::make(bytes, &fd);
      if (fd >= 0 && !made.memory.is_empty()) said |= kConnected;
    } else {
      first = Socket::connect({here.front().secret, made.pids.front()}, mine.secret);
      if (!first.is_closed()) said |= kConnected;
    }
    if (can_pull(here)) said |= kPulls;
  }
  std::vector<std::uint8_t> all = of_all(group, ranks, said);
  const bool connected = number > 1 && all_say(all, marks, mine.place, kConnected);
  made.pulls = all_say(all, marks, mine.place, kPulls);
  made.copying = known_to_all(here);

  said = 0;
  if (connected && made.local == 0) {
    std::vector<Socket::Peer> others;
    others.reserve(here.size());
    for (const Mark& mark : here) others.push_back({mark.secret, static_cast<pid_t>(mark.pid)});
    others.erase(others.begin());
    if (listening.give(fd, others)) said = kConnected;
    listening = {};  // who has not got it need not wait
  } else if (connected) {
    const int received = first.receive();
    if (received >= 0) made.memory = Segment::map(received, bytes);
    if (received >= 0) ::close(received);
    if (!made.memory.is_empty()) said = kConnected;
  }
  if (fd >= 0) ::close(fd);
  all = of_all(group, ranks, said);
  if (number > 1 && !all_say(all, marks, mine.place, kConnected)) {
    if (made.local == 0) {
      say("the ranks of this host cannot share memory: their messages go by the MPI");
    }
    return {};
  }
  if (number < 2) return {};
  if (!made.pulls && made.local == 0) {
    say("the kernel lets ranks of this host not read each other's memory: long messages are copied "
        "twice");
  }
  return made;
}

void HostGroup::agree_on_copying(const Transport::Group& group, const Copying& mine) {
  copying = common(of_all(group, ranks, mine));
}

}  // namespace stretto::shm
