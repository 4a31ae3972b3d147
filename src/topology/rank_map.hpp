// Ranks of a part of a communicator as ranks of the whole, as MPI_Group_translate_ranks has them.
#pragma once

#include "base/span.hpp"

namespace stretto {

// Consecutive ranks, or those of a list that outlives the map; one may be another's instead.
class RankMap {
 public:
  static RankMap from(Rank first) {
    RankMap map;
    map.first_ = first;
    return map;
  }
  static RankMap of(const Rank* list) {
    RankMap map;
    map.list_ = list;
    return map;
  }
  // The same, but for the part's rank `number`, which is `rank` of the whole.
  [[nodiscard]] RankMap with(Rank number, Rank rank) const {
    RankMap map = *this;
    map.number_ = number;
    map.instead_ = rank;
    return map;
  }

  [[nodiscard]] Rank operator[](Rank number) const {
    if (number == number_) return instead_;
    return list_ == nullptr ? first_ + number : list_[number];
  }

 private:
  const Rank* list_ = nullptr;
  Rank first_ = 0;
  Rank number_ = -1;
  Rank instead_ = -1;
};

}  // namespace stretto
