#include "schedule/step_graph.hpp"

namespace stretto {
namespace {

// The sends of all ranks, those from a to b together in the order they are written.
class Channels {
 public:
  explicit Channels(const StepGraph& graph)
      : size_(static_cast<std::size_t>(graph.ranks())),
        first_(size_ * size_ + 1),
        sends_(graph.total()) {
    for_each_send(graph, [&](std::size_t channel, GlobalStep) { ++first_[channel + 1]; });
    for (std::size_t i = 0; i < size_ * size_; ++i) first_[i + 1] += first_[i];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_each_send(graph,
                  [&](std::size_t channel, GlobalStep step) { sends_[next[channel]++] = step; });
  }

  [[nodiscard]] GlobalStep send(Rank from, Rank to, std::int32_t ordinal) const {
    const std::size_t channel = index(from, to);
    const std::size_t slot = first_[channel] + static_cast<std::size_t>(ordinal);
    return slot < first_[channel + 1] ? sends_[slot] : kNoMate;
  }

 private:
  [[nodiscard]] std::size_t index(Rank from, Rank to) const {
    return static_cast<std::size_t>(from) * size_ + static_cast<std::size_t>(to);
  }
  template <class Visit>
  void for_each_send(const StepGraph& graph, Visit visit) const {
    for (GlobalStep id = 0; id < graph.total(); ++id) {
      const Step& step = graph.step(id);
      if (step.kind == StepKind::send) visit(index(graph.rank_of(id), step.peer), id);
    }
  }

  std::size_t size_;
  std::vector<std::size_t> first_;
  std::vector<GlobalStep> sends_;
};

}  // namespace

StepGraph::StepGraph(std::span<const Schedule> ranks) : ranks_(ranks) {
  for (const Schedule& schedule : ranks) {
    first_.push_back(rank_of_.size());
    rank_of_.insert(rank_of_.end(), schedule.steps.size(), schedule.rank);
  }
  match_messages();
  list_dependents();
}

void StepGraph::match_messages() {
  const Channels channels(*this);
  mates_.assign(total(), kNoMate);
  for (GlobalStep id = 0; id < total(); ++id) {
    const Step& recv = step(id);
    if (recv.kind != StepKind::recv) continue;
    const GlobalStep send = channels.send(recv.peer, rank_of(id), recv.ordinal);
    mates_[id] = send;
    if (send != kNoMate) mates_[send] = id;
  }
}

void StepGraph::list_dependents() {
  first_dependent_.assign(total() + 1, 0);
  for (GlobalStep id = 0; id < total(); ++id) {
    for_each_wait(id, [&](GlobalStep wait) { ++first_dependent_[wait + 1]; });
  }
  for (GlobalStep id = 0; id < total(); ++id) first_dependent_[id + 1] += first_dependent_[id];
  dependents_.resize(first_dependent_.back());
  std::vector<std::size_t> next(first_dependent_.begin(), first_dependent_.end() - 1);
  for (GlobalStep id = 0; id < total(); ++id) {
    for_each_wait(id, [&](GlobalStep wait) { dependents_[next[wait]++] = id; });
  }
}

}  // namespace stretto
