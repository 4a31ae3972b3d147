#include "fake_mpi/operations.hpp"

#include <climits>
#include <cstdint>
#include <cstring>
#include <functional>

#include "fake_mpi/entered.hpp"

namespace fake_mpi {
namespace {

template <class Value, class Combine>
void each(const std::byte* in, std::byte* inout, MPI_Count count, const Combine& combine) {
  for (MPI_Count i = 0; i < count; ++i, in += sizeof(Value), inout += sizeof(Value)) {
    Value left{};
    Value right{};
    std::memcpy(&left, in, sizeof left);
    std::memcpy(&right, inout, sizeof right);
    const Value result = combine(left, right);
    std::memcpy(inout, &result, sizeof result);
  }
}

using Function = void (*)(const std::byte*, std::byte*, MPI_Count);

template <class Value, auto combine>
constexpr Function by = [](const std::byte* in, std::byte* inout, MPI_Count count) {
  each<Value>(in, inout, count, combine);
};

template <class Value>
Function arithmetic(MPI_Op op) {
  switch (op) {
    case MPI_MAX:
      return by<Value, [](Value a, Value b) { return a < b ? b : a; }>;
    case MPI_MIN:
      return by<Value, [](Value a, Value b) { return b < a ? b : a; }>;
    case MPI_SUM:
      return by<Value, [](Value a, Value b) { return static_cast<Value>(a + b); }>;
    case MPI_PROD:
      return by<Value, [](Value a, Value b) { return static_cast<Value>(a * b); }>;
    default:
      return nullptr;
  }
}

template <class Value>
Function bitwise(MPI_Op op) {
  switch (op) {
    case MPI_BAND:
      return by<Value, [](Value a, Value b) { return static_cast<Value>(a & b); }>;
    case MPI_BOR:
      return by<Value, [](Value a, Value b) { return static_cast<Value>(a | b); }>;
    case MPI_BXOR:
      return by<Value, [](Value a, Value b) { return static_cast<Value>(a ^ b); }>;
    default:
      return nullptr;
  }
}

// Unsigned where they add, so that a sum may overflow.
template <class Value>
Function of_integers(MPI_Op op) {
  using Unsigned = std::make_unsigned_t<Value>;
  switch (op) {
    case MPI_SUM:
    case MPI_PROD:
      return arithmetic<Unsigned>(op);
    case MPI_LAND:
      return by<Value, [](Value a, Value b) { return static_cast<Value>(a != 0 && b != 0); }>;
    case MPI_LOR:
      return by<Value, [](Value a, Value b) { return static_cast<Value>(a != 0 || b != 0); }>;
    case MPI_LXOR:
      return by<Value, [](Value a, Value b) { return static_cast<Value>((a != 0) != (b != 0)); }>;
    default:
      return bitwise<Unsigned>(op) != nullptr ? bitwise<Unsigned>(op) : arithmetic<Value>(op);
  }
}

struct IntAndPlace {
  int value = 0;
  int place = 0;
};

IntAndPlace larger(IntAndPlace a, IntAndPlace b) {
  if (a.value == b.value) return a.place < b.place ? a : b;
  return a.value > b.value ? a : b;
}
IntAndPlace smaller(IntAndPlace a, IntAndPlace b) {
  if (a.value == b.value) return a.place < b.place ? a : b;
  return a.value < b.value ? a : b;
}

Function of_pairs(MPI_Op op) {
  if (op == MPI_MAXLOC) return by<IntAndPlace, larger>;
  return op == MPI_MINLOC ? by<IntAndPlace, smaller> : nullptr;
}

Function find(MPI_Op op, MPI_Datatype type) {
  switch (type) {
    case MPI_INT:
    case MPI_INT32_T:
      return of_integers<std::int32_t>(op);
    case MPI_UNSIGNED:
    case MPI_UINT32_T:
      return of_integers<std::uint32_t>(op);
    case MPI_LONG:
    case MPI_LONG_LONG_INT:
    case MPI_INT64_T:
      return of_integers<std::int64_t>(op);
    case MPI_UNSIGNED_LONG:
    case MPI_UINT64_T:
      return of_integers<std::uint64_t>(op);
    case MPI_SHORT:
      return of_integers<std::int16_t>(op);
    case MPI_SIGNED_CHAR:
      return of_integers<std::int8_t>(op);
    case MPI_UNSIGNED_CHAR:
      return of_integers<std::uint8_t>(op);
    case MPI_BYTE:
      return bitwise<std::uint8_t>(op);
    case MPI_FLOAT:
      return arithmetic<float>(op);
    case MPI_DOUBLE:
      return arithmetic<double>(op);
    case MPI_2INT:
      return of_pairs(op);
    default:
      return nullptr;
  }
}

}  // namespace

int check(const Op& op, const Type& type) {
  if (op.function != nullptr) return MPI_SUCCESS;
  return find(op.named, type.named) != nullptr ? MPI_SUCCESS : MPI_ERR_OP;
}

void reduce(const Op& op, const void* in, void* inout, MPI_Count count, const Type& type,
            MPI_Datatype handle) {
  if (count == 0) return;
  auto* const left = const_cast<std::byte*>(static_cast<const std::byte*>(in));
  auto* const right = static_cast<std::byte*>(inout);
  if (op.function == nullptr) return find(op.named, type.named)(left, right, count);
  auto length = static_cast<int>(count);
  op.function(left, right, &length, &handle);
}

}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Op_create, (MPI_User_function * function, int commute, MPI_Op* op)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *op =
      at.rank.ops.add(std::make_shared<Op>(Op{.function = function, .commutative = commute != 0}));
  return MPI_SUCCESS;
}
FAKE_MPI(Op_free, (MPI_Op * op)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  if (at.rank.ops.find(*op) == nullptr) at.misused("no operation of the program's");
  at.rank.ops.remove(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
FAKE_MPI(Op_commutative, (MPI_Op op, int* commute)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *commute = at.op(op)->commutative ? 1 : 0;
  return MPI_SUCCESS;
}
FAKE_MPI(Reduce_local,
         (const void* inbuf, void* inoutbuf, int count, MPI_Datatype type, MPI_Op op)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer of = at.type(type);
  const std::shared_ptr<Op> by = at.op(op);
  if (check(*by, *of) != MPI_SUCCESS) return at.raise(MPI_ERR_OP);
  at.unlocked([&] { return reduce(*by, inbuf, inoutbuf, count, *of, type); });
  return MPI_SUCCESS;
}
