#include "schedule/verify_messages.hpp"

namespace stretto {
namespace {

// The sends of all ranks, those from a to b together in the order of their ordinals.
class Channels {
 public:
  Channels(std::span<const Schedule> ranks, const Numbering& number)
      : size_(ranks.size()), first_(size_ * size_ + 1), sends_(number.total()) {
    for_each_send(ranks, [&](std::size_t channel, GlobalStep) { ++first_[channel + 1]; });
    for (std::size_t i = 0; i < size_ * size_; ++i) first_[i + 1] += first_[i];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_each_send(ranks,
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
  void for_each_send(std::span<const Schedule> ranks, Visit visit) const {
    GlobalStep step = 0;
    for (const Schedule& schedule : ranks) {
      for (const Step& each : schedule.steps) {
        if (each.kind == StepKind::send) visit(index(schedule.rank, each.peer), step);
        ++step;
      }
    }
  }

  std::size_t size_;
  std::vector<std::size_t> first_;
  std::vector<GlobalStep> sends_;
};

}  // namespace

Numbering::Numbering(std::span<const Schedule> ranks) {
  for (const Schedule& schedule : ranks) {
    first.push_back(rank_of.size());
    rank_of.insert(rank_of.end(), schedule.steps.size(), schedule.rank);
  }
}

std::vector<GlobalStep> match_messages(std::span<const Schedule> ranks, const Numbering& number) {
  const Channels channels(ranks, number);
  std::vector<GlobalStep> mates(number.total(), kNoMate);
  GlobalStep step = 0;
  for (const Schedule& schedule : ranks) {
    for (const Step& each : schedule.steps) {
      if (each.kind == StepKind::recv) {
        const GlobalStep send = channels.send(each.peer, schedule.rank, each.ordinal);
        mates[step] = send;
        if (send != kNoMate) mates[send] = step;
      }
      ++step;
    }
  }
  return mates;
}

std::optional<Fault> check_messages(const Proof& proof, const Numbering& number,
                                    const std::vector<GlobalStep>& mates) {
  for (GlobalStep i = 0; i < number.total(); ++i) {
    const Rank rank = number.rank_of[i];
    const StepId id = number.local(i);
    const Step& step = proof.of(rank).steps[static_cast<std::size_t>(id)];
    if (step.kind != StepKind::send && step.kind != StepKind::recv) continue;
    const bool sends = step.kind == StepKind::send;
    if (mates[i] == kNoMate) {
      return proof.fault(
          rank, id,
          words("rank ", step.peer, sends ? " never receives this message" : " never sends it",
                " (number ", step.ordinal, " from rank ", sends ? rank : step.peer, " to rank ",
                sends ? step.peer : rank, ", counting from 0)"));
    }
    if (!sends) continue;
    const StepId mate = number.local(mates[i]);
    const Step& recv = proof.of(step.peer).steps[static_cast<std::size_t>(mate)];
    if (recv.to.span.count != step.from.span.count) {
      return proof.fault(
          rank, id,
          words("sends ", step.from.span.count, " elements, but rank ", step.peer, ", ",
                describe(proof.of(step.peer), mate), ", expects ", recv.to.span.count));
    }
  }
  return {};
}

}  // namespace stretto
