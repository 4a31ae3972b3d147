// Blocks of ranks that travel together: in a message they follow each other in an order of their
// own, in a buffer of all ranks' blocks by rank.
#pragma once

#include <vector>

#include "collectives/two_levels.hpp"

namespace stretto {

class BlockRuns {
 public:
  explicit BlockRuns(Count length) : length_(length) {}

  // The blocks of so many ranks come next.
  void add(Rank first, int ranks) {
    ranks_ += ranks;
    if (!runs_.empty() && runs_.back().first + runs_.back().ranks == first) {
      runs_.back().ranks += ranks;
    } else {
      runs_.push_back({first, ranks});
    }
  }
  // Some of a host's, by their numbers there from one on, which go round after the last.
  void add_members(const RanksAmong& host, int first, int number) {
    for (int i = first; i < first + number; ++i) add(host.ranks[i % host.size], 1);
  }
  // All of some hosts', which go round after the last.
  void add_hosts(const TwoLevels& levels, int first, int number) {
    for (int i = first; i < first + number; ++i) {
      const int host = i % levels.hosts();
      const RankMap ranks = levels.ranks_of(host);
      if (levels.in_rank_order()) {
        add(ranks[0], levels.ranks_on(host));
        continue;
      }
      for (int member = 0; member < levels.ranks_on(host); ++member) add(ranks[member], 1);
    }
  }

  [[nodiscard]] Span span() const { return {0, ranks_ * length_}; }
  // The buffer has them in this order, too.
  [[nodiscard]] bool are_one() const { return runs_.size() < 2; }
  // Where they lie in a buffer of all, if they are one.
  [[nodiscard]] Span in_all() const {
    return runs_.empty() ? Span{} : Span{runs_[0].first * length_, runs_[0].ranks * length_};
  }

  // `move(in message, in a buffer of all)` for each stretch that both have.
  template <class Move>
  void for_each(const Move& move) const {
    Count offset = 0;
    for (const Run& run : runs_) {
      const Span all{run.first * length_, run.ranks * length_};
      move(Span{offset, all.count}, all);
      offset += all.count;
    }
  }

 private:
  struct Run {
    Rank first = 0;
    int ranks = 0;
  };
  Count length_;
  int ranks_ = 0;
  std::vector<Run> runs_;
};

[[nodiscard]] inline Region part_of(const Region& region, const Span& span) {
  return {region.buffer, {region.span.offset + span.offset, span.count}};
}

// Out of a buffer of all ranks' blocks, one behind the other, to where `packed` begins.
inline std::vector<StepId> pack(Builder& step, const BlockRuns& runs, const Region& all,
                                const Region& packed, const After& ready = {}) {
  std::vector<StepId> copied;
  runs.for_each([&](const Span& here, const Span& there) {
    copied.push_back(step.copy(part_of(all, there), part_of(packed, here), ready));
  });
  return copied;
}

// And back to where they belong.
inline std::vector<StepId> unpack(Builder& step, const BlockRuns& runs, const Region& packed,
                                  const Region& all, const After& ready = {}) {
  std::vector<StepId> copied;
  runs.for_each([&](const Span& here, const Span& there) {
    copied.push_back(step.copy(part_of(packed, here), part_of(all, there), ready));
  });
  return copied;
}

}  // namespace stretto
