// This rank's virtual time; what sets its clocks is written down, where a trace is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "intercept/shared/python.hpp"
#include "intercept/whatif/clock_message.hpp"
#include "model/rank_time.hpp"
#include "trace/recorder.hpp"
#include "trace/slots.hpp"

namespace stretto::intercept::whatif {

// All calls of one function at one place on communicators of one size.
struct CallSiteKey {
  const char* function = nullptr;
  void* caller = nullptr;            // nullptr where there is a line
  const PythonLine* line = nullptr;  // of the Python program that the call is for
  int size = 0;

  friend auto operator<=>(const CallSiteKey&, const CallSiteKey&) = default;
};

// A collective that was begun.
struct OpenCall : model::OpenCollective {
  int slot = 0;  // in the trace
};

// All but open and record only with the process's mutex held.
class VirtualTime {
 public:
  // Both must outlive it.
  void open(const std::vector<model::Scenario>& scenarios,
            const std::vector<std::vector<Rank>>& places, int rank);
  // From now on, to a file that is not there yet.
  void record(const std::string& path, int rank, int size, const Location& location);
  [[nodiscard]] bool is_recorded() const { return recorder_ != nullptr; }

  [[nodiscard]] std::span<const double> now();
  // The same of one scenario, for the program, which may read its clock as often as it likes: in a
  // trace that changes nothing.
  [[nodiscard]] double seen(std::size_t scenario) const;
  [[nodiscard]] double computed_ns();

  void compute(std::int64_t ns);
  void pass(std::int64_t ns);
  void send(int to, std::int64_t bytes, std::span<double> arrivals);
  void receive(std::span<const ClockMessage> messages);
  void see(const ClockMessage& message);
  // A matched probe took it: as its receive will find it.
  [[nodiscard]] ClockMessage keep(ClockMessage message);

  // A collective begins: where, and what it is.
  [[nodiscard]] OpenCall begin(const CallSiteKey& call_site, const trace::Op& what);
  void finish(const OpenCall& open, model::Waiting waiting, const ClockMessage& ends);
  // Of neighbours, after `begin`: sends; see RankTime.
  template <class Deliver>
  void exchange(OpenCall& open, const trace::Op& what, std::span<double> arrivals,
                const Deliver& deliver) {
    time_->begin(open, what.collective, what.nonblocking, what.to, arrivals, deliver);
  }
  void finish(const OpenCall& open, std::span<const ClockMessage> blocks);
  // Nobody will wait for it.
  void abandon(const OpenCall& open);
  using CallSites = std::vector<std::pair<model::CallSite, model::CallSiteTimes>>;
  [[nodiscard]] CallSites call_sites() const;

  // Its index, for ClockedComm::recorded.
  [[nodiscard]] int add(std::int64_t id, const std::vector<int>& members);
  // Nothing more is written down. Why there is no trace, where not everything could be.
  [[nodiscard]] std::optional<std::string> end_record(trace::Ending ending);

 private:
  // What was computed since goes onto the clocks, before they are read or set.
  void settle();
  void finished(const OpenCall& open, model::Waiting waiting);
  [[nodiscard]] int index_of(const CallSiteKey& call_site);

  const std::vector<model::Scenario>* scenarios_ = nullptr;
  std::unique_ptr<model::RankTime> time_;
  std::vector<model::RankClocks::Arrived> arrived_;  // kept for its memory
  // Failed polls, of which there are more or fewer each time, do not divide it.
  std::optional<std::int64_t> computed_;
  std::unique_ptr<trace::Recorder> recorder_;
  trace::Slots kept_;
  trace::Slots begun_;
  std::map<CallSiteKey, int> call_sites_;
};

}  // namespace stretto::intercept::whatif
