// What happens next: a radix heap, for times that never fall below the last one taken.
//
// An event lies in the bucket of the highest bit in which its time differs from the last one
// taken, and moves to lower buckets as that time comes near: no comparison, and few moves.
// Ahuja et al., "Faster algorithms for the shortest path problem", JACM 37(2), 1990.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace stretto::model {

// What happens, and to which rank.
struct Event {
  std::uint64_t key;  // the time's bits
  std::uint32_t what;
  Rank rank;
};

class EventQueue {
 public:
  // `time` is finite, not negative, and not before the last batch's.
  void push(double time, std::uint32_t what, Rank rank) {
    // Doubles that are not negative order as their bits do; + 0.0 turns -0.0 into 0.
    const auto key = std::bit_cast<std::uint64_t>(time + 0.0);
    buckets_[bucket_of(key)].push_back({key, what, rank});
  }

  // All there is of the next time, in the order it was pushed; false when nothing is left.
  bool pop_batch(std::vector<Event>& batch) {
    batch.clear();
    if (buckets_[0].empty() && !refill()) return false;
    batch.swap(buckets_[0]);
    return true;
  }

 private:
  [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const {
    return static_cast<std::size_t>(std::bit_width(key ^ last_));
  }

  bool refill() {
    const auto filled = std::find_if(buckets_.begin(), buckets_.end(),
                                     [](const auto& bucket) { return !bucket.empty(); });
    if (filled == buckets_.end()) return false;
    last_ = std::min_element(filled->begin(), filled->end(), [](const Event& a, const Event& b) {
              return a.key < b.key;
            })->key;
    // Every event differs from the new time in a lower bit, so none comes back here.
    moving_.swap(*filled);
    for (const Event& event : moving_) buckets_[bucket_of(event.key)].push_back(event);
    moving_.clear();
    return true;
  }

  std::uint64_t last_ = 0;
  std::array<std::vector<Event>, 65> buckets_;
  std::vector<Event> moving_;
};

}  // namespace stretto::model
