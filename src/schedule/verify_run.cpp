#include "schedule/verify_run.hpp"

#include <algorithm>
#include <queue>

#include "schedule/verify_bits.hpp"
#include "schedule/verify_memory.hpp"

namespace stretto {
namespace {

class VerifyRun {
 public:
  VerifyRun(const Proof& proof, const StepGraph& graph)
      : proof_(proof),
        graph_(graph),
        memory_(proof),
        entered_(proof.shape.collective == Collective::barrier ? graph.total() : 0,
                 static_cast<std::size_t>(proof.shape.size)),
        waits_left_(graph.total()),
        turn_(graph.total(), kNoMate),
        state_(graph.total(), State::waiting),
        completed_at_(graph.total()) {
    for (GlobalStep id = 0; id < graph.total(); ++id) waits_left_[id] = graph.step(id).waits;
    order_messages();
  }

  std::optional<Fault> check() {
    for (GlobalStep step = 0; step < graph_.total(); ++step) {
      if (waits_left_[step] == 0) ready_.push(step);
    }
    while (!ready_.empty()) {
      const GlobalStep next = ready_.front();
      ready_.pop();
      if (auto fault = start(next)) return fault;
    }
    if (completed_ != graph_.total()) return deadlock();
    return proof_.shape.collective == Collective::barrier ? early_leaver() : wrong_result();
  }

 private:
  enum class State : std::uint8_t { waiting, started, complete };

  [[nodiscard]] std::string name(GlobalStep id) const {
    return words("rank ", graph_.rank_of(id), ", ",
                 describe(proof_.of(graph_.rank_of(id)), graph_.local(id)));
  }
  [[nodiscard]] Fault fault(GlobalStep id, std::string_view what) const {
    return proof_.fault(graph_.rank_of(id), graph_.local(id), what);
  }

  std::optional<Fault> start(GlobalStep id) {
    state_[id] = State::started;
    const Step& now = graph_.step(id);
    const Rank rank = graph_.rank_of(id);
    std::string wrong;
    switch (now.kind) {
      case StepKind::copy:
        wrong = memory_.move(rank, now.from, rank, now.to);
        break;
      case StepKind::reduce:
        wrong = memory_.reduce(rank, now.from, now.to);
        break;
      case StepKind::send:
      case StepKind::recv:
        return meet(id);
    }
    if (!wrong.empty()) return fault(id, wrong);
    complete(id);
    return {};
  }

  // Messages one way between two ranks are posted in the order of their ordinals, though the engine
  // allows more at most times (engine/sequence.hpp): what is free of deadlock so is so with
  // any number of tags, and with any operation before it that posts its messages in time.
  void order_messages() {
    const auto ranks = static_cast<std::size_t>(proof_.shape.size);
    std::vector<GlobalStep> last;  // of this rank, by direction and peer
    for (GlobalStep id = 0; id < graph_.total(); ++id) {
      if (graph_.local(id) == 0) last.assign(2 * ranks, kNoMate);
      const Step& step = graph_.step(id);
      if (graph_.mate(id) == kNoMate) continue;
      const std::size_t direction = step.kind == StepKind::send ? 0 : ranks;
      GlobalStep& before = last[direction + static_cast<std::size_t>(step.peer)];
      if (before != kNoMate) {
        turn_[before] = id;
        ++waits_left_[id];
      }
      before = id;
    }
  }

  // The message behind it in that order may start.
  void pass_turn(GlobalStep id) {
    const GlobalStep next = turn_[id];
    if (next != kNoMate && --waits_left_[next] == 0) ready_.push(next);
  }

  // A message moves when both its ends have started.
  std::optional<Fault> meet(GlobalStep id) {
    pass_turn(id);
    const GlobalStep mate = graph_.mate(id);
    if (state_[mate] != State::started) return {};
    const GlobalStep send = graph_.step(id).kind == StepKind::send ? id : mate;
    const GlobalStep recv = send == id ? mate : id;
    const std::string wrong = memory_.move(graph_.rank_of(send), graph_.step(send).from,
                                           graph_.rank_of(recv), graph_.step(recv).to);
    if (!wrong.empty()) return fault(send, wrong);
    complete(send);
    complete(recv);
    return {};
  }

  void complete(GlobalStep id) {
    state_[id] = State::complete;
    completed_at_[id] = ++completed_;
    if (proof_.shape.collective == Collective::barrier) note_arrivals(id);
    for (const GlobalStep dependent : graph_.dependents(id)) {
      if (--waits_left_[dependent] == 0) ready_.push(dependent);
    }
  }

  void note_arrivals(GlobalStep id) {
    entered_.set(id, static_cast<std::size_t>(graph_.rank_of(id)));
    graph_.for_each_wait(id, [&](GlobalStep wait) { entered_.add_row(id, wait); });
    // Only a receive shows the other side: a short send completes without it.
    if (graph_.step(id).kind == StepKind::recv) entered_.add_row(id, graph_.mate(id));
  }

  // The step that keeps `id` from completing: a wait that is not complete, or
  // the other end of the message.
  [[nodiscard]] GlobalStep blocker(GlobalStep id) const {
    if (state_[id] == State::started) return graph_.mate(id);
    GlobalStep blocked_by = id;
    graph_.for_each_wait(id, [&](GlobalStep wait) {
      if (blocked_by == id && state_[wait] != State::complete) blocked_by = wait;
    });
    if (blocked_by != id) return blocked_by;
    const auto before = std::ranges::find(turn_, id);
    return before == turn_.end() ? id : static_cast<GlobalStep>(before - turn_.begin());
  }

  [[nodiscard]] Fault deadlock() const {
    GlobalStep stuck = 0;
    while (state_[stuck] == State::complete) ++stuck;
    std::vector<GlobalStep> chain;
    while (std::find(chain.begin(), chain.end(), stuck) == chain.end()) {
      chain.push_back(stuck);
      stuck = blocker(stuck);
    }
    chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), stuck));
    constexpr std::size_t kShown = 6;
    std::string cycle = "deadlock: never completes, because it needs ";
    for (std::size_t i = 1; i < chain.size() && i < kShown; ++i) {
      cycle += words(name(chain[i]), ", which needs ");
    }
    if (chain.size() > kShown)
      cycle += words("(", chain.size() - kShown, " more steps), which need ");
    return fault(stuck, cycle + "this step");
  }

  [[nodiscard]] std::optional<Fault> wrong_result() const {
    for (Rank rank = 0; rank < proof_.shape.size; ++rank) {
      const Count position = memory_.wrong_output(rank);
      if (position < 0) continue;
      return proof_.fault(rank, last_writer(rank, position),
                          memory_.describe_output(rank, position));
    }
    for (Rank rank = 0; rank < proof_.shape.size; ++rank) {
      const Count position = memory_.otherwise_added(rank);
      if (position < 0) continue;
      return proof_.fault(rank, last_writer(rank, position),
                          words("recv[", position, "] is added up in another way than on others: ",
                                "their results may differ in the last bits"));
    }
    return {};
  }

  [[nodiscard]] StepId last_writer(Rank rank, Count position) const {
    StepId last = kNoStep;
    const auto& steps = proof_.of(rank).steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Region& to = steps[i].to;
      if (steps[i].kind == StepKind::send || to.buffer != Buffer::recv) continue;
      if (position < to.span.offset || position >= to.span.end()) continue;
      const auto id = static_cast<StepId>(i);
      if (last == kNoStep ||
          completed_at_[graph_.global(rank, id)] > completed_at_[graph_.global(rank, last)]) {
        last = id;
      }
    }
    return last;
  }

  [[nodiscard]] std::optional<Fault> early_leaver() const {
    for (Rank rank = 0; rank < proof_.shape.size; ++rank) {
      const auto steps = static_cast<StepId>(proof_.of(rank).steps.size());
      for (Rank other = 0; other < proof_.shape.size; ++other) {
        bool awaited = other == rank;
        for (StepId id = 0; id < steps && !awaited; ++id) {
          awaited = entered_.has(graph_.global(rank, id), static_cast<std::size_t>(other));
        }
        if (awaited) continue;
        return proof_.fault(rank, steps - 1,
                            words("rank ", rank, " can leave before rank ", other, " has entered"));
      }
    }
    return {};
  }

  const Proof& proof_;
  const StepGraph& graph_;
  Memory memory_;
  // For each step the ranks that have certainly entered the barrier when it completes.
  BitRows entered_;
  std::vector<std::int32_t> waits_left_;
  std::vector<GlobalStep> turn_;  // of a message: the one to be posted after it
  std::vector<State> state_;
  std::vector<std::size_t> completed_at_;  // 1 for the first step to complete
  std::size_t completed_ = 0;
  std::queue<GlobalStep> ready_;
};

}  // namespace

std::optional<Fault> check_run(const Proof& proof, const StepGraph& graph) {
  return VerifyRun(proof, graph).check();
}

}  // namespace stretto
