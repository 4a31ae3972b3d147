// Times of two-level algorithms: what their parts take among the ranks of a host, and among one of
// each host's.
#pragma once

#include "collectives/times.hpp"

namespace stretto {

class TwoLevelTimes {
 public:
  TwoLevelTimes(const Network& network, int ranks)
      : host(network.on_host()),
        hosts(network.between_hosts()),
        ranks_on_host(network.ranks_on_host()),
        number_of_hosts(network.hosts()),
        ranks_on_last(std::max(ranks - (number_of_hosts - 1) * ranks_on_host, 1)) {}

  // A vector, or for each rank of a subtree its block, on all ranks of a host, and of the trees
  // between hosts.
  [[nodiscard]] double on_host(Way way, Count fixed, Count per_rank, double work = 0) const {
    return tree(host, ranks_on_host, way, fixed, per_rank, work);
  }
  [[nodiscard]] double between_hosts(Way way, Count fixed, Count per_host, double work = 0) const {
    return tree(hosts, number_of_hosts, way, fixed, per_host, work);
  }
  // How many vectors a rank sends, and takes in and adds to its own.
  struct Vectors {
    int sent = 0;
    int added = 0;
  };
  // What that keeps it busy for: its processor, or its port one way.
  [[nodiscard]] double busy(Count bytes, const Vectors& here, const Vectors& between) const {
    const MessageCost near = Network::cost(host.farthest(), bytes);
    const MessageCost far = Network::cost(hosts.farthest(), bytes);
    const double work = host.reduce(bytes);
    return std::max({here.sent * near.send + here.added * (near.recv + work) +
                         between.sent * far.send + between.added * (far.recv + work),
                     here.sent * near.gap + between.sent * far.gap,
                     here.added * near.gap + between.added * far.gap});
  }
  // Rounds of a tree, or of swaps.
  [[nodiscard]] int rounds_on_host() const { return levels_of(ranks_on_host); }
  [[nodiscard]] int rounds_between() const { return levels_of(number_of_hosts); }

  // All segments of a vector, one of which takes so long, and keeps somebody busy for so long. A
  // few are under way at a time (see write_segments).
  template <class One, class Busy>
  [[nodiscard]] static double segments(const Shape& shape, const One& one, const Busy& busy) {
    constexpr double kUnderWay = 4;
    const Count segment = stage_of(shape);
    const Count number = segment > 0 ? (shape.count + segment - 1) / segment : 1;
    const double first = one(segment);
    return first + static_cast<double>(number - 1) * std::max(busy(segment), first / kUnderWay);
  }

  const Network host;
  const Network hosts;
  const int ranks_on_host;
  const int number_of_hosts;
  const int ranks_on_last;  // host, where the others are full
};

}  // namespace stretto
