#include "trace/trace.hpp"

namespace stretto::trace {

std::optional<ItemCounts> counts_of(const Folded& program, const std::vector<Op>& ops) {
  std::vector<std::int64_t> efforts;  // to replay it: a neighbourhood's blocks are sent one by one
  std::vector<std::int64_t> timed;
  for (const Op& op : ops) {
    efforts.push_back(1 + static_cast<std::int64_t>(op.to.size()));
    timed.push_back(op.kind == OpKind::compute || op.kind == OpKind::pass ? 1 : 0);
  }
  const auto items = items_in(program, kMostItems);
  const auto durations = weight_of(program, timed, kMostItems);
  if (!items || !durations || !weight_of(program, efforts, kMostItems)) return {};
  return ItemCounts{*items, *durations};
}

}  // namespace stretto::trace
