// Writes GOAL schedules of what was recorded.
#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <utility>

#include "model/placing.hpp"
#include "replay/goal.hpp"
#include "replay/goal_messages.hpp"

namespace stretto::replay {
namespace {

using trace::Op;
using trace::OpKind;

std::size_t member_of(const std::vector<int>& members, int rank) {
  return static_cast<std::size_t>(std::ranges::find(members, rank) - members.begin());
}

using Labels = std::vector<std::int64_t>;

class GoalWriter {
 public:
  GoalWriter(std::ostream& text, const GoalMessages& all, const Part& part, int rank,
             const std::vector<model::Scenario>& scenarios,
             const std::vector<std::vector<Rank>>& places)
      : text_(text),
        all_(all),
        part_(part),
        rank_(rank),
        scenario_(scenarios.front()),
        places_(places.front()),
        durations_(part.trace->durations, 0) {}

  void write() {
    text_ << "\nrank " << rank_ << " {\n";
    trace::Cursor cursor(part_.trace->program);
    while (const auto next = cursor.next()) write(part_.ops[static_cast<std::size_t>(*next)]);
    text_ << "}\n";
  }

 private:
  struct OpenGoal {
    Labels begun{};  // what came before it
    Labels last{};   // what must be done where it is waited for
    GoalCallKey key{};
  };

  void write(const Op& op) {
    switch (op.kind) {
      case OpKind::compute:
        return calculate(duration() * part_.computing * scenario_.computing);
      case OpKind::pass:
        return calculate(duration());
      case OpKind::send:
        return send(op);
      case OpKind::keep:
        return taking_.keep(op);
      case OpKind::see:
        return;
      case OpKind::receive:
        return receive(op);
      case OpKind::begin:
        return begin(op);
      case OpKind::finish:
        return finish(op);
    }
  }

  double duration() { return static_cast<double>(durations_.number()); }

  std::int64_t label() {
    text_ << 'l' << ++labels_ << ": ";
    return labels_;
  }
  void wait(std::int64_t label, const Labels& for_these) {
    for (const std::int64_t each : for_these)
      text_ << 'l' << label << " requires l" << each << '\n';
  }
  std::int64_t calc(double ns, const Labels& after) {
    const std::int64_t mine = label();
    text_ << "calc " << std::llround(ns) << '\n';
    wait(mine, after);
    return mine;
  }
  // LogGOPSim takes the bytes but one: a message of none would be a very long one.
  std::int64_t message(bool is_send, std::int64_t bytes, int peer, std::int64_t tag,
                       const Labels& after) {
    const std::int64_t mine = label();
    text_ << (is_send ? "send " : "recv ") << std::max<std::int64_t>(bytes, 1) << "b "
          << (is_send ? "to " : "from ") << peer << " tag " << tag << '\n';
    wait(mine, after);
    return mine;
  }

  void calculate(double ns) {
    if (ns > 0) after_ = {calc(ns, after_)};
  }

  [[nodiscard]] std::int64_t tag(int from, int to, std::int64_t ordinal) const {
    return all_.unordered.contains({from, to}) ? kNumbered + ordinal % kNumbered : 0;
  }

  void send(const Op& op) {
    const std::int64_t ordinal = sent_[op.peer]++;
    after_ = {message(true, op.bytes, op.peer, tag(rank_, op.peer, ordinal), after_)};
  }

  void receive(const Op& op) {
    Labels all;
    for (const auto& taken : op.taken) {
      const GoalReceived each = taking_.take(taken);
      const auto sent = all_.bytes.find({each.from, rank_});
      if (sent == all_.bytes.end() ||
          static_cast<std::size_t>(each.ordinal) >= sent->second.size()) {
        throw Unmatched("rank " + std::to_string(rank_) + " waits for a message of rank " +
                        std::to_string(each.from) + " that is never sent");
      }
      const std::int64_t bytes = sent->second[static_cast<std::size_t>(each.ordinal)];
      all.push_back(message(false, bytes, each.from, tag(each.from, rank_, each.ordinal), after_));
    }
    if (!all.empty()) after_ = std::move(all);
  }

  void begin(const Op& op) {
    const GoalCallKey key = numbers_.next(part_, op);
    const GoalCall& call = all_.calls.at(key);
    OpenGoal& open = open_[op.slot] = {.begun = after_, .last = {}, .key = key};
    if (is_neighborhood(op.collective)) return begin_exchange(op, call, open);
    const auto& members = *part_.comms[static_cast<std::size_t>(op.comm)].members;
    const Schedule& schedule = schedule_of(op.comm, members, call.all);
    Labels step_labels;
    std::vector<bool> is_waited_for(schedule.steps.size());
    for (const Step& step : schedule.steps) {
      Labels waits;
      for (const StepId each : schedule.waits_of(step)) {
        waits.push_back(step_labels[static_cast<std::size_t>(each)]);
        is_waited_for[static_cast<std::size_t>(each)] = true;
      }
      step_labels.push_back(write(step, members, call.tag, waits.empty() ? after_ : waits));
    }
    for (std::size_t i = 0; i < step_labels.size(); ++i) {
      if (!is_waited_for[i]) open.last.push_back(step_labels[i]);
    }
  }

  std::int64_t write(const Step& step, const std::vector<int>& members, std::int64_t tag,
                     const Labels& after) {
    const Machine& machine = scenario_.machine;
    const auto peer = [&] { return members[static_cast<std::size_t>(step.peer)]; };
    const auto bytes = step.from.span.count;
    switch (step.kind) {
      case StepKind::send:
        return message(true, bytes, peer(), tag, after);
      case StepKind::recv:
        return message(false, step.to.span.count, peer(), tag, after);
      case StepKind::copy:
        return calc(bytes == 0 ? 0 : machine.copy + double(bytes) * machine.copy_per_byte, after);
      case StepKind::reduce:
        return calc(machine.reduce + double(bytes) * machine.reduce_per_byte, after);
    }
    return 0;
  }

  // The last is often asked for again.
  const Schedule& schedule_of(int comm, const std::vector<int>& members,
                              const model::CollectiveCall& call) {
    constexpr std::size_t kMostKnown = 64;
    if (schedules_.size() >= kMostKnown) schedules_.clear();
    const auto [found, is_new] = schedules_.try_emplace({comm, call});
    if (is_new) {
      std::vector<Rank> places;
      places.reserve(members.size());
      for (const int member : members) places.push_back(places_[static_cast<std::size_t>(member)]);
      const auto me = static_cast<Rank>(member_of(members, rank_));
      if (members.size() > 1) {
        found->second = model::CollectiveTimes(scenario_, std::move(places)).schedules(call).of(me);
      }
    }
    return found->second;
  }

  void begin_exchange(const Op& op, const GoalCall& call, OpenGoal& open) {
    for (const auto& block : op.to) {
      if (block.to != rank_) {
        after_ = {message(true, block.bytes, block.to, call.tag, after_)};
      } else if (block.bytes > 0) {
        const Machine& machine = scenario_.machine;
        calculate(machine.copy + double(block.bytes) * machine.copy_per_byte);
      }
    }
    open.last = after_;
  }

  void finish(const Op& op) {
    const auto found = open_.find(op.slot);
    if (found == open_.end()) throw Unmatched("a rank waits for a collective it has not begun");
    const OpenGoal open = std::move(found->second);
    open_.erase(found);
    Labels last = open.last;
    const GoalCall& call = all_.calls.at(open.key);
    if (const auto blocks = call.blocks.find(rank_); blocks != call.blocks.end()) {
      last.clear();
      for (const GoalCall::GoalBlock& each : blocks->second) {
        last.push_back(message(false, each.bytes, each.from, call.tag, after_));
      }
    }
    if (last.empty()) return;
    if (after_ != open.begun) last.insert(last.end(), after_.begin(), after_.end());
    std::ranges::sort(last);
    last.erase(std::ranges::unique(last).begin(), last.end());
    after_ = std::move(last);
  }

  std::ostream& text_;
  const GoalMessages& all_;
  const Part& part_;
  int rank_;
  const model::Scenario& scenario_;
  const std::vector<Rank>& places_;
  trace::Unpacker durations_;
  Labels after_;  // what the next operation waits for
  std::int64_t labels_ = 0;
  std::map<int, std::int64_t> sent_;
  GoalTaking taking_;
  GoalNumbers numbers_;
  std::map<int, OpenGoal> open_;  // by slot
  std::map<std::pair<int, model::CollectiveCall>, Schedule> schedules_;
};

}  // namespace

void write_goal(std::ostream& text, const std::vector<Part>& parts,
                const model::Scenario& scenario) {
  const GoalMessages all = goal_messages(parts);
  std::vector<Location> locations;
  locations.reserve(parts.size());
  for (const Part& part : parts) locations.push_back(part.location);
  const std::vector<model::Scenario> scenarios{scenario};
  const std::vector<std::vector<Rank>> places{model::places_of(scenario, locations)};
  text << "num_ranks " << parts.size() << '\n';
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    GoalWriter(text, all, parts[rank], static_cast<int>(rank), scenarios, places).write();
  }
}

}  // namespace stretto::replay
