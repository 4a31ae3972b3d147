#include "trace/op_bytes.hpp"

#include <algorithm>
#include <climits>

namespace stretto::trace {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
// Schedules of more take more memory than there is.
constexpr std::uint64_t kMostOfCollective = std::uint64_t{1} << 36;
constexpr std::uint64_t kMostSlots = 1 << 24;

std::uint64_t whole(std::int64_t value) { return static_cast<std::uint64_t>(value); }

void pack_taken(Packer& packer, const Taken& taken) {
  packer.number(whole(taken.from - kKept)).number(whole(taken.position));
}

Taken unpack_taken(Unpacker& bytes, const RankTrace& rank) {
  Taken taken;
  taken.from = bytes.index(static_cast<std::size_t>(rank.size) + 1) + kKept;
  taken.position = static_cast<int>(bytes.number(kMostSlots));
  return taken;
}

// That nobody keeps yet.
Taken unpack_sent(Unpacker& bytes, const RankTrace& rank) {
  const std::uint64_t begin = bytes.offset();
  const Taken taken = unpack_taken(bytes, rank);
  if (taken.from == kKept) fail_at(begin, "a probe sees what is kept already");
  return taken;
}

void pack_sequence(Packer& packer, const Sequence& sequence) {
  packer.number(sequence.size());
  for (const Entry& entry : sequence) {
    packer.number(2 * entry.index() + (entry.is_body() ? 1 : 0)).number(whole(entry.times));
  }
}

Sequence unpack_sequence(Unpacker& bytes, std::size_t items, std::size_t bodies) {
  Sequence sequence(bytes.count());
  for (Entry& entry : sequence) {
    const std::uint64_t begin = bytes.offset();
    const std::uint64_t index = bytes.number();
    const bool is_body = index % 2 == 1;
    if (index / 2 >= (is_body ? bodies : items)) fail_at(begin, "there is no such entry");
    const auto what = static_cast<std::int32_t>(index / 2);
    entry.what = is_body ? ~what : what;
    entry.times = static_cast<std::int64_t>(bytes.number(INT64_MAX));
    if (entry.times == 0) fail_at(begin, "something happens 0 times");
  }
  return sequence;
}

void pack_blocks(Packer& packer, const Op& op) {
  packer.number(op.to.size());
  for (const Block& block : op.to) packer.number(whole(block.to)).number(whole(block.bytes));
  packer.number(whole(op.from));
}

void unpack_blocks(Unpacker& bytes, int ranks, const std::vector<int>& members, Op& op) {
  op.to.resize(bytes.count());
  for (Block& block : op.to) {
    block.to = bytes.index(static_cast<std::size_t>(ranks));
    if (!std::binary_search(members.begin(), members.end(), block.to)) {
      fail_at(bytes.offset(), "a neighbour that is not in the communicator");
    }
    block.bytes = static_cast<std::int64_t>(bytes.number(kMostBytes));
  }
  op.from = static_cast<int>(bytes.number(kMostSlots));
}

bool has_blocks(Collective collective) {
  switch (collective) {
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::reduce_scatter:
      return true;
    default:
      return false;
  }
}

void unpack_begin(Unpacker& bytes, const RankTrace& rank,
                  const std::vector<std::vector<int>>& members, Op& op) {
  op.slot = static_cast<int>(bytes.number(kMostSlots));
  op.comm = bytes.index(rank.comms.size());
  op.site = bytes.index(rank.sites.size());
  op.collective = static_cast<Collective>(bytes.index(kCollectives));
  op.bytes = static_cast<std::int64_t>(bytes.number(kMostOfCollective));
  op.root = bytes.index(rank.comms[static_cast<std::size_t>(op.comm)].members.size());
  const std::uint64_t flags = bytes.number(is_neighborhood(op.collective) ? 7 : 11);
  op.commutative = (flags & 1) != 0;
  op.uneven = (flags & 2) != 0;
  op.nonblocking = (flags & 4) != 0;
  op.cold = (flags & 8) != 0;
  op.series = static_cast<int>(bytes.number(kMostSlots));
  if ((op.uneven && !has_blocks(op.collective)) || (!op.commutative && !reduces(op.collective)) ||
      (op.nonblocking && !is_neighborhood(op.collective))) {
    fail_at(bytes.offset(), "a collective has what it cannot have");
  }
  if (is_neighborhood(op.collective)) {
    unpack_blocks(bytes, rank.size, members[static_cast<std::size_t>(op.comm)], op);
  }
}

}  // namespace

void pack(Packer& packer, const Op& op) {
  packer.number(static_cast<std::uint64_t>(op.kind));
  switch (op.kind) {
    case OpKind::compute:
    case OpKind::pass:
      break;
    case OpKind::send:
      packer.number(whole(op.peer)).number(whole(op.bytes));
      break;
    case OpKind::receive:
      packer.number(op.taken.size());
      for (const Taken& taken : op.taken) pack_taken(packer, taken);
      break;
    case OpKind::see:
      pack_taken(packer, op.taken.front());
      break;
    case OpKind::keep:
      packer.number(whole(op.slot));
      pack_taken(packer, op.taken.front());
      break;
    case OpKind::begin:
      packer.number(whole(op.slot)).number(whole(op.comm)).number(whole(op.site));
      packer.number(static_cast<std::uint64_t>(op.collective)).number(whole(op.bytes));
      packer.number(whole(op.root));
      packer.number((op.commutative ? 1 : 0) + (op.uneven ? 2 : 0) + (op.nonblocking ? 4 : 0) +
                    (op.cold ? 8 : 0));
      packer.number(whole(op.series));
      if (is_neighborhood(op.collective)) pack_blocks(packer, op);
      break;
    case OpKind::finish:
      packer.number(whole(op.slot)).number(op.nonblocking ? 1 : 0);
      break;
  }
}

Op unpack_op(Unpacker& bytes, const RankTrace& rank, const std::vector<std::vector<int>>& members) {
  Op op{.kind = static_cast<OpKind>(bytes.index(kOpKinds))};
  switch (op.kind) {
    case OpKind::compute:
    case OpKind::pass:
      break;
    case OpKind::send:
      op.peer = bytes.index(static_cast<std::size_t>(rank.size));
      op.bytes = static_cast<std::int64_t>(bytes.number(kMostBytes));
      break;
    case OpKind::receive:
      op.taken.resize(bytes.count());
      for (Taken& taken : op.taken) taken = unpack_taken(bytes, rank);
      break;
    case OpKind::see:
      op.taken = {unpack_sent(bytes, rank)};
      break;
    case OpKind::keep:
      op.slot = static_cast<int>(bytes.number(kMostSlots));
      op.taken = {unpack_sent(bytes, rank)};
      break;
    case OpKind::begin:
      unpack_begin(bytes, rank, members, op);
      break;
    case OpKind::finish:
      op.slot = static_cast<int>(bytes.number(kMostSlots));
      op.nonblocking = bytes.number(1) != 0;
      break;
  }
  return op;
}

void pack(Packer& packer, const Comm& comm) {
  packer.number(whole(comm.id)).number(comm.members.size());
  for (const int member : comm.members) packer.number(whole(member));
}

Comm unpack_comm(Unpacker& bytes, const RankTrace& rank) {
  const std::uint64_t begin = bytes.offset();
  Comm comm{.id = static_cast<std::int64_t>(bytes.number(INT64_MAX))};
  comm.members.resize(bytes.count());
  for (int& member : comm.members) member = bytes.index(static_cast<std::size_t>(rank.size));
  auto sorted = comm.members;
  std::sort(sorted.begin(), sorted.end());
  const bool is_twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (is_twice || !std::binary_search(sorted.begin(), sorted.end(), rank.rank)) {
    fail_at(begin, "a communicator's ranks are not once each, with this one among them");
  }
  return comm;
}

void pack(Packer& packer, const Site& site) {
  packer.text(site.function).text(site.object).number(whole(site.offset));
  packer.text(site.symbol).number(whole(site.ranks));
}

Site unpack_site(Unpacker& bytes) {
  Site site;
  site.function = bytes.text();
  site.object = bytes.text();
  site.offset = static_cast<std::int64_t>(bytes.number(INT64_MAX));
  site.symbol = bytes.text();
  site.ranks = static_cast<int>(bytes.number(INT_MAX));
  return site;
}

void pack(Packer& packer, const Folded& folded) {
  packer.number(folded.bodies.size());
  for (const Sequence& body : folded.bodies) pack_sequence(packer, body);
  pack_sequence(packer, folded.whole);
}

Folded unpack_folded(Unpacker& bytes, const RankTrace& rank) {
  Folded folded;
  folded.bodies.resize(bytes.count());
  for (std::size_t i = 0; i < folded.bodies.size(); ++i) {
    const std::uint64_t begin = bytes.offset();
    folded.bodies[i] = unpack_sequence(bytes, rank.ops.size(), i);
    if (folded.bodies[i].empty()) fail_at(begin, "a loop of nothing");
  }
  folded.whole = unpack_sequence(bytes, rank.ops.size(), folded.bodies.size());
  return folded;
}

}  // namespace stretto::trace
