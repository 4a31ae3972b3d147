// Who is near whom: which ranks share a host, and whether they share its cores.
//
// Every rank describes its own Place; the places of all ranks of a communicator,
// exchanged by whoever owns it, make its Topology. Pure but for `this_place`.
#pragma once

#include <sched.h>

#include <array>
#include <span>
#include <vector>

namespace stretto {

// Where one process runs. Plain bytes, so that it can be exchanged as MPI_BYTE.
struct Place {
  std::array<char, 64> host{};  // its hostname: namespaces with their own are hosts of their own
  cpu_set_t cores{};            // the logical CPUs it may run on

  [[nodiscard]] static Place here();
};

class Topology {
 public:
  Topology() = default;
  explicit Topology(std::span<const Place> places);

  [[nodiscard]] int size() const { return static_cast<int>(host_of_.size()); }
  [[nodiscard]] int hosts() const { return hosts_; }
  // Hosts are numbered in the order of their lowest rank.
  [[nodiscard]] int host_of(int rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  // Some host has fewer cores for its ranks than ranks: a rank that spins keeps
  // another one from running.
  [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }

 private:
  std::vector<int> host_of_;
  int hosts_ = 0;
  bool oversubscribed_ = false;
};

}  // namespace stretto
