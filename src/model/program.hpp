// What all ranks do, flat: schedules as the event engine takes them.
//
// The ranks' first steps come first, then their second ones, and so on: ranks mostly get on at one
// pace, so that what happens at one time lies together in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "model/costs.hpp"
#include "model/forms.hpp"
#include "model/matching.hpp"
#include "model/outline.hpp"
#include "schedule/schedule.hpp"

namespace stretto::model {

enum class ProgramOpKind : std::uint8_t {
  send,
  recv,
  work,   // of one step
  works,  // of a bundle
};

// Works that become ready together: the nodes of an outline (see Outline) that have several steps.
struct Bundle {
  std::vector<StepId> steps{};
  std::vector<CostId> costs{};          // by step
  std::vector<std::int32_t> awaited{};  // by dependent: until so many of the steps are done
};

struct ProgramOp {
  double ready = 0;          // the latest end so far of what it waits for
  OpId first_dependent = 0;  // in Program::dependents; the next op's is the end
  OpId mate = kNoOp;         // of a send: its receive
  Rank rank = 0;
  std::int32_t waits = 0;  // for so many ops, and a receive for its message
  CostId cost = kFree;     // of works: which bundle
  ProgramOpKind kind : 3 {};
  std::uint32_t step : 29 = 0;  // the first of its schedule's
};

class Program {
 public:
  // Ranks come in order, from 0 on. `costs` must be the same for all.
  void add(const Schedule& schedule, Costs& costs);
  // To be called after the last rank; throws std::logic_error where a message has one end only.
  void finish();

  [[nodiscard]] LargeVector<ProgramOp>& ops() { return ops_; }
  [[nodiscard]] const LargeVector<OpId>& dependents() const { return dependents_; }
  [[nodiscard]] const std::vector<Bundle>& bundles() const { return bundles_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(ends_.size()); }
  [[nodiscard]] std::int64_t messages() const { return messages_; }

 private:
  using Places = LargeVector<OpId>;  // where each op goes
  struct Known {
    Outline outline{};
    std::vector<CostId> bundles{};  // by node: which was the last rank's, in bundles_
  };

  [[nodiscard]] ProgramOp& at(OpId id) { return ops_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] ProgramOp op_of(const Step& step, Rank rank, OpId id, Costs& costs);
  [[nodiscard]] CostId bundle_of(Known& known, std::size_t node, const Schedule& schedule,
                                 Costs& costs);
  [[nodiscard]] Places places_by_step() const;
  void move_to(const Places& places);
  void list_dependents(const Places& places);

  LargeVector<ProgramOp> ops_;  // rank by rank until the last one has come
  LargeVector<OpId> dependents_;
  LargeVector<OpId> waits_;  // what each op waits for, op by op; until then
  std::vector<OpId> ends_;   // of each rank's ops, until then: the next one's first
  Matching matching_;
  KnownForms<Known> known_;
  std::vector<Bundle> bundles_;
  std::int64_t messages_ = 0;
};

}  // namespace stretto::model
