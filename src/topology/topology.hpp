// Who is near whom: which ranks share a host or a core complex, and whether they share cores.
//
// Every rank describes its own Place; the places of all ranks of a communicator,
// exchanged by whoever owns it, make its Topology. Pure but for what makes a Place.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "topology/core_complex.hpp"
#include "topology/core_numbers.hpp"

namespace stretto {

// Where one process runs. Plain bytes, so that it can be exchanged as MPI_BYTE.
struct Place {
  std::array<char, 64> host{};    // its hostname: namespaces with their own are hosts of their own
  CoreSet cores{};                // the logical CPUs it may run on; none: unknown
  int core_complex = kNoComplex;  // of its host, where it may run on one only

  // Without its complex, which takes reading files: communicators are made by the thousand.
  [[nodiscard]] static Place here();
  [[nodiscard]] static Place here_with_complex();
  // The groups that have all of its cores; reads files, too.
  [[nodiscard]] CoreGroups core_groups() const;
  // As if all hosts that are one machine's (containers, say, under one kernel) were one, for they
  // share its cores.
  [[nodiscard]] Place on_its_machine() const;
};

// Where a rank is among others.
struct Seat {
  int host = 0;
  int core_complex = kNoComplex;  // among those of all hosts

  friend auto operator<=>(const Seat&, const Seat&) = default;
};

class Topology {
 public:
  Topology() = default;
  explicit Topology(std::span<const Place> places);

  [[nodiscard]] int size() const { return static_cast<int>(seats_.size()); }
  [[nodiscard]] int hosts() const { return hosts_; }
  // Hosts are numbered in the order of their lowest rank.
  [[nodiscard]] int host_of(int rank) const { return seat_of(rank).host; }
  // Complexes, too. A host whose ranks all share one, or do not all have one, has none.
  [[nodiscard]] const Seat& seat_of(int rank) const {
    return seats_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const std::vector<Seat>& seats() const { return seats_; }
  // Some host has fewer cores for its ranks than ranks: a rank that spins keeps
  // another one from running. Of a host where a rank's cores are unknown that is, too.
  [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }
  [[nodiscard]] bool knows_cores() const { return knows_cores_; }

 private:
  std::vector<Seat> seats_;
  int hosts_ = 0;
  bool oversubscribed_ = false;
  bool knows_cores_ = true;
};

}  // namespace stretto
