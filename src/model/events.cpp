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
std::uint32_t turn_of(OpId id, OpKind kind) {
  return static_cast<std::uint32_t>(id) | (kind == OpKind::recv ? kIsReceive : 0);
}
OpId id_of(std::uint32_t turn) { return static_cast<OpId>(turn & ~(kIsReceive | kIsMessage)); }

// What most simulations do without costs nothing there: the kind of machine is a parameter.
template <class Links, class Cpu>
class Run {
 public:
  Run(Program program, const Costs& costs, const std::vector<double>& arrivals, Links links,
      Cpu cpu)
      : program_(std::move(program)),
        ops_(program_.ops()),
        dependents_(program_.dependents()),
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
    const auto total = static_cast<OpId>(ops_.size()) - 1;
    for (OpId id = 0; id < total; ++id) {
      Op& op = at(id);
      op.ready = state(op).cpu;
      if (op.waits == 0) queue_.push(op.ready, turn_of(id, op.kind), op.rank);
    }
    std::int64_t events = 0;
    for (std::vector<Event> batch; queue_.pop_batch(batch); ++batches_) {
      if (order_matters(batch)) std::sort(batch.begin(), batch.end(), comes_before);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        fetch_ahead(batch, i);
        const OpId id = id_of(batch[i].what);
        if (Links::kShared && (batch[i].what & kIsMessage) != 0) {
          pass(at(id));
        } else {
          execute(id);
          ++events;
        }
      }
    }
    if (events != total) throw std::logic_error("ops wait for each other in a circle");
    Outcome outcome{.events = events};
    for (const RankState& rank : ranks_) outcome.ends.push_back(rank.end);
    return outcome;
  }

 private:
  [[nodiscard]] Op& at(OpId id) { return ops_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] RankState& state(const Op& op) { return ranks_[static_cast<std::size_t>(op.rank)]; }

  // Between ranks it matters only whose message is the first on a link: the lower rank's.
  static bool comes_before(const Event& a, const Event& b) {
    if (!Links::kShared) return a.what < b.what;
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
      const Op& op = ops_[static_cast<std::size_t>(id_of(event.what))];
      __builtin_prefetch(&ranks_[static_cast<std::size_t>(event.rank)]);
      __builtin_prefetch(dependents_.data() + op.first_dependent);
      __builtin_prefetch(&op + 1);
      if (op.kind == OpKind::send) __builtin_prefetch(&ops_[static_cast<std::size_t>(op.mate)]);
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
    return matters && !std::is_sorted(batch.begin(), batch.end(), comes_before);
  }

  void execute(OpId id) {
    const Op& op = at(id);
    RankState& rank = state(op);
    switch (op.kind) {
      case OpKind::send:
        send(id, rank);
        break;
      case OpKind::recv:
        receive(op, rank);
        break;
      case OpKind::work:
        // One that only joins others' ends needs no CPU.
        if (op.cost == kFree) {
          done(id, op.ready);
          return;
        }
        rank.cpu = cpu_.after(op.rank, std::max(op.ready, rank.cpu), works_[op.cost]);
        break;
    }
    done(id, rank.cpu);
  }

  void send(OpId id, RankState& rank) {
    Op& op = at(id);
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
  void pass(const Op& send) {
    const Costs::Message& cost = messages_[send.cost];
    arrive(send.mate, links_.arrival(send.rank, at(send.mate).rank, cost, send.ready));
  }

  void receive(const Op& op, RankState& rank) {
    const Costs::Message& cost = messages_[op.cost];
    const double start = std::max({op.ready, rank.cpu, rank.port_in});
    rank.cpu = cpu_.after(op.rank, start, cost.recv);
    rank.port_in = start + cost.gap;
  }

  void done(OpId id, double end) {
    state(at(id)).end = std::max(state(at(id)).end, end);
    const OpId last = at(id + 1).first_dependent;
    for (OpId i = at(id).first_dependent; i < last; ++i) {
      arrive(dependents_[static_cast<std::size_t>(i)], end);
    }
  }

  void arrive(OpId id, double when) {
    Op& op = at(id);
    op.ready = std::max(op.ready, when);
    if (--op.waits == 0) queue_.push(op.ready, turn_of(id, op.kind), op.rank);
  }

  Program program_;
  LargeVector<Op>& ops_;
  const LargeVector<OpId>& dependents_;
  const std::vector<Costs::Message>& messages_;
  const std::vector<double>& works_;
  Links links_;
  Cpu cpu_;
  std::vector<RankState> ranks_;
  std::vector<std::int32_t> last_batch_;  // of each rank, in which it had something to do
  EventQueue queue_;
  std::int32_t batches_ = 0;
};

template <class Links>
Outcome run_with(Links links, Program program, const Costs& costs, const Conditions& conditions) {
  const auto& arrivals = conditions.arrivals;
  if (conditions.noise.period == 0) {
    return Run(std::move(program), costs, arrivals, std::move(links), Undisturbed{}).run();
  }
  Interrupted cpu(conditions.noise, program.ranks());
  return Run(std::move(program), costs, arrivals, std::move(links), std::move(cpu)).run();
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
