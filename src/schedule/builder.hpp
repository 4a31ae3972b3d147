// Writes a schedule step by step; what every algorithm file is written with.
//
//   Builder step(shape, me);
//   const StepId got = step.recv(parent, step.output({0, n}));
//   step.send(child, step.output({0, n}), after(got));
//   return step.finish();
//
// Steps without elements are not emitted: a data step of zero elements stands
// for its dependencies, so an algorithm needs no `if (count > 0)`. (Messages that
// carry no data on purpose, as in a barrier, are `signal` and `await`.)
//
// What one algorithm does among all ranks another one may do among some of them: the steps are
// written by a function of a builder, the number of ranks and this rank's own number, called
// within `among`.
//
// Building is most of what simulating a million ranks takes. What is forced inline here leaves
// regions and ids in registers, where nothing has to be written and read again to be passed on.
#pragma once

#include <algorithm>

#include "schedule/after.hpp"
#include "schedule/ordinals.hpp"
#include "schedule/schedule.hpp"
#include "topology/rank_map.hpp"

namespace stretto {

class Builder {
 public:
  Builder(const Shape& shape, Rank me);

  // This rank's own data: the send buffer, or where MPI_IN_PLACE says it lies in
  // the receive buffer (gather, allgather: this rank's own block; otherwise at
  // the same offset). Bcast has one buffer, the receive buffer; it is the root's
  // input, so the root never writes it. In a scatter in place the root still sends
  // from the send buffer and has no receive buffer: its own block stays.
  [[nodiscard]] Region input(Span span) const {
    return {own_data_, {span.offset + own_offset_, span.count}};
  }
  // The receive buffer.
  [[nodiscard]] Region output(Span span) const { return {Buffer::recv, span}; }
  // Scratch space; grows to hold whatever is named.
  [[nodiscard]] Region scratch(Span span) {
    schedule_.scratch = std::max(schedule_.scratch, span.end());
    return {Buffer::scratch, span};
  }

  // What `write()` writes is among some of the ranks: peers are their numbers there.
  template <class Write>
  auto among(const RankMap& ranks, const Write& write) {
    const Part part(*this, ranks);
    return write();
  }

  [[gnu::always_inline]] StepId send(Rank peer, const Region& from, const After& after = {}) {
    if (from.span.count == 0) return join(after);
    set(message(StepKind::send, peer, sent_, after).from, from);
    return last();
  }
  [[gnu::always_inline]] StepId recv(Rank peer, const Region& to, const After& after = {}) {
    if (to.span.count == 0) return join(after);
    set(message(StepKind::recv, peer, received_, after).to, to);
    return last();
  }
  // Elided where from == to.
  StepId copy(const Region& from, const Region& to, const After& after = {}) {
    if (from.span.count == 0 || from == to) return join(after);
    return work(StepKind::copy, from, to, after);
  }
  // to = from op to
  [[gnu::always_inline]] StepId reduce(const Region& from, const Region& to,
                                       const After& after = {}) {
    if (from.span.count == 0) return join(after);
    return work(StepKind::reduce, from, to, after);
  }
  // A message of no elements, and its receive.
  StepId signal(Rank peer, const After& after = {});
  StepId await(Rank peer, const After& after = {});
  // One id that stands for all of `after` (none: kNoStep).
  StepId join(const After& after);
  // The id of the next step, and one id that stands for all from `first` on.
  [[nodiscard]] StepId next() const { return steps_; }
  StepId join_from(StepId first);

  [[nodiscard]] Schedule finish();

 private:
  // Some of the ranks, as long as steps among them are written.
  class Part {
   public:
    Part(Builder& step, const RankMap& ranks) : step_(step), ranks_(ranks), outer_(step.part_) {
      step.part_ = this;
    }
    ~Part() { step_.part_ = outer_; }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    // In numbers of all ranks.
    [[nodiscard]] Rank rank_of(Rank number) const {
      const Rank rank = ranks_[number];
      return outer_ == nullptr ? rank : outer_->rank_of(rank);
    }

   private:
    Builder& step_;
    RankMap ranks_;
    const Part* outer_;
  };

  // A step without peer and regions so far.
  [[gnu::always_inline]] Step& add(StepKind kind, const After& after) {
    const auto first_wait = static_cast<std::int32_t>(schedule_.waits.size());
    after.append_to(schedule_.waits);
    Step& step = schedule_.steps.emplace_back();
    step.kind = kind;
    step.first_wait = first_wait;
    step.waits = static_cast<std::int32_t>(after.size());
    ++steps_;
    return step;
  }
  [[gnu::always_inline]] Step& message(StepKind kind, Rank peer, Ordinals& ordinals,
                                       const After& after) {
    Step& step = add(kind, after);
    step.peer = rank_of(peer);
    step.ordinal = ordinals.next(step.peer);
    return step;
  }
  [[gnu::always_inline]] StepId work(StepKind kind, const Region& from, const Region& to,
                                     const After& after) {
    Step& step = add(kind, after);
    set(step.from, from);
    set(step.to, to);
    return last();
  }
  // One by one: copied as a whole, a region that was just written would be read before its parts
  // have left the processor's store queue, which waits for them.
  static void set(Region& region, const Region& value) {
    region.buffer = value.buffer;
    region.span.offset = value.span.offset;
    region.span.count = value.span.count;
  }
  [[nodiscard]] StepId last() const { return steps_ - 1; }
  [[nodiscard]] Rank rank_of(Rank peer) const { return part_ == nullptr ? peer : mapped(peer); }
  [[gnu::cold]] [[nodiscard]] Rank mapped(Rank peer) const;

  Schedule schedule_;
  StepId steps_ = 0;
  const Part* part_ = nullptr;  // the innermost; none: all ranks
  Buffer own_data_;
  Count own_offset_ = 0;
  Ordinals sent_;      // messages so far to each peer
  Ordinals received_;  // and from each
};

}  // namespace stretto
