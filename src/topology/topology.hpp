// Who is near whom: which ranks share a host or a core complex, and whether they share cores.
//
// Every rank describes its own Affinity; the affinities of all ranks of a communicator,
// exchanged by whoever owns it, make its Topology. Pure but for what reads an Affinity.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "topology/core_complex.hpp"
#include "topology/core_numbers.hpp"

namespace stretto {

// Where one process runs. Plain bytes, so that it can be exchanged as MPI_BYTE.
struct Affinity {
  std::array<char, 64> host{};    // its hostname: namespaces with their own are hosts of their own
  CoreSet cores{};                // the logical CPUs it may run on; none: unknown
  int core_complex = kNoComplex;  // of its host, where it may run on one only

  // Without its complex, which takes reading files: communicators are made by the thousand.
  [[nodiscard]] static Affinity here();
  [[nodiscard]] static Affinity here_with_complex();
  // The groups that have all of its cores; reads files, too.
  [[nodiscard]] CoreGroups core_groups() const;
  // As if all hosts that are one machine's (containers, say, under one kernel) were one, for they
  // share its cores.
  [[nodiscard]] Affinity on_its_machine() const;
};

// A number that the kernel makes up when it starts: who has the same shares its cores and its
// clock, whatever the name of its host. Empty where it is not known.
[[nodiscard]] std::array<char, 64> boot_id();

// Where a rank is among others.
struct Location {
  int host = 0;
  int core_complex = kNoComplex;  // among those of all hosts

  friend auto operator<=>(const Location&, const Location&) = default;
};

class Topology {
 public:
  Topology() = default;
  explicit Topology(std::span<const Affinity> affinities);

  [[nodiscard]] int size() const { return static_cast<int>(locations_.size()); }
  [[nodiscard]] int hosts() const { return hosts_; }
  // Hosts are numbered in the order of their lowest rank.
  [[nodiscard]] int host_of(int rank) const { return location_of(rank).host; }
  // Complexes, too. A host whose ranks all share one, or do not all have one, has none.
  [[nodiscard]] const Location& location_of(int rank) const {
    return locations_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const std::vector<Location>& locations() const { return locations_; }
  // Some host has fewer cores for its ranks than ranks: a rank that spins keeps
  // another one from running. Of a host where a rank's cores are unknown that is, too.
  [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }
  [[nodiscard]] bool knows_cores() const { return knows_cores_; }
  // Each host has two cores a rank at least.
  [[nodiscard]] bool has_spare_cores() const { return has_spare_cores_; }

 private:
  std::vector<Location> locations_;
  int hosts_ = 0;
  bool oversubscribed_ = false;
  bool knows_cores_ = true;
  bool has_spare_cores_ = true;
};

}  // namespace stretto
