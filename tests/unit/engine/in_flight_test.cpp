// Several operations in flight on one communicator, on a network that matches as an MPI does: in
// the order in which sends and receives of one tag were posted. Ranks begin the operations in one
// order, each when it pleases; steps run in any order their waits allow. No message may be
// taken for another, and everything must end, however few tags there are.

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "collectives/algorithm.hpp"
#include "engine/tags.hpp"
#include "schedule/verify.hpp"

namespace stretto {
namespace {

struct Outcome {
  bool mistaken = false;  // a message was taken for another
  bool ended = false;
};

class Job {
 public:
  // `waits`: a message waits for its turn, as it does in the engine; without it tags just wrap.
  Job(unsigned seed, int ranks, int width, bool waits)
      : random_(seed),
        waits_(waits),
        width_(static_cast<std::uint64_t>(width)),
        tags_(static_cast<std::size_t>(ranks), TagRange(0, width)),
        begun_(static_cast<std::size_t>(ranks)) {
    const int operations = 2 + static_cast<int>(random_() % 4);
    for (int i = 0; i < operations; ++i) operations_.push_back(any_operation(ranks));
  }

  Outcome run() {
    for (;;) {
      std::vector<Action> possible = actions();
      if (possible.empty()) break;
      act(possible[random_() % possible.size()]);
      if (outcome_.mistaken) return outcome_;
    }
    outcome_.ended = true;
    for (const Operation& operation : operations_) {
      for (const Local& local : operation.locals) {
        for (const State state : local.state) outcome_.ended &= state == State::complete;
      }
    }
    return outcome_;
  }

 private:
  enum class State : std::uint8_t { waiting, posted, complete };
  struct Local {
    std::vector<State> state;
    std::map<std::pair<StepKind, Rank>, std::uint64_t> first;  // numbers, once begun
  };
  struct Operation {
    std::vector<Schedule> schedules;
    std::vector<Local> locals;
  };
  struct Message {
    std::size_t operation = 0;
    Rank rank = 0;
    StepId step = 0;
    int ordinal = 0;
  };
  struct Queue {
    std::deque<Message> sends;
    std::deque<Message> receives;
  };
  struct Action {
    enum class What : std::uint8_t { begin, step, complete } what = What::begin;
    Rank rank = 0;
    std::size_t operation = 0;
    StepId step = 0;
  };

  Operation any_operation(int ranks) {
    const auto all = algorithms();
    const Algorithm* algorithm = nullptr;
    do {
      algorithm = all[random_() % all.size()];
    } while (algorithm->two_groups || is_neighborhood(algorithm->collective));
    Shape shape{.collective = algorithm->collective, .size = ranks};
    shape.count = algorithm->collective == Collective::barrier ? 0 : 1 + random_() % 9;
    shape.segment = algorithm->uses_segment ? 1 + random_() % 3 : 0;
    shape.radix = 2 + static_cast<int>(random_() % 3);
    shape.root = is_rooted(shape.collective) ? static_cast<Rank>(random_()) & 0x7fff : 0;
    shape.root %= ranks;
    Operation operation{build_all(algorithm->build, shape), {}};
    for (const Schedule& schedule : operation.schedules) {
      operation.locals.push_back({std::vector<State>(schedule.steps.size()), {}});
    }
    return operation;
  }

  Local& local(std::size_t operation, Rank rank) {
    return operations_[operation].locals[static_cast<std::size_t>(rank)];
  }
  const Schedule& schedule(std::size_t operation, Rank rank) {
    return operations_[operation].schedules[static_cast<std::size_t>(rank)];
  }
  Sequence& sequence(Rank rank, const Step& step) {
    TagRange& tags = tags_[static_cast<std::size_t>(rank)];
    return step.kind == StepKind::send ? tags.to(step.peer) : tags.from(step.peer);
  }
  static bool is_message(const Step& step) {
    return step.kind == StepKind::send || step.kind == StepKind::recv;
  }
  std::uint64_t number(std::size_t operation, Rank rank, const Step& step) {
    return local(operation, rank).first.at({step.kind, step.peer}) +
           static_cast<std::uint64_t>(step.ordinal);
  }

  bool may_run(std::size_t operation, Rank rank, StepId id) {
    const Schedule& steps = schedule(operation, rank);
    const Step& step = steps.steps[static_cast<std::size_t>(id)];
    for (const StepId wait : steps.waits_of(step)) {
      if (local(operation, rank).state[static_cast<std::size_t>(wait)] != State::complete) {
        return false;
      }
    }
    return !is_message(step) || !waits_ ||
           sequence(rank, step).may_post(number(operation, rank, step), width_);
  }

  std::vector<Action> actions() {
    std::vector<Action> possible;
    for (Rank rank = 0; rank < static_cast<Rank>(begun_.size()); ++rank) {
      const std::size_t begun = begun_[static_cast<std::size_t>(rank)];
      // The straggler is the last rank: it has its turn one time in forty.
      const bool late = rank + 1 == static_cast<Rank>(begun_.size()) && random_() % 40 != 0;
      if (begun < operations_.size() && (!late || idle_ > 200)) {
        possible.push_back({Action::What::begin, rank, begun, 0});
      }
      for (std::size_t operation = 0; operation < begun; ++operation) {
        const auto& states = local(operation, rank).state;
        for (StepId id = 0; id < static_cast<StepId>(states.size()); ++id) {
          if (states[static_cast<std::size_t>(id)] != State::waiting) continue;
          if (may_run(operation, rank, id)) {
            possible.push_back({Action::What::step, rank, operation, id});
          }
        }
      }
    }
    for (const Message& done : arrived_) {
      possible.push_back({Action::What::complete, done.rank, done.operation, done.step});
    }
    idle_ = possible.empty() ? idle_ + 1 : 0;
    if (possible.empty() && idle_ < 300 && any_to_begin()) return actions();
    return possible;
  }

  bool any_to_begin() const {
    for (const std::size_t begun : begun_) {
      if (begun < operations_.size()) return true;
    }
    return false;
  }

  void act(const Action& action) {
    switch (action.what) {
      case Action::What::begin:
        return begin(action.rank);
      case Action::What::step:
        return start(action);
      case Action::What::complete:
        break;
    }
    std::erase_if(arrived_, [&](const Message& message) {
      return message.rank == action.rank && message.operation == action.operation &&
             message.step == action.step;
    });
    local(action.operation, action.rank).state[static_cast<std::size_t>(action.step)] =
        State::complete;
  }

  void begin(Rank rank) {
    const std::size_t operation = begun_[static_cast<std::size_t>(rank)]++;
    std::map<std::pair<StepKind, Rank>, std::uint64_t> messages;
    for (const Step& step : schedule(operation, rank).steps) {
      if (is_message(step)) ++messages[{step.kind, step.peer}];
    }
    for (const auto& [course, count] : messages) {
      const Step step{.kind = course.first, .peer = course.second};
      local(operation, rank).first[course] = sequence(rank, step).take(count);
    }
  }

  void start(const Action& action) {
    const Step& step =
        schedule(action.operation, action.rank).steps[static_cast<std::size_t>(action.step)];
    State& state =
        local(action.operation, action.rank).state[static_cast<std::size_t>(action.step)];
    if (!is_message(step)) {
      state = State::complete;
      return;
    }
    state = State::posted;
    const std::uint64_t mine = number(action.operation, action.rank, step);
    sequence(action.rank, step).post(mine);
    const int tag = tags_[static_cast<std::size_t>(action.rank)].tag(mine);
    const bool sends = step.kind == StepKind::send;
    const auto ends = sends ? std::pair(action.rank, step.peer) : std::pair(step.peer, action.rank);
    Queue& queue = network_[{ends.first, ends.second, tag}];
    (sends ? queue.sends : queue.receives)
        .push_back({action.operation, action.rank, action.step, step.ordinal});
    while (!queue.sends.empty() && !queue.receives.empty()) {
      const Message sent = queue.sends.front();
      const Message received = queue.receives.front();
      queue.sends.pop_front();
      queue.receives.pop_front();
      outcome_.mistaken |= sent.operation != received.operation || sent.ordinal != received.ordinal;
      arrived_.push_back(sent);
      arrived_.push_back(received);
    }
  }

  std::mt19937 random_;
  bool waits_;
  std::uint64_t width_;
  std::vector<TagRange> tags_;
  std::vector<std::size_t> begun_;  // operations, by rank
  std::vector<Operation> operations_;
  std::map<std::tuple<Rank, Rank, int>, Queue> network_;
  std::vector<Message> arrived_;
  int idle_ = 0;
  Outcome outcome_;
};

constexpr unsigned kJobs = 400;

TEST(InFlight, NoMessageIsTakenForAnotherAndAllEndHoweverFewTags) {
  for (unsigned seed = 0; seed < kJobs; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 5);
    const int width = 1 << (seed % 3);
    const Outcome outcome = Job(seed, ranks, width, true).run();
    ASSERT_FALSE(outcome.mistaken) << "seed " << seed;
    ASSERT_TRUE(outcome.ended) << "seed " << seed;
  }
}

// The test of the test: without turns tags come round while they are in use.
TEST(InFlight, TagsThatJustWrapAreFound) {
  unsigned mistaken = 0;
  for (unsigned seed = 0; seed < kJobs; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 5);
    const int width = 1 << (seed % 3);
    if (Job(seed, ranks, width, false).run().mistaken) ++mistaken;
  }
  EXPECT_GT(mistaken, kJobs / 20);
}

}  // namespace
}  // namespace stretto
