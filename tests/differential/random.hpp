// Numbers that depend on a seed alone: the same on every rank, compiler and run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace differential {

using Seed = std::uint64_t;

// The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
constexpr Seed mix(Seed value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

class Random {
 public:
  // What it is for, for example seed, sequence and action.
  Random(std::initializer_list<Seed> purpose) {
    for (const Seed part : purpose) state_ = mix(state_ + part + kStep);
  }

  Seed next() { return mix(state_ += kStep); }
  // 0 to limit-1; 0 where limit is below 1.
  int below(int limit) {
    return limit < 1 ? 0 : static_cast<int>(next() % static_cast<unsigned>(limit));
  }
  bool one_in(int chances) { return below(chances) == 0; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (int left = static_cast<int>(items.size()); left > 1; --left) {
      std::swap(items[static_cast<std::size_t>(left - 1)],
                items[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  static constexpr Seed kStep = 0x9e3779b97f4a7c15U;
  Seed state_ = 0;
};

inline Seed as_seed(int number) { return static_cast<Seed>(static_cast<std::int64_t>(number)); }

}  // namespace differential
