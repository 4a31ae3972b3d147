// The interpreter of one rank's virtual time: what it does sets its clocks, in every scenario.
//
// A live run drives it from the program's calls, a replay from a trace. It never waits: whoever
// drives it brings what the rank waits for (messages with their senders' clocks, ends of
// collectives) once that is there. Where ranks meet, see Meeting and GroupTimes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/call_site.hpp"
#include "model/rank_clocks.hpp"

namespace stretto::model {

// A collective that the rank has begun.
struct OpenCollective {
  int call_site = 0;                                   // RankTime::add_call_site
  std::int64_t bytes = 0;                              // of this rank
  std::shared_ptr<const NeighborExchange> exchange{};  // of a neighbourhood collective
};

class RankTime {
 public:
  // Both must outlive it; `places`: where each rank of MPI_COMM_WORLD is, by scenario.
  RankTime(const std::vector<Scenario>& scenarios, const std::vector<std::vector<Rank>>& places,
           Rank me)
      : me_(me), clocks_(scenarios, places, me) {}

  [[nodiscard]] std::span<const double> now() const { return clocks_.now(); }
  [[nodiscard]] double computed_ns() const { return computed_ns_; }
  // In collectives, for ranks that came later; in the first scenario.
  [[nodiscard]] double waiting_ns() const { return waiting_ns_; }

  // As RankClocks has them.
  void compute(double ns) {
    clocks_.compute(ns);
    computed_ns_ += ns;
  }
  void pass(double ns) { clocks_.pass(ns); }
  void send(Rank to, std::int64_t bytes, std::span<double> arrivals) {
    clocks_.send(to, bytes, arrivals);
  }
  void receive(std::span<const RankClocks::Arrived> messages) { clocks_.receive(messages); }
  // A probe has found the message that arrives then.
  void see(std::span<const double> arrivals) { clocks_.wait_until(arrivals); }

  // Where collectives are called: call sites are numbered from 0.
  int add_call_site() {
    call_sites_.emplace_back();
    return static_cast<int>(call_sites_.size()) - 1;
  }
  [[nodiscard]] const CallSiteTimes& at_call_site(int call_site) const {
    return call_sites_[static_cast<std::size_t>(call_site)];
  }

  // A neighbourhood collective: the rank sends `blocks`, each of which says `to` whom of
  // MPI_COMM_WORLD and how many `bytes`. Those for others are delivered: `deliver(block,
  // arrivals)`, in their order.
  template <class Blocks, class Deliver>
  void begin(OpenCollective& open, Collective collective, bool nonblocking, const Blocks& blocks,
             std::span<double> arrivals, const Deliver& deliver) {
    const auto exchange =
        std::make_shared<NeighborExchange>(clocks_.exchange(collective, nonblocking));
    open.exchange = exchange;
    for (const auto& block : blocks) {
      clocks_.send(*exchange, block.to, block.bytes, arrivals);
      if (block.to != me_) deliver(block, arrivals);
    }
  }
  // The neighbours' blocks have come.
  void finish(const OpenCollective& open, std::span<const RankClocks::Arrived> blocks) {
    waited(open, clocks_.finish(*open.exchange, blocks));
  }
  // All ranks whose data it needs have come to another collective; see RankClocks::finish.
  void finish(const OpenCollective& open, Waiting waiting, std::span<const double> free,
              std::span<const double> ends) {
    waited(open, clocks_.finish(waiting, free, ends));
  }

 private:
  void waited(const OpenCollective& open, const Waited& times) {
    call_sites_[static_cast<std::size_t>(open.call_site)].add(open.bytes, times);
    waiting_ns_ += times.waiting();
  }

  Rank me_;
  RankClocks clocks_;
  double computed_ns_ = 0;
  double waiting_ns_ = 0;
  std::vector<CallSiteTimes> call_sites_;
};

}  // namespace stretto::model
