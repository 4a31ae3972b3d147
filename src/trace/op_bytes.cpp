#include "trace/op_bytes.hpp"

#include <algorithm>
#include <climits>
#include <concepts>
#include <utility>

namespace stretto::trace {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
// Schedules of more take more memory than there is.
constexpr std::uint64_t kMostOfCollective = std::uint64_t{1} << 36;
constexpr std::uint64_t kMostSlots = 1 << 24;

std::uint64_t whole(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// An entry is described once, by a function that goes through what it consists of, and to which
// what writes and what reads are alike: so what is written is read, and its limits are the same.
class Writing {
 public:
  explicit Writing(Packer& packer) : packer_(packer) {}

  template <class Value>
  void number(const Value& value, std::uint64_t most) {
    const auto written = static_cast<std::uint64_t>(value);
    if (!std::in_range<std::uint64_t>(std::int64_t{value}) || written > most) {
      throw BadTrace("it holds a number that is too large");
    }
    packer_.number(written);
  }
  template <class Value>
  void index(const Value& value, std::size_t size) {
    number(static_cast<std::int64_t>(value), size - 1);
  }
  template <class List>
  void count(const List& list) {
    packer_.number(list.size());
  }
  // What the other side would refuse is not written.
  static void require(bool is_right, const char* what) {
    if (!is_right) throw BadTrace(what);
  }

 private:
  Packer& packer_;
};

class Reading {
 public:
  explicit Reading(Unpacker& bytes) : bytes_(bytes) {}

  template <class Value>
  void number(Value& value, std::uint64_t most) {
    value = static_cast<Value>(bytes_.number(most));
  }
  template <class Value>
  void index(Value& value, std::size_t size) {
    value = static_cast<Value>(bytes_.index(size));
  }
  template <class List>
  void count(List& list) {
    list.resize(bytes_.count());
  }
  void require(bool is_right, const char* what) const {
    if (!is_right) fail_at(bytes_.offset(), what);
  }

 private:
  Unpacker& bytes_;
};

template <class Side, std::same_as<bool>... Flags>
void flags(Side& side, Flags&... each) {
  std::uint8_t bits = 0;
  int at = 0;
  ((bits = static_cast<std::uint8_t>(bits | (each ? 1U << at++ : 0U << at++))), ...);
  side.number(bits, (1U << sizeof...(Flags)) - 1);
  at = 0;
  ((each = ((bits >> at++) & 1) != 0), ...);
}

template <class Side>
void describe(Side& side, Taken& taken, const Bounds& bounds) {
  taken.from -= kKept;
  side.index(taken.from, static_cast<std::size_t>(bounds.ranks) + 1);
  taken.from += kKept;
  side.number(taken.position, kMostSlots);
}

// That nobody keeps yet.
template <class Side>
void describe_sent(Side& side, Op& op, const Bounds& bounds) {
  op.taken.resize(1);
  describe(side, op.taken.front(), bounds);
  side.require(op.taken.front().from != kKept, "a probe sees what is kept already");
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

template <class Side>
void describe(Side& side, NeighborBlock& block, const std::vector<int>& members,
              const Bounds& bounds) {
  side.index(block.to, static_cast<std::size_t>(bounds.ranks));
  side.require(std::binary_search(members.begin(), members.end(), block.to),
               "a neighbour that is not in the communicator");
  side.number(block.bytes, kMostBytes);
}

template <class Side>
void describe_blocks(Side& side, Op& op, const Bounds& bounds) {
  const std::vector<int>& members = bounds.members[static_cast<std::size_t>(op.comm)];
  side.count(op.to);
  for (NeighborBlock& block : op.to) describe(side, block, members, bounds);
  side.number(op.from, kMostSlots);
}

template <class Side>
void describe_begin(Side& side, Op& op, const Bounds& bounds) {
  side.number(op.slot, kMostSlots);
  side.index(op.comm, bounds.members.size());
  side.index(op.call_site, bounds.call_sites);
  side.index(op.collective, kCollectives);
  side.number(op.bytes, kMostOfCollective);
  side.index(op.root, bounds.members[static_cast<std::size_t>(op.comm)].size());
  flags(side, op.commutative, op.uneven, op.nonblocking, op.cold);
  side.number(op.series, kMostSlots);
  const bool has_neighbors = is_neighborhood(op.collective);
  side.require((!op.uneven || has_blocks(op.collective)) &&
                   (op.commutative || reduces(op.collective)) &&
                   (!op.nonblocking || has_neighbors) && (!op.cold || !has_neighbors),
               "a collective has what it cannot have");
  if (has_neighbors) describe_blocks(side, op, bounds);
}

template <class Side>
void describe(Side& side, Op& op, const Bounds& bounds) {
  side.index(op.kind, kOpKinds);
  switch (op.kind) {
    case OpKind::compute:
    case OpKind::pass:
      break;
    case OpKind::send:
      side.index(op.peer, static_cast<std::size_t>(bounds.ranks));
      side.number(op.bytes, kMostBytes);
      break;
    case OpKind::receive:
      side.count(op.taken);
      for (Taken& taken : op.taken) describe(side, taken, bounds);
      break;
    case OpKind::see:
      describe_sent(side, op, bounds);
      break;
    case OpKind::keep:
      side.number(op.slot, kMostSlots);
      describe_sent(side, op, bounds);
      break;
    case OpKind::begin:
      describe_begin(side, op, bounds);
      break;
    case OpKind::finish:
      side.number(op.slot, kMostSlots);
      flags(side, op.nonblocking, op.meets);
      break;
  }
}

void pack_entries(Packer& packer, const Entries& entries) {
  packer.number(entries.size());
  for (const Entry& entry : entries) {
    packer.number(2 * entry.index() + (entry.is_body() ? 1 : 0)).number(whole(entry.times));
  }
}

Entries unpack_entries(Unpacker& bytes, std::size_t items, std::size_t bodies) {
  Entries entries(bytes.count());
  for (Entry& entry : entries) {
    const std::uint64_t begin = bytes.offset();
    const std::uint64_t index = bytes.number();
    const bool is_body = index % 2 == 1;
    if (index / 2 >= (is_body ? bodies : items)) fail_at(begin, "there is no such entry");
    const auto what = static_cast<std::int32_t>(index / 2);
    entry.what = is_body ? ~what : what;
    entry.times = static_cast<std::int64_t>(bytes.number(INT64_MAX));
    if (entry.times == 0) fail_at(begin, "something happens 0 times");
  }
  return entries;
}

}  // namespace

Bounds bounds_of(int ranks, const std::vector<Comm>& comms, std::size_t call_sites) {
  Bounds bounds{.ranks = ranks, .members = {}, .call_sites = call_sites};
  for (const Comm& comm : comms) {
    bounds.members.push_back(comm.members);
    std::sort(bounds.members.back().begin(), bounds.members.back().end());
  }
  return bounds;
}

void pack(Packer& packer, const Op& op, const Bounds& bounds) {
  Op copy = op;
  Writing writing(packer);
  describe(writing, copy, bounds);
}

Op unpack_op(Unpacker& bytes, const Bounds& bounds) {
  Op op;
  Reading reading(bytes);
  describe(reading, op, bounds);
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

void pack(Packer& packer, const model::CallSite& call_site) {
  packer.text(call_site.function).text(call_site.object).number(whole(call_site.offset));
  packer.text(call_site.symbol).number(call_site.is_source ? 1 : 0);
  packer.number(whole(call_site.ranks));
}

model::CallSite unpack_call_site(Unpacker& bytes) {
  model::CallSite call_site;
  call_site.function = bytes.text();
  call_site.object = bytes.text();
  call_site.offset = static_cast<std::int64_t>(bytes.number(INT64_MAX));
  call_site.symbol = bytes.text();
  call_site.is_source = bytes.number(1) != 0;
  call_site.ranks = static_cast<int>(bytes.number(INT_MAX));
  return call_site;
}

void pack(Packer& packer, const Folded& folded) {
  packer.number(folded.bodies.size());
  for (const Entries& body : folded.bodies) pack_entries(packer, body);
  pack_entries(packer, folded.whole);
}

Folded unpack_folded(Unpacker& bytes, const RankTrace& rank) {
  Folded folded;
  folded.bodies.resize(bytes.count());
  for (std::size_t i = 0; i < folded.bodies.size(); ++i) {
    const std::uint64_t begin = bytes.offset();
    folded.bodies[i] = unpack_entries(bytes, rank.ops.size(), i);
    if (folded.bodies[i].empty()) fail_at(begin, "a loop of nothing");
  }
  folded.whole = unpack_entries(bytes, rank.ops.size(), folded.bodies.size());
  return folded;
}

}  // namespace stretto::trace
