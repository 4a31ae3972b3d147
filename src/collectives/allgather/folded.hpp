// Allgather by rounds of swaps between ranks, for algorithms that only work for
// some numbers of ranks: the ranks in excess hand their block to a neighbour that
// stands for both, and get the whole result from it in the end.
#pragma once

#include <span>
#include <vector>

#include "collectives/window.hpp"
#include "patterns/exchange.hpp"
#include "patterns/fold.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// Which steps brought what is here: there may be as many rounds as ranks, so that not each waits
// for all before it.
class Arrivals {
 public:
  // `blocks` from `first` on; 0: a part of one that another step brought the rest of before.
  void add(int first, int blocks, StepId step) { all_.push_back({first, blocks, step}); }

  // Each run is of whole ones of those that came, and mostly of the last.
  [[nodiscard]] After of(int first, int blocks) const {
    After steps;
    int missing = blocks;
    for (auto each = all_.rbegin(); missing > 0 && each != all_.rend(); ++each) {
      if (each->first < first || each->first >= first + blocks) continue;
      steps.add(each->step);
      missing -= each->blocks;
    }
    return steps;
  }
  [[nodiscard]] After of_all() const {
    After steps;
    for (const Arrival& each : all_) steps.add(each.step);
    return steps;
  }

 private:
  struct Arrival {
    int first, blocks;
    StepId step;
  };
  std::vector<Arrival> all_;
};

// The same where what is sent is always all that has come.
class AllArrivals {
 public:
  explicit AllArrivals(StepId own) : all_{own} {}

  void add(int /*first*/, int /*blocks*/, StepId step) { all_.push_back(step); }
  [[nodiscard]] After of(int /*first*/, int /*blocks*/) const { return after(all_); }
  [[nodiscard]] After of_all() const { return after(all_); }

 private:
  std::vector<StepId> all_;
};

// Rounds of swaps between survivors of a fold, in survivors' numbers, from which each gets all
// blocks; `round(0)` is the first. `blocks(first, number)` are so many from one on, and `here` says
// what brought those that are here. What is received in a round comes over what is in use until
// `unused(round)`.
template <class RoundAt, class Blocks, class Unused, class Here>
void swap_blocks(Builder& step, const Fold& fold, std::size_t rounds, const RoundAt& round_at,
                 const Blocks& blocks, const Unused& unused, Here& here) {
  Windows window;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Exchange round = round_at(i);
    const Rank peer = fold.rank_of(round.peer);
    After ready = here.of(round.leaving, round.blocks);
    ready.add(window.sends.before_next());
    window.sends.add(step.send(peer, blocks(round.leaving, round.blocks), ready));
    const After free = after(unused(i), window.receives.before_next());
    const StepId received = step.recv(peer, blocks(round.arriving, round.blocks), free);
    here.add(round.arriving, round.blocks, window.receives.add(received));
  }
}

// `rounds` are this rank's swaps as a survivor of `fold`, in survivors' numbers.
inline Schedule folded_allgather(const Shape& shape, Rank me, const Fold& fold,
                                 std::span<const Exchange> rounds) {
  Builder step(shape, me);
  const Count n = shape.count;
  const Region own = step.input({0, n});
  const Span all{0, shape.size * n};
  if (!fold.survives()) {
    const StepId sent = step.send(fold.partner(), own);
    step.recv(fold.partner(), step.output(all), after(sent));
    return step.finish();
  }

  // What survivors stand for lies together, in their order.
  const auto blocks = [&](int first, int number) {
    const int rank = fold.first_rank_of(first);
    return step.output({rank * n, (fold.first_rank_of(first + number) - rank) * n});
  };
  Arrivals here;
  here.add(fold.number(), 1, step.copy(own, step.output({me * n, n})));
  if (fold.has_partner()) {
    const Region theirs = step.output({fold.partner() * n, n});
    here.add(fold.number(), 0, step.recv(fold.partner(), theirs));
  }
  const auto at_once = [](std::size_t) { return kNoStep; };
  swap_blocks(
      step, fold, rounds.size(), [&](std::size_t i) { return rounds[i]; }, blocks, at_once, here);
  if (fold.has_partner()) step.send(fold.partner(), step.output(all), here.of_all());
  return step.finish();
}

}  // namespace stretto
