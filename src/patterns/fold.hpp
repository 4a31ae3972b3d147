// Folds `size` ranks onto fewer survivors for algorithms that need a power of two,
// or an even number. The first ranks pair up, neighbour with neighbour, until
// enough are gone; of each pair the odd rank survives and stands for both.
// Neighbours only, so that survivor after survivor stands for rank after rank:
// what is combined in survivor order is combined in rank order.
#pragma once

#include <bit>

namespace stretto {

class Fold {
 public:
  // `favoured` survives even if it is the even rank of a pair.
  static Fold to_power_of_two(int size, int me, int favoured) {
    return {size, static_cast<int>(std::bit_floor(static_cast<unsigned>(size))), me, favoured};
  }
  static Fold to_power_of_two(int size, int me) { return to_power_of_two(size, me, size - 1); }
  // One rank stays one.
  static Fold to_even(int size, int me) {
    return {size, size == 1 ? 1 : size - size % 2, me, size - 1};
  }

  [[nodiscard]] int survivors() const { return survivors_; }
  [[nodiscard]] bool survives() const { return rank_of(number()) == me_; }
  [[nodiscard]] bool has_partner() const { return me_ < 2 * pairs_; }
  [[nodiscard]] int partner() const { return me_ ^ 1; }

  // The survivor that is this rank or stands for it.
  [[nodiscard]] int number() const { return number_of(me_); }
  [[nodiscard]] int number_of(int rank) const {
    return rank < 2 * pairs_ ? rank / 2 : rank - pairs_;
  }
  [[nodiscard]] int rank_of(int survivor) const {
    if (survivor >= pairs_) return survivor + pairs_;
    return favoured_ / 2 == survivor ? favoured_ : 2 * survivor + 1;
  }
  // A survivor stands for the ranks from its first to the next one's first;
  // first_rank_of(survivors()) is the number of ranks.
  [[nodiscard]] int first_rank_of(int survivor) const {
    return survivor < pairs_ ? 2 * survivor : survivor + pairs_;
  }

 private:
  Fold(int size, int survivors, int me, int favoured)
      : survivors_(survivors), pairs_(size - survivors), me_(me), favoured_(favoured) {}

  int survivors_;
  int pairs_;
  int me_;
  int favoured_;
};

}  // namespace stretto
