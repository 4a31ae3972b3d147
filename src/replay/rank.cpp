#include "replay/rank.hpp"

#include <algorithm>

namespace stretto::replay {

using trace::Op;
using trace::OpKind;
using trace::Taken;

constexpr std::int64_t kMostUnderWay = 50'000'000;  // a hundred bytes each, or more

void World::count() {
  if (++under_way_ > kMostUnderWay) throw Unmatched("more messages are under way than fit");
}

void World::send(int to, Message message) {
  count();
  RankReplay& receiver = *ranks_[static_cast<std::size_t>(to)];
  const int from = message.from;
  receiver.came_[from].push_back(std::move(message));
  wake(to);
}

void World::send(int to, const Key& collective, Message message) {
  count();
  ranks_[static_cast<std::size_t>(to)]->exchanged_[collective].push_back(std::move(message));
  wake(to);
}

void World::wake(int rank) {
  RankReplay& sleeper = *ranks_[static_cast<std::size_t>(rank)];
  if (sleeper.is_ready_ || sleeper.is_done_) return;
  sleeper.is_ready_ = true;
  ready_.push_back(rank);
}

RankReplay::RankReplay(const Part& part, int rank, const std::vector<model::Scenario>& scenarios,
                       const std::vector<std::vector<Rank>>& places, Groups& groups)
    : part_(part),
      rank_(rank),
      clocks_(scenarios, places, rank),
      arrivals_(scenarios.size()),
      cursor_(part.trace->program),
      durations_(part.trace->durations, 0) {
  for (const PartComm& comm : part.comms) {
    Group& group = groups.of(comm);
    comms_.push_back({.group = &group, .member = group.member(rank)});
  }
  result_.sites.resize(part.trace->sites.size());
}

void RankReplay::run(World& world) {
  while (!is_done_) {
    if (waiting_ == nullptr) {
      const auto next = cursor_.next();
      if (!next) {
        is_done_ = true;
        return;
      }
      waiting_ = &part_.ops[static_cast<std::size_t>(*next)];
    }
    if (!perform(*waiting_, world)) {
      is_ready_ = false;
      return;
    }
    waiting_ = nullptr;
  }
}

bool RankReplay::perform(const Op& op, World& world) {
  switch (op.kind) {
    case OpKind::compute: {
      const double ns = duration() * part_.computing;
      clocks_.compute(ns);
      result_.computed_ns += ns;
      return true;
    }
    case OpKind::pass:
      clocks_.pass(duration());
      return true;
    case OpKind::send:
      clocks_.send(op.peer, op.bytes, arrivals_);
      world.send(op.peer, {.from = rank_, .bytes = op.bytes, .times = arrivals_});
      return true;
    case OpKind::receive:
      return receive(op, world);
    case OpKind::see:
    case OpKind::keep:
      return probe(op, world);
    case OpKind::begin:
      begin(op, world);
      return true;
    case OpKind::finish:
      return finish(op, world);
  }
  return true;
}

double RankReplay::duration() { return static_cast<double>(durations_.number()); }

Message* RankReplay::find(const Taken& taken) {
  if (taken.from == trace::kKept) {
    const auto kept = kept_.find(taken.position);
    if (kept == kept_.end()) fail("receives a message that no probe has kept");
    return &kept->second;
  }
  auto& came = came_[taken.from];
  const auto position = static_cast<std::size_t>(taken.position);
  return position < came.size() ? &came[position] : nullptr;
}

Message RankReplay::take(const Taken& taken) {
  Message message = std::move(*find(taken));
  if (taken.from == trace::kKept) {
    kept_.erase(taken.position);
  } else {
    auto& came = came_[taken.from];
    came.erase(came.begin() + taken.position);
  }
  return message;
}

bool RankReplay::receive(const Op& op, World& world) {
  // Those it has already stay with it while it waits for the others.
  while (taken_.size() < op.taken.size()) {
    const Taken& next = op.taken[taken_.size()];
    if (find(next) == nullptr) return false;
    taken_.push_back(take(next));
    if (next.from != trace::kKept) world.took();
  }
  std::vector<model::RankClocks::Arrived> arrived;
  arrived.reserve(taken_.size());
  for (const Message& each : taken_) {
    arrived.push_back({.from = each.from, .bytes = each.bytes, .times = each.times.data()});
  }
  clocks_.receive(arrived);
  taken_.clear();
  return true;
}

bool RankReplay::probe(const Op& op, World& world) {
  const Message* message = find(op.taken.front());
  if (message == nullptr) return false;
  clocks_.wait_until(message->times);
  if (op.kind == OpKind::see) return true;
  if (!kept_.emplace(op.slot, take(op.taken.front())).second) {
    fail("keeps two messages in one place");
  }
  world.took();
  return true;
}

void RankReplay::begin(const Op& op, World& world) {
  Membership& comm = comms_[static_cast<std::size_t>(op.comm)];
  // A request may have been freed: who comes next in its place is another.
  Open& open = open_[op.slot];
  open = {.group = comm.group,
          .member = comm.member,
          .number = trace::number_of(op.series, comm.begun[op.series]++),
          .bytes = op.bytes,
          .site = op.site};
  if (is_neighborhood(op.collective)) return begin_exchange(op, open, world);
  const model::CollectiveCall call{.collective = op.collective,
                                   .bytes = op.bytes,
                                   .root = op.root,
                                   .commutative = op.commutative,
                                   .uneven = op.uneven,
                                   .cold = op.cold};
  if (!comm.group->arrive(comm.member, open.number, call, clocks_.now())) return;
  for (const int member : *comm.group->members()) world.wake(member);
}

void RankReplay::begin_exchange(const Op& op, Open& open, World& world) {
  open.exchange = clocks_.exchange(op.collective, op.nonblocking);
  open.from = static_cast<std::size_t>(op.from);
  for (const trace::Block& block : op.to) {
    clocks_.send(*open.exchange, block.to, block.bytes, arrivals_);
    if (block.to == rank_) continue;
    world.send(block.to, open.key(),
               {.from = rank_,
                .bytes = block.bytes,
                .times = arrivals_,
                .begun = open.exchange->begun[0],
                .collective = op.collective});
  }
}

bool RankReplay::finish_exchange(const Open& open, const model::Exchange& exchange, World& world) {
  const auto came = exchanged_.find(open.key());
  const std::size_t count = came == exchanged_.end() ? 0 : came->second.size();
  if (count < open.from) return false;
  std::vector<Message> messages;
  if (count > 0) messages = std::move(exchanged_.extract(came).mapped());
  // As in the run, whoever was quicker there or is here.
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.from < b.from; });
  std::vector<model::RankClocks::Arrived> arrived;
  for (const Message& each : messages) {
    if (each.collective != exchange.collective) {
      throw Unmatched("ranks of a communicator are in different collectives");
    }
    arrived.push_back({each.from, each.bytes, each.times.data(), each.begun});
    world.took();
  }
  const auto waited = clocks_.finish(exchange, arrived);
  result_.sites[static_cast<std::size_t>(open.site)].add(open.bytes, waited.before, waited.free,
                                                         clocks_.now()[0]);
  return true;
}

bool RankReplay::finish(const Op& op, World& world) {
  const auto open = open_.find(op.slot);
  if (open == open_.end()) fail("waits for a collective that it has not begun");
  const Open& what = open->second;
  if (what.exchange) {
    const bool is_over = finish_exchange(what, *what.exchange, world);
    if (is_over) open_.erase(open);
    return is_over;
  }
  const auto answer = what.group->take(what.member, what.number);
  if (!answer) return false;
  const double before = clocks_.now()[0];
  if (op.meets) {
    clocks_.wait_until(answer->free);
  } else if (op.nonblocking) {
    clocks_.complete(answer->free, answer->ends);
  } else {
    clocks_.wait_until(answer->ends);
  }
  result_.sites[static_cast<std::size_t>(what.site)].add(what.bytes, before, answer->free[0],
                                                         clocks_.now()[0]);
  open_.erase(open);
  return true;
}

void RankReplay::require_end() const {
  if (is_done_) return;
  switch (waiting_->kind) {
    case OpKind::finish:
      fail("waits in a collective to which not all ranks come");
    case OpKind::receive: {
      const Taken& next = waiting_->taken[taken_.size()];
      fail("waits for a message of rank " + std::to_string(next.from) + " that is never sent");
    }
    default:
      fail("waits for a message that is never sent");
  }
}

void RankReplay::fail(const std::string& what) const {
  throw Unmatched("rank " + std::to_string(rank_) + " " + what);
}

Replayed RankReplay::result() const {
  Replayed result = result_;
  result.ends.assign(clocks_.now().begin(), clocks_.now().end());
  for (const auto& [sender, messages] : came_) result.left += messages.size();
  for (const auto& [collective, messages] : exchanged_) result.left += messages.size();
  return result;
}

}  // namespace stretto::replay
