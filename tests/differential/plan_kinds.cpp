#include "plan_kinds.hpp"

#include <algorithm>
#include <iterator>

#include "types.hpp"

namespace differential {
namespace {

// One in so many; what is dear is rare.
constexpr int kShortFloods = 10;
constexpr int kLongFloods = 100;
constexpr int kCrowds = 50;

// A tag of 15 bits comes again after so many messages between two ranks. A short flood is as
// long as a window of a few bits (STRETTO_TAG_BITS).
constexpr int kRound = 1 << 15;
constexpr int kShortFlood = 400;

class Draft {
 public:
  Draft(Seed seed, int index) : seed_(seed), index_(index) {}

  Action& add(Kind kind) {
    Action action;
    action.id = static_cast<Id>(actions_.size());
    action.kind = kind;
    action.seed = Random{seed_, as_seed(index_), as_seed(action.id)}.next();
    actions_.push_back(std::move(action));
    return actions_.back();
  }
  std::vector<Action> done() { return std::move(actions_); }

 private:
  Seed seed_;
  int index_;
  std::vector<Action> actions_;
};

// What none of the MPIs gets wrong nonblocking (see Executor), for it must not block here.
Arguments draw_pending(Random& random) {
  constexpr Collective kChosen[] = {
      Collective::barrier,        Collective::bcast,     Collective::reduce,
      Collective::allreduce,      Collective::allreduce, Collective::allreduce,
      Collective::gather,         Collective::scatter,   Collective::allgather,
      Collective::alltoall,       Collective::alltoall,  Collective::reduce_scatter_block,
      Collective::reduce_scatter, Collective::scan,      Collective::exscan};
  constexpr int kReduced[] = {1, 7, 64, 300, 1000, 5000, 24576};
  Arguments arguments;
  arguments.collective = kChosen[random.below(std::size(kChosen))];
  arguments.root = random.below(60);
  arguments.count = kReduced[random.below(std::size(kReduced))];
  arguments.type = random.below(kTypes);
  arguments.op = random.below(kReductions);
  arguments.frees_early = random.one_in(4);
  spare_long_structs(arguments);
  return arguments;
}

// Operations that wait for a late rank, while others overtake them that do not.
std::vector<Action> draw_flood(Random random, Draft draft, bool is_long) {
  Id comm = kWorld;
  if (random.one_in(2)) {
    Action& made = draft.add(Kind::make_comm);
    made.making = random.one_in(2) ? Making::dup : Making::split_reversed;
    comm = made.id;
  }
  const int late_rank = random.below(60);
  Action& straggle = draft.add(Kind::straggle);
  straggle.comm = comm;
  straggle.late_rank = late_rank;
  straggle.late_computes = random.one_in(2);
  for (int pending = 1 + random.below(4); pending > 0; --pending) {
    Action& start = draft.add(Kind::start);
    start.comm = comm;
    start.arguments = draw_pending(random);
  }
  Action& flood = draft.add(Kind::flood);
  flood.comm = comm;
  flood.late_rank = late_rank;
  flood.arguments.root = random.below(60);
  flood.many = is_long ? kRound + random.below(600) : 40 + random.below(kShortFlood);
  draft.add(Kind::complete);
  return draft.done();
}

std::vector<Action> draw_crowd(Random random, Draft draft, int most) {
  Action& crowd = draft.add(Kind::crowd);
  // Mostly few: as many as there can be take their time.
  crowd.many = random.one_in(4) ? most : 1 + random.below(std::min(most, 200));
  return draft.done();
}

}  // namespace

void spare_long_structs(Arguments& arguments) {
  constexpr int kFew = 400;
  const bool is_faulty = arguments.collective == Collective::gather && arguments.type == kMixed;
  if (is_faulty && arguments.count > kFew) arguments.type = kGapped;
}

std::optional<std::vector<Action>> draw_kind(Seed seed, int index, int most_communicators) {
  constexpr Seed kPurpose = 77;
  const Random random{seed, as_seed(index), kPurpose};
  const Draft draft(seed, index);
  const int turn = index % kLongFloods;
  if (turn == 3) return draw_flood(random, draft, true);
  if (turn % kShortFloods == 7) return draw_flood(random, draft, false);
  if (turn % kCrowds == 9) return draw_crowd(random, draft, most_communicators);
  return {};
}

}  // namespace differential
