// By which transport each rank of a communicator is reached: decided once, when Stretto gets to
// know the communicator.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/shape.hpp"
#include "transport/transport.hpp"

namespace stretto {

// A transport, and what it made of the group of ranks that a communicator's are among.
struct Carrier {
  Transport* transport = nullptr;
  Transport::Joined joined;
};

struct Route {
  Transport* transport = nullptr;
  Opaque group{};
  Rank peer = 0;  // in the group
};

// What grows with the number of ranks is four bytes each, nothing where they are all those of the
// group, and some 50 bytes for each rank that another transport than the last reaches.
class Routes {
 public:
  Routes() = default;
  // `carriers` in the order in which they are preferred; the last reaches all. `ranks` are the
  // communicator's in the group, in its order; empty: the same.
  Routes(std::span<const Carrier> carriers, std::vector<Rank> ranks);

  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
  // In the group.
  [[nodiscard]] Rank number_of(Rank rank) const {
    return ranks_.empty() ? rank : ranks_[static_cast<std::size_t>(rank)];
  }
  // Of so many ranks, all of the communicator's: are all reached by other transports than the last?
  [[nodiscard]] bool avoid_last(int size) const {
    return others_.size() == static_cast<std::size_t>(size);
  }
  // Of those transports: see Transport::Joined.
  [[nodiscard]] const Transport::BeatsKernel& beats_kernel() const { return beats_kernel_; }
  [[nodiscard]] Route to(Rank rank) const {
    const Via* via = &last_;
    if (!others_.empty()) [[unlikely]] {
      if (const auto other = others_.find(rank); other != others_.end()) via = &other->second;
    }
    return {via->transport, via->group, number_of(rank)};
  }

 private:
  struct Via {
    Transport* transport = nullptr;
    Opaque group{};
  };

  Via last_;
  std::unordered_map<Rank, Via> others_;
  std::vector<Rank> ranks_;
  Transport::BeatsKernel beats_kernel_;
};

}  // namespace stretto
