#include "schedule/verify_structure.hpp"

#include <algorithm>

#include "schedule/verify_bits.hpp"
#include "schedule/verify_meaning.hpp"

namespace stretto {
namespace {

bool reads(const Step& step) { return step.kind != StepKind::recv && step.from.span.count != 0; }
bool writes(const Step& step) { return step.kind != StepKind::send && step.to.span.count != 0; }

bool overlap(const Region& a, const Region& b) {
  return a.buffer == b.buffer && a.span.offset < b.span.end() && b.span.offset < a.span.end();
}

std::string wrong_region(const Proof& proof, Rank rank, const Region& region) {
  const bool scratch = region.buffer == Buffer::scratch;
  const Count elements =
      scratch ? proof.of(rank).scratch : extent(proof.shape, rank, region.buffer);
  if (region.span.offset >= 0 && region.span.count >= 0 && region.span.end() <= elements) return {};
  if (elements == 0 && proof.shape.count > 0 && !scratch) {
    return words("touches ", describe(region), ", but rank ", rank, " has no ",
                 name_of(region.buffer), " buffer here");
  }
  return words(describe(region), " reaches outside the ", name_of(region.buffer), " buffer of ",
               elements, elements == 1 ? " element" : " elements");
}

std::string wrong_regions(const Proof& proof, Rank rank, const Step& step) {
  if (reads(step)) {
    if (std::string wrong = wrong_region(proof, rank, step.from); !wrong.empty()) return wrong;
  }
  if (writes(step)) {
    if (std::string wrong = wrong_region(proof, rank, step.to); !wrong.empty()) return wrong;
    if (!may_write(proof.shape, rank, step.to.buffer)) {
      return words("writes ", describe(step.to), ", which is the user's and only to be read");
    }
  }
  if (step.kind == StepKind::copy || step.kind == StepKind::reduce) {
    if (step.from.span.count != step.to.span.count) {
      return words("takes ", step.from.span.count, " elements but fills ", step.to.span.count);
    }
    if (reads(step) && overlap(step.from, step.to)) return "its two regions overlap";
  }
  if (step.kind == StepKind::reduce && !reduces(proof.shape.collective)) {
    return words(name_of(proof.shape.collective), " has no operation to reduce with");
  }
  return {};
}

std::string wrong_waits(const Schedule& schedule, StepId id, const Step& step) {
  if (step.first_wait < 0 || step.waits < 0 ||
      static_cast<std::size_t>(step.first_wait) + static_cast<std::size_t>(step.waits) >
          schedule.waits.size()) {
    return "its list of waits reaches outside the schedule's";
  }
  for (const StepId wait : schedule.waits_of(step)) {
    if (wait < 0 || wait >= id) {
      return words("waits for step ", wait, ", which does not come before it");
    }
  }
  return {};
}

// Counts the messages to and from each peer to check the steps' ordinals.
class OrdinalCheck {
 public:
  explicit OrdinalCheck(int size)
      : sent_(static_cast<std::size_t>(size)), received_(static_cast<std::size_t>(size)) {}

  std::string wrong(Rank me, const Step& step) {
    if (step.kind != StepKind::send && step.kind != StepKind::recv) return {};
    auto& seen = step.kind == StepKind::send ? sent_ : received_;
    if (step.peer < 0 || static_cast<std::size_t>(step.peer) >= seen.size()) {
      return words("there is no rank ", step.peer);
    }
    if (step.peer == me) return "exchanges a message with itself";
    const std::int32_t expected = seen[static_cast<std::size_t>(step.peer)]++;
    if (step.ordinal == expected) return {};
    return words("is message ", expected, step.kind == StepKind::send ? " to" : " from", " rank ",
                 step.peer, ", but its ordinal is ", step.ordinal);
  }

 private:
  std::vector<std::int32_t> sent_;
  std::vector<std::int32_t> received_;
};

// Row b has bit a where step b starts only after step a is complete.
BitRows earlier_steps(const Schedule& schedule) {
  BitRows earlier(schedule.steps.size(), schedule.steps.size());
  for (std::size_t id = 0; id < schedule.steps.size(); ++id) {
    for (const StepId wait : schedule.waits_of(schedule.steps[id])) {
      earlier.add_row(id, static_cast<std::size_t>(wait));
      earlier.set(id, static_cast<std::size_t>(wait));
    }
  }
  return earlier;
}

struct Access {
  Region region;
  StepId step = kNoStep;
  bool writes = false;
};

std::vector<Access> accesses_by_place(const Schedule& schedule) {
  std::vector<Access> accesses;
  accesses.reserve(schedule.steps.size() * 2);
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    const auto id = static_cast<StepId>(i);
    if (reads(step)) accesses.push_back({step.from, id, false});
    if (writes(step)) accesses.push_back({step.to, id, true});
  }
  std::sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
    if (a.region.buffer != b.region.buffer) return a.region.buffer < b.region.buffer;
    if (a.region.span.offset != b.region.span.offset) {
      return a.region.span.offset < b.region.span.offset;
    }
    return a.step < b.step;
  });
  return accesses;
}

std::string race_in_words(const Schedule& schedule, const Access& early, const Access& late) {
  return words(late.writes ? "may write " : "may read ", describe(late.region), " while ",
               describe(schedule, early.step), " still ", early.writes ? "writes" : "reads",
               " it: it does not wait for that step");
}

}  // namespace

std::optional<Fault> check_structure(const Proof& proof, Rank rank) {
  const Schedule& schedule = proof.of(rank);
  if (schedule.rank != rank) {
    return proof.fault(rank, kNoStep, words("holds the schedule of rank ", schedule.rank));
  }
  OrdinalCheck ordinals(proof.shape.size);
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    const auto id = static_cast<StepId>(i);
    std::string wrong = wrong_regions(proof, rank, step);
    if (wrong.empty()) wrong = wrong_waits(schedule, id, step);
    if (wrong.empty()) wrong = ordinals.wrong(rank, step);
    if (!wrong.empty()) return proof.fault(rank, id, wrong);
  }
  return {};
}

std::optional<Fault> check_races(const Proof& proof, Rank rank) {
  const Schedule& schedule = proof.of(rank);
  const std::vector<Access> accesses = accesses_by_place(schedule);
  std::optional<BitRows> earlier;  // costs time: only where regions do overlap
  const Access* first_early = nullptr;
  const Access* first_late = nullptr;
  for (auto one = accesses.begin(); one != accesses.end(); ++one) {
    for (auto other = one + 1; other != accesses.end() && overlap(one->region, other->region);
         ++other) {
      if (!one->writes && !other->writes) continue;
      if (one->step == other->step) continue;
      const auto [early, late] =
          one->step < other->step ? std::pair(&*one, &*other) : std::pair(&*other, &*one);
      if (!earlier) earlier = earlier_steps(schedule);
      if (earlier->has(static_cast<std::size_t>(late->step),
                       static_cast<std::size_t>(early->step))) {
        continue;
      }
      if (first_late == nullptr || late->step < first_late->step) {
        first_early = early;
        first_late = late;
      }
    }
  }
  if (first_late == nullptr) return {};
  return proof.fault(rank, first_late->step, race_in_words(schedule, *first_early, *first_late));
}

}  // namespace stretto
