#include "intercept/whatif/exchanges.hpp"

#include <algorithm>

#include "mpi/traffic.hpp"

namespace stretto::intercept::whatif {
namespace {

// Of the block for the neighbour behind edge k.
std::int64_t bytes_for(const Call& call, std::size_t k) {
  const Count count = call.sendcounts ? call.sendcounts[k] : call.sendcount;
  return bytes_of(count, call.sendtypes != nullptr ? call.sendtypes[k] : call.sendtype);
}

}  // namespace

void plan_exchange(const Call& call, Planned& planned) {
  const Comm& comm = *planned.comm;
  const Neighbors& mine = comm.neighbors->at(comm.rank);
  trace::Op& op = planned.op;
  op.nonblocking = call.form != Form::blocking;
  op.uneven = false;  // each block counts as it is
  // Between two ranks letters are sent and taken in the order of the blocks, which are these.
  for (const int k : in_message_order(mine.destinations)) {
    const auto edge = static_cast<std::size_t>(k);
    const auto peer = static_cast<std::size_t>(mine.destinations[edge].peer);
    op.to.push_back({comm.world[peer], bytes_for(call, edge)});
  }
  for (const Edge& edge : mine.sources) {
    if (edge.peer != Edge::kNobody && edge.peer != comm.rank) ++op.from;
  }
}

void Exchanges::begin(const Planned& planned, Begun& begun) {
  Process& process = Process::get();
  auto exchange = std::make_shared<model::Exchange>(process.timeline.exchange(planned.op));
  Letter letter{.comm = begun.comm->id,
                .order = begun.number,
                .kind = LetterKind::block,
                .collective = static_cast<std::int32_t>(planned.op.collective)};
  letter.free[0] = exchange->begun[0];
  for (const trace::Block& block : planned.op.to) {
    process.timeline.send(*exchange, block, letter.times);
    if (block.to == process.world_rank) continue;
    letter.bytes = block.bytes;
    process.mailbox.send(block.to, letter);
    process.mailbox.ring_bell(block.to);
  }
  begun.exchange = std::move(exchange);
  begun.from = static_cast<std::size_t>(planned.op.from);
}

void Exchanges::came(const Letter& letter) { came_[{letter.comm, letter.order}].push_back(letter); }

bool Exchanges::is_over(const Begun& begun) const {
  const auto came = came_.find({begun.comm->id, begun.number});
  return (came == came_.end() ? 0 : came->second.size()) >= begun.from;
}

std::vector<Letter> Exchanges::take(const Begun& begun) {
  const auto came = came_.find({begun.comm->id, begun.number});
  if (came == came_.end()) return {};
  std::vector<Letter> letters = std::move(came->second);
  came_.erase(came);
  // Not in the order in which they happened to come: a replay knows only who sent them.
  std::stable_sort(letters.begin(), letters.end(),
                   [](const Letter& a, const Letter& b) { return a.sender < b.sender; });
  return letters;
}

void Exchanges::finish(const Begun& begun) {
  Process& process = Process::get();
  for (int times = 0;; process.rest(times)) {
    const Lock lock(process.mutex);
    if (!is_over(begun)) continue;
    const std::vector<Letter> letters = take(begun);
    const auto waited = process.timeline.finish(begun.in_timeline, *begun.exchange, letters);
    process.sites[begun.site].add(begun.bytes, waited.before, waited.free,
                                  process.timeline.now()[0]);
    return;
  }
}

}  // namespace stretto::intercept::whatif
