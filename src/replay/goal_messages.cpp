#include "replay/goal_messages.hpp"

namespace stretto::replay {
namespace {

using trace::Op;
using trace::OpKind;

void note_call(GoalMessages& all, const Part& part, const Op& op, int rank,
               const GoalCallKey& key) {
  const auto [found, is_new] = all.calls.try_emplace(key);
  GoalCall& call = found->second;
  if (is_new) call.tag = 1 + static_cast<std::int64_t>(all.calls.size() - 1) % (kNumbered - 1);
  for (const auto& block : op.to) {
    if (block.to != rank) call.blocks[block.to].push_back({rank, block.bytes});
  }
  const bool uneven = call.all.uneven || op.uneven;
  const bool cold = call.all.cold || op.cold;
  const auto& members = *part.comms[static_cast<std::size_t>(op.comm)].members;
  if (is_new || members.front() == rank) {
    call.all = {.collective = op.collective,
                .bytes = op.bytes,
                .root = op.root,
                .commutative = op.commutative};
  }
  call.all.uneven = uneven;
  call.all.cold = cold;
  call.bytes += op.bytes;
  ++call.ranks;
}

}  // namespace

GoalMessages goal_messages(const std::vector<Part>& parts) {
  GoalMessages all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto rank = static_cast<int>(i);
    trace::Cursor cursor(parts[i].trace->program);
    GoalTaking taking;
    GoalNumbers numbers;
    std::map<int, std::int64_t> received;
    while (const auto next = cursor.next()) {
      const Op& op = parts[i].ops[static_cast<std::size_t>(*next)];
      if (op.kind == OpKind::send) {
        all.bytes[{rank, op.peer}].push_back(op.bytes);
      } else if (op.kind == OpKind::keep) {
        taking.keep(op);
      } else if (op.kind == OpKind::receive) {
        for (const auto& taken : op.taken) {
          const GoalReceived message = taking.take(taken);
          if (received[message.from]++ != message.ordinal) {
            all.unordered.emplace(message.from, rank);
          }
        }
      } else if (op.kind == OpKind::begin) {
        note_call(all, parts[i], op, rank, numbers.next(parts[i], op));
      }
    }
  }
  for (auto& [key, call] : all.calls) {
    // Blocks that differ are taken at their mean.
    if (call.all.uneven) call.all.bytes = call.bytes / call.ranks;
  }
  return all;
}

}  // namespace stretto::replay
