// A schedule made ready to run, and the cache that keeps it: the second call of the
// same shape builds nothing, whatever its buffers. The cache is bounded in bytes, as a run of
// days may broadcast ever new sizes from ever new roots (STRETTO_PLANS_MIB).
#pragma once

#include <atomic>
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
  // Messages exchanged with each peer there are any with: they advance the sequences.
  struct Traffic {
    Rank peer = 0;
    std::int32_t messages = 0;
  };
  std::vector<Traffic> sent;
  std::vector<Traffic> received;
  // By step: which of these its message belongs to, those sent counted first. -1: it has none.
  std::vector<std::int32_t> traffic_of;
  // Of what a step receives, which may begin before all of it has come.
  struct Reduction {
    StepId step = kNoStep;     // kNoStep: there is none
    bool is_last_use = false;  // nobody needs what was received itself
  };
  // By step. Empty where no step has one.
  std::vector<Reduction> reductions;

  mutable Rhythm rhythm;  // of the operations that run it; under the engine's lock

  Plan(const Algorithm& made_by, Schedule built);

  // What it takes of the heap, but for its graph, which is the communicator's.
  [[nodiscard]] std::size_t bytes() const;

 private:
  void find_reductions();
};

// Keeps the most recently used plans. Thread-safe.
class PlanCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // without a setting

  explicit PlanCache(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // STRETTO_PLANS_MIB, where it is set, bounds the cache from now on.
  void read_setting();

  // `layout`: where the algorithm uses it; plans of others must not differ by it.
  [[nodiscard]] std::shared_ptr<const Plan> get(const Algorithm& algorithm, const Shape& shape,
                                                Rank me,
                                                std::shared_ptr<const Layout> layout = nullptr);
  // An operation that was kept with its plan runs it again. By one thread at a time.
  void count_reused() {
    reused_unasked_.store(reused_unasked_.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
  }
  // The communicator of this graph is gone: no call can ask for its plans again.
  void forget(const Graph& graph);

  struct Counts {
    long built = 0;
    long reused = 0;
    std::size_t plans = 0;  // kept now
    std::size_t bytes = 0;  // which they and the cache's own tables take
  };
  [[nodiscard]] Counts counts() const;

 private:
  struct Key {
    const Algorithm* algorithm = nullptr;
    Shape shape;
    Rank me = 0;
    std::shared_ptr<const Layout> layout;  // none where the algorithm does not use it
    // Communicators of equal layouts have plans in common.
    friend bool operator==(const Key& a, const Key& b) {
      return a.algorithm == b.algorithm && a.shape == b.shape && a.me == b.me &&
             (a.layout == b.layout || (a.layout && b.layout && *a.layout == *b.layout));
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Entry {
    Key key;
    std::shared_ptr<const Plan> plan;
    std::size_t bytes = 0;  // of all that keeping it takes
  };
  using Recent = std::list<Entry>;
  using Table = std::unordered_map<Key, Recent::iterator, Hash>;

  [[nodiscard]] Table& table_of(const Graph* graph);
  // Of the layout, where no plan keeps it yet.
  [[nodiscard]] std::size_t bytes_of_new(const Layout* layout) const;
  void give_back(const Layout* layout);
  void drop(Recent::iterator entry);
  [[nodiscard]] std::size_t bytes() const;

  mutable std::mutex mutex_;
  std::size_t most_bytes_;
  Recent recent_;  // most recently used first
  Table known_;    // those without a graph
  std::unordered_map<const Graph*, Table> of_graph_;
  std::unordered_map<const Layout*, int> plans_of_;  // by the layout that they keep
  std::size_t entry_bytes_ = 0;
  Counts counts_;
  std::atomic<long> reused_unasked_{0};
};

}  // namespace stretto
