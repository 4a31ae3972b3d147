// One rank's clocks in a run in virtual time: one for each scenario.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/scenario.hpp"

namespace stretto::model {

// LogGP's port of a rank, in or out: from one message to the next it is busy for the gap.
class Port {
 public:
  // A message that is ready then passes it; when it begins to.
  double pass(double ready, double gap) {
    const double start = std::max(ready, free_);
    free_ = start + gap;
    return start;
  }

 private:
  double free_ = 0;
};

// What a rank's part in a neighbourhood collective has come to, by scenario: a message to each
// neighbour and one from each. It has ports of its own, as other collectives do.
struct NeighborExchange {
  Collective collective{};
  bool nonblocking = false;
  std::vector<double> begun{};  // the rank's clock when it began
  std::vector<double> sent{};   // when all it sends so far was on its way
  std::vector<Port> out{};
};

// How a rank waits for a collective that others come to as well.
enum class Waiting : std::uint8_t {
  blocking,
  nonblocking,  // it computed since it began
  meeting,      // until the last one has come: nobody models what follows
};

// What it waited for, in the first scenario: since `before`, until `after`; and until `free` had it
// cost nothing.
struct Waited {
  double before = 0;
  double free = 0;
  double after = 0;

  // For ranks that came later.
  [[nodiscard]] double waiting() const { return std::max(free - before, 0.0); }
};

// All times are in ns from the program's start.
class RankClocks {
 public:
  // Both must outlive it; `places`: where each rank of MPI_COMM_WORLD is, by scenario.
  RankClocks(const std::vector<Scenario>& scenarios, const std::vector<std::vector<Rank>>& places,
             Rank me);

  [[nodiscard]] std::span<const double> now() const { return now_; }

  // The program computed for so long.
  void compute(double ns);
  // So long passed in real time, whatever the scenario.
  void pass(double ns);
  // It sent a message: fills in when its last byte arrives, for each scenario.
  void send(Rank to, std::int64_t bytes, std::span<double> arrivals);
  // It has waited for all of these messages together: received one after the other as they come.
  struct Arrived {
    Rank from = 0;
    std::int64_t bytes = 0;
    const double* times = nullptr;  // by scenario
    double begun = 0;               // of an exchange: its sender's clock then, in the first one
  };
  void receive(std::span<const Arrived> messages);
  // Where a clock shows less than `ends`, it is set.
  void wait_until(std::span<const double> ends);
  // It has waited for a collective, which ends at `ends`, and at `free` if it cost nothing. Without
  // overlap what a nonblocking one costs is paid now.
  Waited finish(Waiting waiting, std::span<const double> free, std::span<const double> ends);

  // A neighbourhood collective: begun, its messages sent (a block for the rank itself is copied),
  // and those of the others received. Where nonblocking collectives overlap it goes on while the
  // rank computes; otherwise what is received is paid when it is waited for.
  [[nodiscard]] NeighborExchange exchange(Collective collective, bool nonblocking) const;
  void send(NeighborExchange& exchange, Rank to, std::int64_t bytes, std::span<double> arrivals);
  Waited finish(const NeighborExchange& exchange, std::span<const Arrived> messages);

 private:
  [[nodiscard]] MessageCost cost(std::size_t scenario, Rank other, std::int64_t bytes,
                                 double factor) const;
  struct Coming {
    double there = 0;    // when it can be received
    double arrival = 0;  // when it could be if nobody had to answer it
    MessageCost cost;
  };
  // The messages as they come in this scenario to a rank that waits for them since then; of a
  // collective, if one is named.
  const std::vector<Coming>& in_order(std::span<const Arrived> messages, std::size_t scenario,
                                      double waits_since, std::optional<Collective> collective);
  void keep_little();  // of that memory
  [[nodiscard]] bool goes_on(const NeighborExchange& exchange, std::size_t scenario) const {
    return exchange.nonblocking && scenarios_[scenario].overlap;
  }

  const std::vector<Scenario>& scenarios_;
  const std::vector<std::vector<Rank>>& places_;
  std::size_t me_;
  std::vector<double> now_;
  std::vector<Port> out_;
  std::vector<Port> in_;
  std::vector<double> last_arrival_;  // at in_
  // Kept for its memory, but no more: a replay has the clocks of all ranks in one process.
  static constexpr std::size_t kKept = 64;
  std::vector<Coming> coming_;
};

}  // namespace stretto::model
