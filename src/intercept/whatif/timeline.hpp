// This rank's clocks; what sets them is written down, where a trace is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "intercept/whatif/letter.hpp"
#include "intercept/whatif/sites.hpp"
#include "model/rank_clocks.hpp"
#include "trace/recorder.hpp"
#include "trace/slots.hpp"

namespace stretto::intercept::whatif {

// All but open and record only with the process's mutex held.
class Timeline {
 public:
  // Both must outlive it.
  void open(const std::vector<model::Scenario>& scenarios,
            const std::vector<std::vector<Rank>>& places, int rank);
  // From now on, to a file that is not there yet.
  void record(const std::string& path, int rank, int size, const Seat& seat);
  [[nodiscard]] bool is_recorded() const { return recorder_ != nullptr; }

  [[nodiscard]] std::span<const double> now();
  // The same of one scenario, for the program, which may look as often as it likes: in a trace
  // that changes nothing.
  [[nodiscard]] double seen(std::size_t scenario) const;

  void compute(std::int64_t ns);
  void pass(std::int64_t ns);
  void send(int to, std::int64_t bytes, std::span<double> arrivals);
  void receive(std::span<const Letter> letters);
  void see(const Letter& letter);
  // A matched probe took it: the letter as its receive will find it.
  [[nodiscard]] Letter keep(Letter letter);

  // A collective that is begun: where, and what it is. Returns the number that finish takes.
  [[nodiscard]] int begin(const SiteKey& site, const trace::Op& what);
  void finish(int begun, const Letter& ends, bool nonblocking);
  // The same where it ends as if it cost nothing.
  void meet(int begun, const Letter& ends);
  // Of a neighbourhood collective, after `begin`: its clocks, then what it sends.
  [[nodiscard]] model::Exchange exchange(const trace::Op& what) const;
  void send(model::Exchange& exchange, const trace::Block& block, std::span<double> arrivals);
  model::RankClocks::Waited finish(int begun, const model::Exchange& exchange,
                                   std::span<const Letter> letters);
  // Nobody will wait for it.
  void abandon(int begun);

  // Its index, for Comm::recorded.
  [[nodiscard]] int add(std::int64_t id, const std::vector<int>& members);
  // Nothing more is written down. Why there is no trace, where not everything could be.
  [[nodiscard]] std::optional<std::string> end_record(trace::Ending ending);

 private:
  // What was computed since goes onto the clocks, before they are looked at or set.
  void settle();
  void finished(int begun, bool nonblocking, bool meets = false);
  [[nodiscard]] int index_of(const SiteKey& site);

  const std::vector<model::Scenario>* scenarios_ = nullptr;
  std::unique_ptr<model::RankClocks> clocks_;
  std::vector<model::RankClocks::Arrived> arrived_;  // kept for its memory
  // Failed polls, of which there are more or fewer each time, do not divide it.
  std::optional<std::int64_t> computed_;
  std::unique_ptr<trace::Recorder> recorder_;
  trace::Slots kept_;
  trace::Slots begun_;
  std::map<SiteKey, int> sites_;
};

}  // namespace stretto::intercept::whatif
