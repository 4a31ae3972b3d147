// A schedule made ready to run, and the cache that keeps it: the second call of the
// same shape builds nothing, whatever its buffers.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "collectives/algorithm.hpp"
#include "engine/rhythm.hpp"
#include "schedule/schedule.hpp"

namespace stretto {

struct Plan {
  Schedule schedule;
  const Algorithm* algorithm = nullptr;
  std::vector<StepId> ready;  // steps that wait for nothing
  // Steps that wait for step s: dependents[first_dependent[s], first_dependent[s + 1]).
  std::vector<std::int32_t> first_dependent;
  std::vector<StepId> dependents;
  // Messages exchanged with each peer there are any with: they advance the tags.
  struct Traffic {
    Rank peer = 0;
    std::int32_t messages = 0;
  };
  std::vector<Traffic> sent;
  std::vector<Traffic> received;

  mutable Rhythm rhythm;  // of the operations that run it; under the engine's lock

  Plan(const Algorithm& made_by, Schedule built);
};

// Keeps the most recently used plans. Thread-safe.
class PlanCache {
 public:
  [[nodiscard]] std::shared_ptr<const Plan> get(const Algorithm& algorithm, const Shape& shape,
                                                Rank me);

  struct Counts {
    long built = 0;
    long reused = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  struct Key {
    const Algorithm* algorithm = nullptr;
    Shape shape;
    Rank me = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Entry {
    Key key;
    std::shared_ptr<const Plan> plan;
  };

  mutable std::mutex mutex_;
  std::list<Entry> recent_;  // most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> known_;
  std::size_t steps_ = 0;  // in all cached plans: what the cache's memory grows with
  Counts counts_;
};

}  // namespace stretto
