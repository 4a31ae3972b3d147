// What the ranks of one host share: rings of clock messages from each to each, doorbells that wake
// those who sleep, and the run tokens.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "intercept/whatif/clock_message.hpp"

namespace stretto::intercept::whatif {

class HostMemory {
 public:
  HostMemory() = default;
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // By the host's first rank, 0, for `ranks` of which `tokens` may run at a time; empty where there
  // is no shared memory to be had. The name is for the others, until forget_name().
  [[nodiscard]] std::string create(int ranks, int tokens);
  [[nodiscard]] bool open(const std::string& name, int local, int ranks);
  static void forget_name(const std::string& name);
  void close();

  [[nodiscard]] bool is_open() const { return base_ != nullptr; }

  // From this rank; false where the ring is full.
  [[nodiscard]] bool put(int to, const ClockMessage& message, std::size_t size);
  // The oldest one to this rank; nullptr where there is none. It stays until drop().
  [[nodiscard]] const ClockMessage* front(int from) const;
  void drop(int from);

  // Wakes `rank` if it sleeps.
  void ring_doorbell(int rank);
  // Sleeps until its doorbell rings, or so long; not at all where it rang since `seen`.
  void sleep(int rank, std::uint32_t seen, std::int64_t at_most_ns);
  [[nodiscard]] std::uint32_t doorbell(int rank) const;

  // False where none came free in that time: who has one may wait for what this rank has to do.
  [[nodiscard]] bool take_token(std::int64_t at_most_ns);
  void give_token();

 private:
  struct Ring;
  struct Doorbell;
  struct Head;
  [[nodiscard]] Head& head() const;
  [[nodiscard]] Doorbell& doorbell_of(int rank) const;
  [[nodiscard]] Ring& ring(int from, int to) const;
  [[nodiscard]] bool map(int fd, int local, int ranks);

  // How far this rank is in the rings to and from another.
  struct Ends {
    std::uint64_t written = 0;
    std::uint64_t known_read = 0;  // of what it wrote; it may be more by now
    std::uint64_t read = 0;
  };

  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  int local_ = 0;  // this rank among its host's
  int ranks_ = 0;
  std::vector<Ends> ends_;
};

}  // namespace stretto::intercept::whatif
