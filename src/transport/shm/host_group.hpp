// The ranks of a group that share this host, and the memory they share. They find each other by
// what the kernel says of where they are, and the memory is passed on by a socket of an abstract
// name: no file is made.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "transport/shm/copy_limit.hpp"
#include "transport/shm/segment.hpp"
#include "transport/transport.hpp"

namespace stretto::shm {

struct HostGroup {
  std::vector<int> ranks{};   // of the group, ascending; empty: they share no memory
  int local = 0;              // which of them this one is
  std::vector<pid_t> pids{};  // theirs
  bool pulls = false;         // may each read each other's memory?
  // As all of them copy: the least limit of all, once all have one.
  std::optional<Copying> copying{};
  Segment memory{};

  // Collective over `group`; all ranks of a host come to know the same. `bytes_for` says how much
  // memory so many ranks need; 0: too much. `copying` is how this rank copies, as far as it knows.
  [[nodiscard]] static HostGroup of(const Transport::Group& group, std::size_t (*bytes_for)(int),
                                    std::optional<Copying> copying);
  // Each of `ranks` says its own. Collective over them.
  void agree_on_copying(const Transport::Group& group, const Copying& mine);
};

}  // namespace stretto::shm
