#include "transport/shm/host_group.hpp"

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
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

// Memory for a moment, which the heap would keep: it does once it has given back any as long.
template <class Each>
class Passing {
 public:
  explicit Passing(std::size_t number) : bytes_(number * sizeof(Each)) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Passing() { ::munmap(memory_, bytes_); }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

  [[nodiscard]] std::span<Each> all() const {
    return {static_cast<Each*>(memory_), bytes_ / sizeof(Each)};
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

// The ranks whose place may be this one's, itself among them, or none where it is with nobody: by
// four bytes a rank, as a world may have a million, and another place may happen to have the same.
std::vector<int> candidates(const Transport::Group& group, std::uint64_t place) {
  const auto word = static_cast<std::uint32_t>(place);
  const std::uint32_t mine = place == 0 ? 0 : std::max<std::uint32_t>(word, 1);
  const Passing<std::uint32_t> words(static_cast<std::size_t>(group.size));
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

// Do all at this place say so, of what the candidates say?
bool all_say(const std::vector<std::uint8_t>& said, const std::vector<Mark>& marks,
             std::uint64_t place, std::uint8_t what) {
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (marks[i].place == place && (said[i] & what) == 0) return false;
  }
  return true;
}

}  // namespace

HostGroup HostGroup::of(const Transport::Group& group, std::size_t (*bytes_for)(int)) {
  Mark mine{.place = place_here(), .pid = ::getpid()};
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
  made.pulls_late = made.pulls && is_pulling_slow(made.memory.base(), bytes);
  if (!made.pulls && made.local == 0) {
    say("the kernel lets ranks of this host not read each other's memory: long messages are copied "
        "twice");
  }
  return made;
}

}  // namespace stretto::shm
