#include "model/events.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "model/contention.hpp"
#include "model/event_queue.hpp"
#include "model/interruptions.hpp"

namespace stretto::model {
namespace {

// When a rank can do its next thing.
struct RankState {
  double cpu = 0;
  double port_out = 0;
  double port_in = 0;
  double end = 0;
};

// Orders what is ready at one time: receives come after all else, then by id.
constexpr std::uint32_t kIsReceive = std::uint32_t{1} << 31;
// No op, but the message of one, a send that its rank's CPU or port kept waiting: it takes its
// turn on the links only now.
constexpr std::uint32_t kIsMessage = std::uint32_t{1} << 30;
std::uint32_t turn_of(OpId id, ProgramOpKind kind) {
  return static_cast<std::uint32_t>(id) | (kind == ProgramOpKind::recv ? kIsReceive : 0);
}
OpId id_of(std::uint32_t turn) { return static_cast<OpId>(turn & ~(kIsReceive | kIsMessage)); }

// What most simulations do without costs nothing there: the kind of machine is a parameter.
template <class Links, class Cpu>
class EventRun {
 public:
  EventRun(Program program, const Costs& costs, const std::vector<double>& arrivals, Links links,
           Cpu cpu)
      : program_(std::move(program)),
        ops_(program_.ops()),
        dependents_(program_.dependents()),
        bundles_(program_.bundles()),
        messages_(costs.messages()),
        works_(costs.works()),
        links_(std::move(links)),
        cpu_(std::move(cpu)),
        ranks_(arrivals.size()),
        last_batch_(arrivals.size(), -1) {
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
      const double at = arrivals[rank];
      ranks_[rank].cpu = ranks_[rank].end = at;
    }
  }

  Outcome run() {
    by_rank_ = Links::kShared || !bundles_.empty();
    const auto total = static_cast<OpId>(ops_.size()) - 1;
    for (OpId id = 0; id < total; ++id) {
      ProgramOp& op = at(id);
      op.ready = state(op).cpu;
      if (op.waits == 0) queue_.push(op.ready, turn_of(id, op.kind), op.rank);
    }
    for (std::vector<Event> batch; queue_.pop_batch(batch); ++batches_) {
      if (order_matters(batch)) {
        std::sort(batch.begin(), batch.end(),
                  [&](const Event& a, const Event& b) { return comes_before(a, b); });
      }
      for (std::size_t i = 0; i < batch.size();) {
        fetch_ahead(batch, i);
        const std::size_t end = end_of_works(batch, i);
        if (end > i + 1) {
          work_in_turn(batch, i, end);
        } else {
          take(batch[i]);
        }
        i = end;
      }
    }
    if (done_ != total) throw Circle("ops wait for each other in a circle");
    Outcome outcome{.events = events_};
    for (const RankState& rank : ranks_) outcome.ends.push_back(rank.end);
    return outcome;
  }

 private:
  [[nodiscard]] ProgramOp& at(OpId id) { return ops_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] RankState& state(const ProgramOp& op) {
    return ranks_[static_cast<std::size_t>(op.rank)];
  }

  // Between ranks it matters only whose message is the first on a link: the lower rank's.
  [[nodiscard]] bool comes_before(const Event& a, const Event& b) const {
    if (!by_rank_) return a.what < b.what;
    return std::tuple(a.what & kIsReceive, a.rank, a.what) <
           std::tuple(b.what & kIsReceive, b.rank, b.what);
  }

  // The ops of a batch lie anywhere in memory, which is slow to answer but can be asked early.
  void fetch_ahead(const std::vector<Event>& batch, std::size_t i) const {
    constexpr std::size_t kAhead = 12;
    if (i + 2 * kAhead < batch.size()) {
      __builtin_prefetch(&ops_[static_cast<std::size_t>(id_of(batch[i + 2 * kAhead].what))]);
    }
    if (i + kAhead < batch.size()) {
      const Event& event = batch[i + kAhead];
      const ProgramOp& op = ops_[static_cast<std::size_t>(id_of(event.what))];
      __builtin_prefetch(&ranks_[static_cast<std::size_t>(event.rank)]);
      __builtin_prefetch(dependents_.data() + op.first_dependent);
      __builtin_prefetch(&op + 1);
      if (op.kind == ProgramOpKind::send)
        __builtin_prefetch(&ops_[static_cast<std::size_t>(op.mate)]);
    }
  }

  // Ranks that have one thing each to do at one time do not notice who comes first.
  bool order_matters(const std::vector<Event>& batch) {
    bool matters = Links::kShared;
    for (const Event& event : batch) {
      std::int32_t& last = last_batch_[static_cast<std::size_t>(event.rank)];
      matters = matters || last == batches_;
      last = batches_;
    }
    return matters &&
           !std::is_sorted(batch.begin(), batch.end(),
                           [&](const Event& a, const Event& b) { return comes_before(a, b); });
  }

  void take(const Event& event) {
    const OpId id = id_of(event.what);
    if (Links::kShared && (event.what & kIsMessage) != 0) {
      pass(at(id));
    } else {
      execute(id);
    }
  }

  // Of what one rank can do at this time, sorted, the works of bundles and what lies between them:
  // those of them that stand together in the batch.
  [[nodiscard]] std::size_t end_of_works(const std::vector<Event>& batch, std::size_t begin) {
    if (bundles_.empty()) return begin + 1;
    std::size_t end = begin;
    bool has_bundle = false;
    const auto belongs = [&](const Event& event) {
      return event.rank == batch[begin].rank && (event.what & (kIsReceive | kIsMessage)) == 0;
    };
    for (; end < batch.size() && belongs(batch[end]); ++end) {
      has_bundle = has_bundle || at(id_of(batch[end].what)).kind == ProgramOpKind::works;
    }
    return has_bundle && end > begin + 1 ? end : begin + 1;
  }

  // A bundle's works give way to what its schedule names between them.
  void work_in_turn(const std::vector<Event>& batch, std::size_t begin, std::size_t end) {
    struct Turn {
      StepId step;
      std::size_t of;      // in the batch
      std::size_t member;  // of a bundle
    };
    std::vector<Turn> turns;
    for (std::size_t i = begin; i < end; ++i) {
      const ProgramOp& op = at(id_of(batch[i].what));
      if (op.kind != ProgramOpKind::works) {
        turns.push_back({static_cast<StepId>(op.step), i, 0});
        continue;
      }
      const auto& steps = bundles_[op.cost].steps;
      for (std::size_t member = 0; member < steps.size(); ++member) {
        turns.push_back({steps[member], i, member});
      }
    }
    std::sort(turns.begin(), turns.end(),
              [](const Turn& a, const Turn& b) { return a.step < b.step; });
    std::vector<std::vector<double>> ends(end - begin);
    for (const Turn& turn : turns) {
      const OpId id = id_of(batch[turn.of].what);
      const ProgramOp& op = at(id);
      if (op.kind != ProgramOpKind::works) {
        execute(id);
      } else {
        ends[turn.of - begin].push_back(work(op, bundles_[op.cost].costs[turn.member]));
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      const OpId id = id_of(batch[i].what);
      if (at(id).kind == ProgramOpKind::works) done(id, ends[i - begin]);
    }
  }

  // A bundle's, one after the other; fills in member_ends_.
  void work_all(const ProgramOp& op, RankState& rank) {
    const std::vector<CostId>& costs = bundles_[op.cost].costs;
    member_ends_.resize(costs.size());
    double cpu = std::max(op.ready, rank.cpu);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      member_ends_[i] = cpu = cpu_.after(op.rank, cpu, works_[costs[i]]);
    }
    rank.cpu = cpu;
  }

  // Returns when it is over.
  double work(const ProgramOp& op, CostId cost) {
    double& cpu = state(op).cpu;
    return cpu = cpu_.after(op.rank, std::max(op.ready, cpu), works_[cost]);
  }

  void execute(OpId id) {
    const ProgramOp& op = at(id);
    RankState& rank = state(op);
    const ProgramOpKind kind = op.kind;
    switch (kind) {
      case ProgramOpKind::send:
        send(id, rank);
        break;
      case ProgramOpKind::recv:
        receive(op, rank);
        break;
      case ProgramOpKind::work:
        // One that only joins others' ends needs no CPU.
        if (op.cost == kFree) {
          done(id, op.ready);
          return;
        }
        work(op, op.cost);
        break;
      case ProgramOpKind::works:
        work_all(op, rank);
        done(id, member_ends_);
        return;
    }
    done(id, rank.cpu);
  }

  void send(OpId id, RankState& rank) {
    ProgramOp& op = at(id);
    const Costs::Message& cost = messages_[op.cost];
    const double start = std::max({op.ready, rank.cpu, rank.port_out});
    const bool waited = start > op.ready;
    rank.cpu = cpu_.after(op.rank, start, cost.send);
    rank.port_out = start + cost.gap;
    op.ready = rank.cpu;
    if (Links::kShared && waited) {
      queue_.push(start, static_cast<std::uint32_t>(id) | kIsMessage, op.rank);
    } else {
      pass(op);
    }
  }

  // The message has left its rank when the send is over.
  void pass(const ProgramOp& send) {
    const Costs::Message& cost = messages_[send.cost];
    arrive(send.mate, links_.arrival(send.rank, at(send.mate).rank, cost, send.ready));
  }

  void receive(const ProgramOp& op, RankState& rank) {
    const Costs::Message& cost = messages_[op.cost];
    const double start = std::max({op.ready, rank.cpu, rank.port_in});
    rank.cpu = cpu_.after(op.rank, start, cost.recv);
    rank.port_in = start + cost.gap;
  }

  // A bundle, whose steps ended then.
  void done(OpId id, const std::vector<double>& ends) {
    const ProgramOp& op = at(id);
    ++done_;
    events_ += std::ssize(ends);
    state(op).end = std::max(state(op).end, ends.back());
    OpId dependent = op.first_dependent;
    for (const std::int32_t awaited : bundles_[op.cost].awaited) {
      arrive(dependents_[static_cast<std::size_t>(dependent++)],
             ends[static_cast<std::size_t>(awaited - 1)]);
    }
  }

  void done(OpId id, double end) {
    ++done_;
    ++events_;
    state(at(id)).end = std::max(state(at(id)).end, end);
    const OpId last = at(id + 1).first_dependent;
    for (OpId i = at(id).first_dependent; i < last; ++i) {
      arrive(dependents_[static_cast<std::size_t>(i)], end);
    }
  }

  void arrive(OpId id, double when) {
    ProgramOp& op = at(id);
    op.ready = std::max(op.ready, when);
    if (--op.waits == 0) queue_.push(op.ready, turn_of(id, op.kind), op.rank);
  }

  Program program_;
  LargeVector<ProgramOp>& ops_;
  const LargeVector<OpId>& dependents_;
  const std::vector<Bundle>& bundles_;
  const std::vector<Costs::Message>& messages_;
  const std::vector<double>& works_;
  Links links_;
  Cpu cpu_;
  std::vector<RankState> ranks_;
  std::vector<std::int32_t> last_batch_;  // of each rank, in which it had something to do
  EventQueue queue_;
  std::int32_t batches_ = 0;
  bool by_rank_ = false;             // what each rank has to do stands together in a sorted batch
  std::vector<double> member_ends_;  // of a bundle
  OpId done_ = 0;                    // ops
  std::int64_t events_ = 0;
};

template <class Links>
Outcome run_with(Links links, Program program, const Costs& costs, const Conditions& conditions) {
  const auto& arrivals = conditions.arrivals;
  if (conditions.noise.period == 0) {
    return EventRun(std::move(program), costs, arrivals, std::move(links), Undisturbed{}).run();
  }
  Interrupted cpu(conditions.noise, program.ranks());
  return EventRun(std::move(program), costs, arrivals, std::move(links), std::move(cpu)).run();
}

}  // namespace

Outcome run_events(Program program, const Costs& costs, const Machine& machine,
                   const Conditions& conditions) {
  const std::int64_t messages = program.messages();
  const int ranks = program.ranks();
  Outcome outcome =
      machine.has_contention(ranks)
          ? run_with(SharedLinks(machine, ranks), std::move(program), costs, conditions)
          : run_with(FreeLinks{}, std::move(program), costs, conditions);
  outcome.messages = messages;
  return outcome;
}

}  // namespace stretto::model
