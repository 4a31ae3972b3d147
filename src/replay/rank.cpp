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
  const int from = message.sender;
  receiver.came_[from].push_back(std::move(message));
  wake(to);
}

void World::send(int to, const OpenCollectiveKey& collective, Message message) {
  count();
  ranks_[static_cast<std::size_t>(to)]->exchanged_.add(collective, std::move(message));
  wake(to);
}

void World::wake(int rank) {
  RankReplay& sleeper = *ranks_[static_cast<std::size_t>(rank)];
  if (sleeper.is_ready_ || sleeper.is_done_) return;
  sleeper.is_ready_ = true;
  ready_.push_back(rank);
}

RankReplay::RankReplay(const Part& part, int rank, const std::vector<model::Scenario>& scenarios,
                       const std::vector<std::vector<Rank>>& places, ReplayedGroups& groups)
    : part_(part),
      rank_(rank),
      time_(scenarios, places, rank),
      arrivals_(scenarios.size()),
      cursor_(part.trace->program),
      durations_(part.trace->durations, 0) {
  for (const PartComm& comm : part.comms) comms_.push_back({.group = &groups.of(comm)});
  for (std::size_t i = 0; i < part.trace->call_sites.size(); ++i)
    static_cast<void>(time_.add_call_site());
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
    const double before = time_.now().front();
    const double waited = time_.waiting_ns();
    if (!perform(*waiting_, world)) {
      is_ready_ = false;
      return;
    }
    if (sections_ != nullptr) {
      sections_->did(*waiting_, time_.now().front() - before, time_.waiting_ns() - waited);
    }
    waiting_ = nullptr;
  }
}

bool RankReplay::perform(const Op& op, World& world) {
  switch (op.kind) {
    case OpKind::compute:
      time_.compute(duration() * part_.computing);
      return true;
    case OpKind::pass:
      time_.pass(duration());
      return true;
    case OpKind::send:
      time_.send(op.peer, op.bytes, arrivals_);
      world.send(op.peer, {.sender = rank_, .bytes = op.bytes, .times = arrivals_});
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
    arrived.push_back({.from = each.sender, .bytes = each.bytes, .times = each.times.data()});
  }
  time_.receive(arrived);
  taken_.clear();
  return true;
}

bool RankReplay::probe(const Op& op, World& world) {
  const Message* message = find(op.taken.front());
  if (message == nullptr) return false;
  time_.see(message->times);
  if (op.kind == OpKind::see) return true;
  if (!kept_.emplace(op.slot, take(op.taken.front())).second) {
    fail("keeps two messages in one place");
  }
  world.took();
  return true;
}

void RankReplay::begin(const Op& op, World& world) {
  Membership& comm = comms_[static_cast<std::size_t>(op.comm)];
  const std::int64_t number = trace::number_of(op.series, comm.begun[op.series]++);
  // A request may have been freed: who comes next in its place is another.
  Open& open = open_[op.slot];
  open = {{.call_site = op.call_site, .bytes = op.bytes}, {comm.group, number}};
  if (is_neighborhood(op.collective)) return begin_exchange(op, open, world);
  const model::CollectiveCall call{.collective = op.collective,
                                   .bytes = op.bytes,
                                   .root = op.root,
                                   .commutative = op.commutative,
                                   .uneven = op.uneven,
                                   .cold = op.cold};
  if (!comm.group->arrive(rank_, number, call, time_.now())) return;
  for (const int member : *comm.group->members()) world.wake(member);
}

void RankReplay::begin_exchange(const Op& op, Open& open, World& world) {
  open.from = static_cast<std::size_t>(op.from);
  time_.begin(open, op.collective, op.nonblocking, op.to, arrivals_,
              [&](const trace::NeighborBlock& block, std::span<const double> arrivals) {
                world.send(block.to, open.key,
                           {.sender = rank_,
                            .bytes = block.bytes,
                            .times = {arrivals.begin(), arrivals.end()},
                            .begun = open.exchange->begun[0],
                            .collective = op.collective});
              });
}

bool RankReplay::finish_exchange(const Open& open, World& world) {
  if (!exchanged_.has(open.key, open.from)) return false;
  const auto messages = exchanged_.take(open.key);
  std::vector<model::RankClocks::Arrived> arrived;
  for (const Message& each : messages) {
    if (each.collective != open.exchange->collective) {
      throw Unmatched("ranks of a communicator are in different collectives");
    }
    arrived.push_back({each.sender, each.bytes, each.times.data(), each.begun});
    world.took();
  }
  time_.finish(open, arrived);
  return true;
}

bool RankReplay::finish(const Op& op, World& world) {
  const auto found = open_.find(op.slot);
  if (found == open_.end()) fail("waits for a collective that it has not begun");
  const Open& open = found->second;
  if (open.exchange) {
    if (!finish_exchange(open, world)) return false;
  } else {
    const auto& [group, number] = open.key;
    const auto answer = group->take(rank_, number);
    if (!answer) return false;
    using model::Waiting;
    const Waiting waiting =
        op.meets ? Waiting::meeting : (op.nonblocking ? Waiting::nonblocking : Waiting::blocking);
    time_.finish(open, waiting, answer->free, answer->ends);
  }
  open_.erase(found);
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
  Replayed result{.computed_ns = time_.computed_ns(), .left = exchanged_.left()};
  result.ends.assign(time_.now().begin(), time_.now().end());
  for (std::size_t i = 0; i < part_.trace->call_sites.size(); ++i) {
    result.call_sites.push_back(time_.at_call_site(static_cast<int>(i)));
  }
  for (const auto& [sender, messages] : came_) result.left += messages.size();
  return result;
}

}  // namespace stretto::replay
