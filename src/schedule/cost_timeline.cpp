#include <queue>
#include <set>
#include <tuple>

#include "schedule/cost.hpp"
#include "schedule/step_graph.hpp"

namespace stretto {
namespace {

class TimelineSimulation {
 public:
  TimelineSimulation(std::span<const Schedule> ranks, const Weights& weights)
      : graph_(ranks),
        weights_(weights),
        ranks_(ranks.size()),
        waits_left_(graph_.total()),
        ready_(graph_.total(), false),
        when_(graph_.total()) {
    for (GlobalStep id = 0; id < graph_.total(); ++id) waits_left_[id] = graph_.step(id).waits;
  }

  Timeline run() {
    for (GlobalStep id = 0; id < graph_.total(); ++id) {
      if (waits_left_[id] == 0) make_ready(id);
    }
    start_what_can();
    while (!running_.empty()) {
      now_ = running_.top().first;
      // All that ends now frees its port before anything takes one.
      while (!running_.empty() && running_.top().first == now_) {
        const GlobalStep id = running_.top().second;
        running_.pop();
        finish(id);
      }
      start_what_can();
    }
    return timeline();
  }

 private:
  struct Ports {
    bool sending = false;
    bool receiving = false;
    bool reducing = false;
  };
  // In the order in which ready work takes a free port.
  using Turn = std::tuple<double, StepId, Rank, GlobalStep>;

  [[nodiscard]] Ports& ports_of(GlobalStep id) {
    return ranks_[static_cast<std::size_t>(graph_.rank_of(id))];
  }

  void make_ready(GlobalStep id) {
    ready_[id] = true;
    when_[id] = {now_, now_};
    const Step& step = graph_.step(id);
    if (step.kind == StepKind::copy) {
      release_dependents(id);
      return;
    }
    if (step.kind == StepKind::reduce) {
      queue(id);
      return;
    }
    const GlobalStep mate = graph_.mate(id);
    if (ready_[mate]) queue(step.kind == StepKind::send ? id : mate);
  }

  void queue(GlobalStep id) { waiting_.insert({now_, graph_.local(id), graph_.rank_of(id), id}); }

  void start_what_can() {
    for (auto turn = waiting_.begin(); turn != waiting_.end();) {
      turn = try_to_start(std::get<GlobalStep>(*turn)) ? waiting_.erase(turn) : std::next(turn);
    }
  }

  bool try_to_start(GlobalStep id) {
    const Step& step = graph_.step(id);
    const auto elements = static_cast<double>(step.from.span.count);
    if (step.kind == StepKind::reduce) {
      if (ports_of(id).reducing) return false;
      ports_of(id).reducing = true;
      start(id, weights_.gamma * elements);
      return true;
    }
    const GlobalStep recv = graph_.mate(id);
    if (ports_of(id).sending || ports_of(recv).receiving) return false;
    ports_of(id).sending = true;
    ports_of(recv).receiving = true;
    start(id, weights_.alpha + weights_.beta * elements);
    when_[recv] = when_[id];
    return true;
  }

  void start(GlobalStep id, double duration) {
    when_[id] = {now_, now_ + duration};
    running_.emplace(now_ + duration, id);
  }

  void finish(GlobalStep id) {
    if (graph_.step(id).kind == StepKind::reduce) {
      ports_of(id).reducing = false;
      release_dependents(id);
      return;
    }
    const GlobalStep recv = graph_.mate(id);
    ports_of(id).sending = false;
    ports_of(recv).receiving = false;
    release_dependents(id);
    release_dependents(recv);
  }

  void release_dependents(GlobalStep id) {
    for (const GlobalStep dependent : graph_.dependents(id)) {
      if (--waits_left_[dependent] == 0) make_ready(dependent);
    }
  }

  [[nodiscard]] Timeline timeline() const {
    Timeline timeline{.ranks = std::vector<std::vector<Interval>>(ranks_.size()), .end = now_};
    for (GlobalStep id = 0; id < graph_.total(); ++id) {
      timeline.ranks[static_cast<std::size_t>(graph_.rank_of(id))].push_back(when_[id]);
    }
    return timeline;
  }

  using End = std::pair<double, GlobalStep>;

  StepGraph graph_;
  Weights weights_;
  double now_ = 0;
  std::vector<Ports> ranks_;
  std::vector<std::int32_t> waits_left_;
  std::vector<bool> ready_;
  std::vector<Interval> when_;
  std::set<Turn> waiting_;  // ready, for a port
  std::priority_queue<End, std::vector<End>, std::greater<>> running_;
};

}  // namespace

Timeline simulate(std::span<const Schedule> ranks, const Weights& weights) {
  return TimelineSimulation(ranks, weights).run();
}

}  // namespace stretto
