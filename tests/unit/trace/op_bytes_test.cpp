// Each part of an op, at its extremes: what is written is read, what could not be is not written.
#include "trace/op_bytes.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace stretto::trace {
namespace {

constexpr int kManyRanks = 1 << 24;

Bounds bounds() {
  return {.ranks = kManyRanks, .members = {{0}, {0, 5, kManyRanks - 1}}, .call_sites = 300};
}

bool is_written(const Op& op) {
  Packer packer;
  try {
    pack(packer, op, bounds());
    return true;
  } catch (const BadTrace&) {
    return false;
  }
}

// Whether it is written and comes back; where it is written and does not, that is an error.
bool comes_back(const Op& op) {
  Packer packer;
  try {
    pack(packer, op, bounds());
  } catch (const BadTrace&) {
    return false;
  }
  try {
    Unpacker bytes(packer.bytes(), 0);
    const Op read = unpack_op(bytes, bounds());
    bytes.finish();
    EXPECT_EQ(read, op);
  } catch (const BadTrace& bad) {
    ADD_FAILURE() << "it was written, and then: " << bad.what();
  }
  return true;
}

Op begin_of(Collective collective) {
  return {.kind = OpKind::begin, .comm = 1, .collective = collective};
}

const std::vector<Op>& all_kinds() {
  static const std::vector<Op> ops = {
      {.kind = OpKind::compute},
      {.kind = OpKind::pass},
      {.kind = OpKind::send},
      {.kind = OpKind::receive, .taken = {{0, 0}, {kKept, 1}}},
      {.kind = OpKind::see, .taken = {{0, 0}}},
      {.kind = OpKind::keep, .taken = {{0, 0}}},
      begin_of(Collective::bcast),
      {.kind = OpKind::finish},
  };
  return ops;
}

TEST(OpBytes, EveryKindComesBack) {
  ASSERT_EQ(all_kinds().size(), static_cast<std::size_t>(kOpKinds));
  for (const Op& op : all_kinds()) EXPECT_TRUE(comes_back(op));
}

TEST(OpBytes, EveryCollectiveComesBackWithAllThatItMayBe) {
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    int good = 0;
    for (unsigned flags = 0; flags < 16; ++flags) {
      Op op = begin_of(collective);
      op.commutative = (flags & 1) != 0;
      op.uneven = (flags & 2) != 0;
      op.nonblocking = (flags & 4) != 0;
      op.cold = (flags & 8) != 0;
      if (comes_back(op)) ++good;
    }
    EXPECT_GE(good, 2) << "plain, and cold or nonblocking: " << i;
  }
  for (const Collective collective : {Collective::allreduce, Collective::alltoall}) {
    Op op = begin_of(collective);
    op.cold = true;
    EXPECT_TRUE(comes_back(op));
    op.commutative = collective == Collective::alltoall;
    op.uneven = collective == Collective::alltoall;
    EXPECT_TRUE(comes_back(op));
  }
}

TEST(OpBytes, AFinishComesBackWithAllThatItMayBe) {
  for (const bool nonblocking : {false, true}) {
    for (const bool meets : {false, true}) {
      EXPECT_TRUE(comes_back({.kind = OpKind::finish, .nonblocking = nonblocking, .meets = meets}));
    }
  }
}

// The largest value of a part that is written is read, the next one and -1 are not written.
template <class Value>
void expect_limit(const Op& op, const std::function<Value&(Op&)>& part, std::int64_t above) {
  for (std::int64_t value = 0; value < above; value = value * 2 + 1) {
    Op with = op;
    part(with) = static_cast<Value>(value);
    EXPECT_TRUE(comes_back(with)) << value;
  }
  for (const std::int64_t value : {above, std::int64_t{-1}}) {
    Op with = op;
    part(with) = static_cast<Value>(value);
    EXPECT_FALSE(is_written(with)) << value;
  }
  Op with = op;
  part(with) = static_cast<Value>(above - 1);
  EXPECT_TRUE(comes_back(with)) << above - 1;
}

using Number = std::function<int&(Op&)>;
using Bytes64 = std::function<std::int64_t&(Op&)>;

TEST(OpBytes, EachNumberComesBackUpToItsLimit) {
  const Op send{.kind = OpKind::send};
  const Op keep{.kind = OpKind::keep, .taken = {{0, 0}}};
  Op exchange = begin_of(Collective::neighbor_alltoall);
  exchange.to = {{5, 1}, {kManyRanks - 1, 2}};
  const Op bcast = begin_of(Collective::bcast);
  const Number peer = [](Op& op) -> int& { return op.peer; };
  const Number slot = [](Op& op) -> int& { return op.slot; };
  const Number position = [](Op& op) -> int& { return op.taken[0].position; };
  const Number call_site = [](Op& op) -> int& { return op.call_site; };
  const Number root = [](Op& op) -> int& { return op.root; };
  const Number series = [](Op& op) -> int& { return op.series; };
  const Number from = [](Op& op) -> int& { return op.from; };
  const Bytes64 bytes = [](Op& op) -> std::int64_t& { return op.bytes; };
  const Bytes64 block = [](Op& op) -> std::int64_t& { return op.to[0].bytes; };
  expect_limit<int>(send, peer, kManyRanks);
  expect_limit<std::int64_t>(send, bytes, (std::int64_t{1} << 50) + 1);
  expect_limit<int>(keep, slot, (1 << 24) + 1);
  expect_limit<int>(keep, position, (1 << 24) + 1);
  expect_limit<int>({.kind = OpKind::finish}, slot, (1 << 24) + 1);
  expect_limit<int>(bcast, slot, (1 << 24) + 1);
  expect_limit<int>(bcast, call_site, 300);
  expect_limit<int>(bcast, root, 3);
  expect_limit<int>(bcast, series, (1 << 24) + 1);
  expect_limit<std::int64_t>(bcast, bytes, (std::int64_t{1} << 36) + 1);
  expect_limit<int>(exchange, from, (1 << 24) + 1);
  expect_limit<std::int64_t>(exchange, block, (std::int64_t{1} << 50) + 1);
}

TEST(OpBytes, WhatCannotBeReadIsNotWritten) {
  EXPECT_FALSE(is_written({.kind = OpKind::see, .taken = {{kKept, 0}}}));
  EXPECT_FALSE(is_written({.kind = OpKind::receive, .taken = {{kManyRanks, 0}}}));
  Op op = begin_of(Collective::bcast);
  op.comm = 2;
  EXPECT_FALSE(is_written(op));
  op = begin_of(Collective::neighbor_allgather);
  op.to = {{6, 1}};
  EXPECT_FALSE(is_written(op)) << "a rank that is not in the communicator";
}

}  // namespace
}  // namespace stretto::trace
