// One rank's clocks in a run in virtual time: one for each scenario.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/scenario.hpp"

namespace stretto::model {

// What a rank's part in a neighbourhood collective has come to, by scenario: linear's schedule, a
// message to each neighbour and one from each. It has ports of its own, as other collectives do.
struct Exchange {
  Collective collective{};
  bool nonblocking = false;
  std::vector<double> begun{};  // the rank's clock when it began
  std::vector<double> sent{};   // when all it sends so far was on its way
  std::vector<double> port{};   // out, when it is free again
};

// All times are in ns from the program's start.
class RankClocks {
 public:
  // Both must outlive it; `places`: where each rank of MPI_COMM_WORLD sits, by scenario.
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
  // It completed a nonblocking collective, which ends at `ends` if it went on by itself, and at
  // `free` if it cost nothing. Without overlap what it costs is paid now.
  void complete(std::span<const double> free, std::span<const double> ends);

  // A neighbourhood collective: begun, its messages sent (a block for the rank itself is copied),
  // and those of the others received. Where nonblocking collectives overlap it goes on while the
  // rank computes; otherwise what is received is paid when it is waited for.
  [[nodiscard]] Exchange exchange(Collective collective, bool nonblocking) const;
  void send(Exchange& exchange, Rank to, std::int64_t bytes, std::span<double> arrivals);
  // In the first scenario: the moments for SiteTimes::add.
  struct Waited {
    double before = 0;
    double free = 0;
  };
  Waited finish(const Exchange& exchange, std::span<const Arrived> messages);

 private:
  [[nodiscard]] MessageCost cost(std::size_t scenario, Rank other, std::int64_t bytes,
                                 double factor) const;
  // The messages' numbers, as they come in this scenario.
  const std::vector<std::size_t>& in_order(std::span<const Arrived> messages, std::size_t scenario);
  [[nodiscard]] bool goes_on(const Exchange& exchange, std::size_t scenario) const {
    return exchange.nonblocking && scenarios_[scenario].overlap;
  }

  const std::vector<Scenario>& scenarios_;
  const std::vector<std::vector<Rank>>& places_;
  std::size_t me_;
  std::vector<double> now_;
  std::vector<double> port_out_;  // when it is free again
  std::vector<double> port_in_;
  std::vector<double> last_arrival_;  // at port_in_
  std::vector<std::size_t> order_;    // of messages; kept for its memory
};

}  // namespace stretto::model
