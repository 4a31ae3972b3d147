#include "plan.hpp"

#include <algorithm>
#include <iterator>

#include "plan_kinds.hpp"
#include "types.hpp"

namespace differential {
namespace {

struct Comm {
  Id id = kWorld;
  bool inter = false;
  bool topology = false;
};

// What is there as a sequence is drawn.
struct State {
  std::vector<Comm> comms{{.id = kWorld}, {.id = kWorld}, {.id = kSelf}};
  struct Persistent {
    Id id;
    Id comm;
  };
  std::vector<Persistent> persistent;
};

template <class T>
const T& any_of(Random& random, const std::vector<T>& items) {
  return items[static_cast<std::size_t>(random.below(static_cast<int>(items.size())))];
}

constexpr int kCounts[] = {0, 1, 1, 2, 3, 3, 7, 7, 16, 64, 64, 300, 1000, 5000};
constexpr int kLongCount = 40000;  // several segments, and past every eager limit

Arguments draw_arguments(Random& random, const Comm& comm) {
  Arguments arguments;
  const bool neighbor = comm.topology && random.one_in(2);
  do {
    arguments.collective = static_cast<Collective>(random.below(kCollectives));
  } while (traits(arguments.collective).neighbor != neighbor ||
           (comm.inter && !traits(arguments.collective).inter));
  arguments.root = random.below(60);
  arguments.count = kCounts[random.below(std::size(kCounts))];
  if (random.one_in(40)) arguments.count = kLongCount;
  arguments.type = random.below(kTypes);
  arguments.op = random.below(kReductions);
  arguments.in_place = random.one_in(3) && traits(arguments.collective).in_place && !comm.inter;
  arguments.frees_early = random.one_in(4);
  return arguments;
}

void draw_making(Random& random, State& state, Action& action) {
  const Comm parent = any_of(random, state.comms);
  action.kind = Kind::make_comm;
  action.comm = parent.id;
  if (parent.inter) {
    action.making = random.one_in(2) ? Making::dup : Making::merge;
  } else {
    do {
      action.making = static_cast<Making>(random.below(12));
    } while (action.making == Making::merge);
  }
  const bool copy = action.making == Making::dup;
  const bool topology = action.making >= Making::cart || (copy && parent.topology);
  const bool inter = action.making == Making::intercomm || (copy && parent.inter);
  state.comms.push_back({.id = action.id, .inter = inter, .topology = topology});
  // Those made by the sequence are what is particular: they get most of the calls.
  state.comms.push_back(state.comms.back());
}

bool draw_free_comm(Random& random, State& state, Action& action) {
  const Comm freed = any_of(random, state.comms);
  // A persistent request needs its communicator for as long as it is there.
  const bool used = std::any_of(state.persistent.begin(), state.persistent.end(),
                                [&](const auto& one) { return one.comm == freed.id; });
  if (freed.id < 0 || used) return false;
  action.kind = Kind::free_comm;
  action.comm = freed.id;
  std::erase_if(state.comms, [&](const Comm& comm) { return comm.id == freed.id; });
  return true;
}

bool draw_persistent(Random& random, State& state, Action& action) {
  if (state.persistent.empty()) return false;
  if (random.one_in(6)) {
    action.kind = Kind::free_request;
    action.requests = {any_of(random, state.persistent).id};
    std::erase_if(state.persistent,
                  [&](const auto& one) { return one.id == action.requests.front(); });
    return true;
  }
  action.kind = Kind::restart;
  for (const auto& one : state.persistent) {
    if (!random.one_in(3)) action.requests.push_back(one.id);
  }
  return !action.requests.empty();
}

void draw_call(Random& random, State& state, Action& action, int choice) {
  const Comm comm = any_of(random, state.comms);
  action.comm = comm.id;
  action.arguments = draw_arguments(random, comm);
  action.kind = choice < 45 ? Kind::call : choice < 85 ? Kind::start : Kind::init;
  // The MPI alone runs those of intercommunicators blocking, too (see Executor).
  const bool blocking = action.kind == Kind::call || comm.inter;
  // Open MPI 4.1 chooses how by counts of the receive type times the size of the send type:
  // ranks that name the same data by different types choose differently, and hang.
  // On intercommunicators its MPI_Gatherv and MPI_Scatterv multiply all counts with one rank's
  // type, and MPICH 5.0's MPI_Gather chooses by a rank's own: it hangs, truncates or loses data.
  const bool allgatherv = action.arguments.collective == Collective::allgatherv;
  action.arguments.alike = blocking && (allgatherv || comm.inter);
  // The tree of its MPI_Gather copies elements that interleave with others' as if they did not;
  // those of several ranks, gathered in one type for an intercommunicator, may overlap.
  Arguments& with = action.arguments;
  const bool even = !traits(with.collective).uneven && !traits(with.collective).neighbor;
  if (blocking && (even || comm.inter) && is_interleaved(with.type)) with.type = kGapped;
  spare_long_structs(with);
  if (action.kind == Kind::init) state.persistent.push_back({.id = action.id, .comm = comm.id});
}

Action draw_action(Random random, State& state, Id id) {
  Action action;
  action.id = id;
  action.seed = random.next();
  if (random.one_in(6)) {
    action.late_rank = random.below(60);
    action.late_us = 50 + random.below(1500);
    action.late_computes = random.one_in(2);
  }
  const int choice = random.below(100);
  if (choice < 12 || (id < 2 && choice < 60)) {
    draw_making(random, state, action);
  } else if (choice < 16 && draw_free_comm(random, state, action)) {
  } else if (choice < 30) {
    action.kind = Kind::complete;
  } else if (choice < 44 && draw_persistent(random, state, action)) {
  } else {
    draw_call(random, state, action, random.below(100));
  }
  return action;
}

// Leaves out what was not kept, and what rests on it.
void leave_out(std::vector<Action>& actions, const std::set<Id>& keep) {
  std::set<Id> made{kWorld, kSelf};
  const auto missing = [&](Id id) { return !made.contains(id); };
  std::erase_if(actions, [&](Action& action) {
    std::erase_if(action.requests, missing);
    const bool about_requests = action.kind == Kind::restart || action.kind == Kind::free_request;
    if (!keep.contains(action.id) || missing(action.comm)) return true;
    if (about_requests && action.requests.empty()) return true;
    if (action.kind == Kind::make_comm || action.kind == Kind::init) made.insert(action.id);
    return false;
  });
}

// Nobody waits for a flood that does not come, nor is called back who did not stay away.
void pair_up(std::vector<Action>& actions) {
  const auto late = [&](Kind kind) {
    return std::any_of(actions.begin(), actions.end(), [kind](const Action& action) {
      return action.kind == kind && action.late_rank >= 0;
    });
  };
  const bool paired = late(Kind::straggle) && late(Kind::flood);
  for (Action& action : actions) {
    const bool either = action.kind == Kind::straggle || action.kind == Kind::flood;
    if (either && !paired) action.late_rank = -1;
  }
}

std::vector<Action> draw_mixed(Seed seed, int index) {
  const int length = 4 + Random{seed, as_seed(index)}.below(16);
  State state;
  std::vector<Action> actions;
  for (Id id = 0; id < length; ++id) {
    actions.push_back(draw_action(Random{seed, as_seed(index), as_seed(id)}, state, id));
  }
  return actions;
}

}  // namespace

std::vector<Action> draw_sequence(Seed seed, int index, const Simpler& simpler) {
  auto kind = draw_kind(seed, index, simpler.most_communicators);
  std::vector<Action> actions = kind ? std::move(*kind) : draw_mixed(seed, index);
  if (simpler.keep) leave_out(actions, *simpler.keep);
  for (Action& action : actions) {
    action.arguments.count = std::min(action.arguments.count, simpler.most_count);
    if (simpler.plain) action.arguments.type = action.arguments.op = 0;
    if (simpler.prompt) action.late_rank = -1;
  }
  pair_up(actions);
  return actions;
}

}  // namespace differential
