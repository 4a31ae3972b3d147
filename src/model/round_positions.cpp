#include "model/round_positions.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "model/forms.hpp"

namespace stretto::model {
namespace {

using Ids = std::span<const StepId>;

bool has(Ids ids, StepId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

// Takes a rank's steps in the order in which they may well become ready.
class Positioning {
 public:
  explicit Positioning(const Schedule& schedule) : schedule_(schedule) {}

  RoundPositions all() {
    positions_.steps.resize(schedule_.steps.size());
    for (StepId id = 0; positions_.fit && id < static_cast<StepId>(schedule_.steps.size()); ++id) {
      if (step(id).kind == StepKind::recv) {
        held_.push_back(id);
        continue;
      }
      std::size_t awaited = held_.size();
      while (awaited > 0 && !has(waits_of(id), held_[awaited - 1])) --awaited;
      take_held(awaited);
      take(id);
    }
    take_held(held_.size());
    return std::move(positions_);
  }

 private:
  [[nodiscard]] const Step& step(StepId id) const {
    return schedule_.steps[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Ids waits_of(StepId id) const { return schedule_.waits_of(step(id)); }

  void take_held(std::size_t count) {
    const auto end = held_.begin() + static_cast<std::ptrdiff_t>(count);
    std::for_each(held_.begin(), end, [&](StepId id) { take(id); });
    held_.erase(held_.begin(), end);
  }

  void take(StepId id) {
    const StepKind kind = step(id).kind;
    if (positions_.rounds == 0 || receives_ || (sends_ && kind == StepKind::send)) begin_round();
    const StepId before = std::exchange(before_, id);
    if (joins(step(id))) positions_.fit = false;
    if (before != kNoStep && !follows(id, before)) {
      // After the send of the same round the times decide.
      const bool after_send = sends_ && step(before).kind == StepKind::send;
      if (kind != StepKind::recv || step(id).waits != 0 || !after_send) positions_.fit = false;
      positions_.overtaking.push_back(positions_.rounds - 1);
    }
    RoundPosition& position = positions_.steps[static_cast<std::size_t>(id)];
    position = {.round = positions_.rounds - 1, .after_send = sends_};
    if (kind == StepKind::send) {
      sends_ = true;
      works_ = 0;
    } else if (kind == StepKind::recv) {
      receives_ = true;
    } else {
      position.number = works_++;
    }
  }

  void begin_round() {
    ++positions_.rounds;
    works_ = 0;
    sends_ = receives_ = false;
  }

  // A step's turn cannot come before that of the one before it in that order, whatever the times.
  [[nodiscard]] bool follows(StepId id, StepId before) const {
    const Ids waits = waits_of(id);
    if (has(waits, before)) return true;
    const Ids others = waits_of(before);
    return step(before).kind != StepKind::recv &&
           std::all_of(others.begin(), others.end(), [&](StepId wait) { return has(waits, wait); });
  }

  const Schedule& schedule_;
  RoundPositions positions_;
  // Receives whose turn has not come: what does not wait for those named just before it comes
  // before them.
  std::vector<StepId> held_;
  // Of this round so far:
  std::uint32_t works_ = 0;  // since it began, or since its send
  bool sends_ = false;
  bool receives_ = false;
  StepId before_ = kNoStep;
};

}  // namespace

RoundPositions round_positions_of(const Schedule& schedule) { return Positioning(schedule).all(); }

}  // namespace stretto::model
