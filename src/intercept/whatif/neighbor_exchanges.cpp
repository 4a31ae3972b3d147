#include "intercept/whatif/neighbor_exchanges.hpp"

#include "mpi/traffic.hpp"

namespace stretto::intercept::whatif {
namespace {

std::int64_t bytes_of_block(const Call& call, int number) {
  const auto k = static_cast<std::size_t>(number);
  const Count count = call.sendcounts ? call.sendcounts[k] : call.sendcount;
  return bytes_of(count, call.sendtypes != nullptr ? call.sendtypes[k] : call.sendtype);
}

}  // namespace

void plan_exchange(const Call& call, Planned& planned) {
  const ClockedComm& comm = *planned.comm;
  const model::ExchangePlan& plan = comm.exchanges.at(call.collective);
  trace::Op& op = planned.op;
  op.nonblocking = call.form != Form::blocking;
  op.uneven = false;  // each block counts as it is
  op.from = plan.from;
  for (const auto& block : plan.blocks) {
    const int to = comm.world[static_cast<std::size_t>(block.to)];
    op.to.push_back({to, bytes_of_block(call, block.number)});
  }
}

void NeighborExchanges::begin(const Planned& planned, Begun& begun) {
  Process& process = Process::get();
  ClockMessage message{.comm = begun.comm->id,
                       .order = begun.number,
                       .kind = ClockMessageKind::block,
                       .collective = static_cast<std::int32_t>(planned.op.collective)};
  process.virtual_time.exchange(
      begun.open, planned.op, message.times,
      [&](const trace::NeighborBlock& block, std::span<const double> /*arrivals*/) {
        message.free[0] = begun.open.exchange->begun[0];
        message.bytes = block.bytes;
        process.mailbox.send(block.to, message);
        process.mailbox.ring_doorbell(block.to);
      });
  begun.from = static_cast<std::size_t>(planned.op.from);
}

void NeighborExchanges::finish(const Begun& begun) {
  Process& process = Process::get();
  for (int times = 0;; process.rest(times)) {
    const Lock lock(process.mutex);
    if (!is_over(begun)) continue;
    process.virtual_time.finish(begun.open, came_.take(begun.key()));
    return;
  }
}

}  // namespace stretto::intercept::whatif
