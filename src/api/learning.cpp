#include "api/learning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "api/amount.hpp"
#include "api/arguments.hpp"
#include "api/scope.hpp"
#include "api/shared_blocks.hpp"
#include "base/device_memory.hpp"
#include "engine/device_job.hpp"
#include "mpi/operand_order.hpp"
#include "mpi/type_contents.hpp"
#include "selection/contenders.hpp"

namespace stretto::learning {
namespace {

// Where an element is longer not every algorithm may run every vector of a kind (is_indivisible).
constexpr Count kLongestElement = 1024;

struct Lessons {
  std::mutex mutex;  // communicators may be other threads'
  std::vector<Learned> known;
  std::vector<Learned> learned;
};

struct Asked {
  Contests::Kind kind;
  Amount amount;
};

bool may_depend_on_order(const Call& call, const Communicator& comm) {
  return reduces(call.collective) && depends_on_order(call.op, call.recvtype, comm.size);
}

// Programs broadcast texts of which the other ranks do not know how short they are, or give more
// room than a root scatters: wrong, and MPIs let it pass. Ranks that counted such calls in
// different kinds would never agree again, so nothing is learned from short ones. A call that is
// short on some ranks only is beyond help.
constexpr Count kLeastFromRoot = 4096;

bool may_differ_in_amount(Collective collective) {
  return collective == Collective::bcast || collective == Collective::scatter ||
         collective == Collective::gather;
}

// Blocks whose sizes only some ranks know, or a reduction whose result would change with the
// algorithm: programs compare such results bit for bit.
bool is_never_learned(const Call& call, const Communicator& comm) {
  return call.uneven || (comm.around.learns != Learns::all && may_depend_on_order(call, comm));
}

// Nothing where nothing is to be learned from the call, on all ranks alike.
std::optional<Asked> asked_by(const Call& call, const Communicator& comm) {
  if (is_never_learned(call, comm)) return {};
  if (check(call, comm) != MPI_SUCCESS) return {};
  const Amount amount = amount_of(call, comm);
  if (may_differ_in_amount(call.collective) && amount.bytes < kLeastFromRoot) return {};
  const bool is_empty = amount.bytes == 0 && call.collective != Collective::barrier;
  const bool is_long = reduces(call.collective) && amount.element_bytes > kLongestElement;
  if (is_empty || is_long || amount.too_large) return {};
  const auto bytes = static_cast<std::uint64_t>(amount.bytes);
  return Asked{.kind = {.collective = call.collective,
                        .size_class = static_cast<std::size_t>(std::bit_width(bytes)),
                        .commutative = !may_depend_on_order(call, comm) || is_commutative(call.op)},
               .amount = amount};
}

Learned in_general(const Contests::Kind& kind, const Communicator& comm) {
  return {.kind = kind, .ranks = comm.size, .hosts = comm.around.hosts, .winner = {}};
}

std::unique_ptr<Contest> make_contest(const Call& call, const Communicator& comm,
                                      const Asked& asked) {
  const Query query = query_of(call, comm, scope_of(call, comm), asked.amount);
  std::vector<Choice> all = contenders(query, comm.around, overrides());
  auto& [mutex, known, learned] = of_rank<Lessons>();
  const std::lock_guard lock(mutex);
  const Learned general = in_general(asked.kind, comm);
  const auto lesson =
      std::ranges::find_if(known, [&](const Learned& each) { return each.is_of_same(general); });
  // Of all calls of the kind, as no limit of selection's lies between two powers of two; but those
  // of rules that were measured, and of times, may.
  const bool first_is_native = all[0].algorithm == nullptr && all[0].basis != Basis::tuned &&
                               all[0].basis != Basis::better_elsewhere;
  auto contest = std::make_unique<Contest>(std::move(all), first_is_native);
  if (lesson == known.end()) return contest;
  std::vector<double> times_ns(contest->contenders());
  std::optional<std::size_t> winner;
  for (std::size_t i = 0; i < contest->contenders(); ++i) {
    const std::string label = label_of(contest->choice(i));
    if (label == lesson->winner) winner = i;
    for (const auto& [of, us] : lesson->times_us) {
      if (of == label) times_ns[i] = 1e3 * us;
    }
  }
  if (winner) contest->know(*winner, times_ns);
  return contest;
}

Contest* contest_of(const Call& call, Communicator& comm) {
  const std::optional<Asked> asked = asked_by(call, comm);
  if (!asked) return nullptr;
  std::unique_ptr<Contest>& contest = comm.learned->contests.of(asked->kind);
  if (contest == nullptr) contest = make_contest(call, comm, *asked);
  return contest.get();
}

// Of a call that nothing is learned from: is it the MPI's, and all that are like it?
Reason why_native(const Call& call, const Communicator& comm) {
  const bool is_blocking = call.form == Form::blocking;
  const Reason always = comm.native_unlearned[static_cast<std::size_t>(call.collective)];
  if (is_blocking && always != Reason::none) return always;
  if (call.uneven || check(call, comm) != MPI_SUCCESS) return Reason::none;
  const Choice choice = choose(query_of(call, comm, scope_of(call, comm), amount_of(call, comm)),
                               comm.around, overrides());
  return choice.algorithm == nullptr ? choice.reason : Reason::none;
}

// Neither its type nor its operation will ever mean another one.
bool is_lasting(const Call& call, const Communicator& comm) {
  if (call.collective == Collective::barrier) return true;
  const MPI_Datatype type = describing_side(call, is_root(call, comm)).type;
  return type != native().datatype_null && combiner_of(type) == MPI_COMBINER_NAMED &&
         (!reduces(call.collective) || is_predefined(call.op));
}

// Where selection has them go by shared blocks: the algorithm, and this rank's block.
std::pair<const Algorithm*, PlainBlock> by_blocks(const Call& call, const Communicator& comm) {
  if (call.form != Form::blocking || call.uneven || comm.shared_blocks == nullptr) return {};
  const Decision decision = decide(call);
  if (!shared_blocks::runs(call, decision)) return {};
  const std::optional<PlainBlock> block = shared_blocks::plain_block(call, comm);
  return block ? std::pair{decision.choice.algorithm, *block}
               : std::pair<const Algorithm*, PlainBlock>{};
}

// From now on its like are known at once; but not where its arguments may be wrong, and those of
// its like right.
void remember(const Call& call, const Communicator& comm, bool learns, Contest* contest) {
  if (!call.uneven && !is_lasting(call, comm)) return;
  const bool may_be_wrong = !learns || may_differ_in_amount(call.collective);
  const bool is_certain = contest != nullptr || is_never_learned(call, comm) ||
                          (may_be_wrong && check(call, comm) == MPI_SUCCESS);
  if (!is_certain) return;
  const auto [algorithm, block] = by_blocks(call, comm);
  comm.learned->known(call, comm.rank) = {
      .collective = call.collective,
      .form = call.form,
      .sendcount = call.sendcount,
      .recvcount = call.recvcount,
      .sendtype = call.sendtype,
      .recvtype = call.recvtype,
      .op = call.op,
      .is_root = call.root == comm.rank,
      .is_in_place = is_in_place(call),
      .uneven = call.uneven,
      .contest = contest,
      .passes = contest == nullptr ? why_native(call, comm) : Reason::none,
      .by_blocks = algorithm,
      .block = block};
}

// The most of all ranks; in a call that is blocking anyway. False where the MPI reports an error.
template <std::size_t kValues>
bool agree_on_most(std::array<double, kValues>& values, MPI_Comm comm) {
  const std::array own = values;
  return native().Allreduce(own.data(), values.data(), static_cast<int>(kValues), native().real,
                            native().op_max, comm) == MPI_SUCCESS;
}

// The ranks may not begin where one may have buffers in a GPU's memory, which are the MPI's, nor
// where their calls are not of one kind after all: then the MPI may do what the program means.
bool agree_to_begin(const Call& call, const Communicator& comm) {
  const bool objects = device_memory::has_runtime() && device_job::set() != false;
  // A rank whose call is of another kind than it seemed takes part all the same.
  const std::optional<Asked> asked = asked_by(call, comm);
  const double kind = asked ? static_cast<double>(Contests::index_of(asked->kind)) : 0;
  const double bytes = asked ? static_cast<double>(asked->amount.bytes) : 0;
  std::array<double, 5> values{objects || !asked ? 1.0 : 0.0, kind, -kind, bytes, -bytes};
  return agree_on_most(values, call.comm) && values[0] == 0 && values[1] == -values[2] &&
         values[3] == -values[4];
}

// Of so many ns all ranks get the same sum, bit for bit: they are whole numbers, and those of a
// million ranks together are below 2^53.
constexpr double kLongestSaid = 4e9;

// What a contender has taken, for all ranks the same. False where the MPI reports an error.
bool agree_on_time(double& ns, const Communicator& comm, MPI_Comm handle) {
  std::array most{ns};
  const double said = std::min(std::floor(ns), kLongestSaid);
  double sum = 0;
  if (!agree_on_most(most, handle) ||
      native().Allreduce(&said, &sum, 1, native().real, native().op_sum, handle) != MPI_SUCCESS) {
    return false;
  }
  ns = Contest::time_of(most[0], sum, comm.size);
  return true;
}

void note(const Contest& contest, Learned lesson) {
  lesson.winner = label_of(contest.choice(contest.standing()));
  for (std::size_t i = 0; i < contest.contenders(); ++i) {
    lesson.times_us.emplace_back(label_of(contest.choice(i)), contest.time(i) / 1e3);
  }
  auto& [mutex, known, learned] = of_rank<Lessons>();
  const std::lock_guard lock(mutex);
  const auto is_same = [&lesson](const Learned& each) { return each.is_of_same(lesson); };
  // What was known stays: others of a communicator to come may not have learned this.
  std::erase_if(learned, is_same);
  learned.push_back(std::move(lesson));
}

}  // namespace

Turn take_turn(const Call& call) {
  Communicator* const comm = communicators::find(call.comm);
  if (comm == nullptr || comm->is_inter() || is_neighborhood(call.collective)) return {};
  const auto collective = static_cast<std::size_t>(call.collective);
  const bool is_blocking = call.form == Form::blocking;
  const bool learns = is_blocking && comm->learns[collective];
  if (comm->learned == nullptr) comm->learned = std::make_unique<LearnedCalls>();
  const KnownCall& known = comm->learned->known(call, comm->rank);
  const bool is_known = known.is_like(call, is_in_place(call), comm->rank, comm->size);
  Contest* contest = nullptr;
  if (is_known) {
    contest = known.contest;
  } else {
    if (learns) contest = contest_of(call, *comm);
    remember(call, *comm, learns, contest);
  }
  if (contest == nullptr) {
    return {.passes = is_blocking ? comm->native_unlearned[collective] : Reason::none};
  }
  const auto [contender, is_timed] = contest->begin();
  Turn turn{.contest = is_timed ? contest : nullptr};
  if (contest->is_native(contender)) {
    turn.passes = Reason::native_faster;
  } else if (contender != 0) {
    turn.choice = &contest->choice(contender);
  } else if (is_known && known.by_blocks != nullptr) {
    turn.by_blocks = &known;
  }
  return turn;
}

void end_turn(const Call& call, const Turn& turn, std::int64_t ns) {
  Contest& contest = *turn.contest;
  if (!contest.end(static_cast<double>(ns))) return;
  const Communicator& comm = *communicators::find(call.comm);
  if (contest.is_opening()) {
    contest.open(agree_to_begin(call, comm));
    return;
  }
  double time_ns = contest.said();
  if (!agree_on_time(time_ns, comm, call.comm)) {
    contest.open(false);
  } else if (contest.agree(time_ns)) {
    const std::optional<Asked> asked = asked_by(call, comm);
    if (asked) note(contest, in_general(asked->kind, comm));
  }
}

void know(std::vector<Learned> all) {
  auto& [mutex, known, learned] = of_rank<Lessons>();
  const std::lock_guard lock(mutex);
  known = std::move(all);
}

std::vector<Learned> learned() {
  auto& [mutex, known, learned] = of_rank<Lessons>();
  const std::lock_guard lock(mutex);
  return learned;
}

std::vector<Learned> known() {
  auto& [mutex, known, learned] = of_rank<Lessons>();
  const std::lock_guard lock(mutex);
  std::vector<Learned> left;
  std::ranges::copy_if(known, std::back_inserter(left), [&](const Learned& each) {
    return std::ranges::none_of(learned,
                                [&](const Learned& anew) { return anew.is_of_same(each); });
  });
  return left;
}

}  // namespace stretto::learning
