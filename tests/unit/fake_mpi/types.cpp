#include "fake_mpi/types.hpp"

#include <algorithm>
#include <cstring>

namespace fake_mpi {
namespace {

constexpr MPI_Count kMostBytes = MPI_Count{1} << 28;

// MPICH's handle of a predefined type says how long it is, but for some pairs.
Type described(MPI_Datatype type) {
  const auto of = [type](MPI_Count size, MPI_Aint extent) {
    Type made;
    made.named = type;
    made.size = size;
    made.extent = made.true_extent = extent;
    return made;
  };
  if (type == MPI_FLOAT_INT) return of(8, 8);
  if (type == MPI_DOUBLE_INT || type == MPI_LONG_INT) return of(12, 16);
  if (type == MPI_SHORT_INT) return of(6, 8);
  if (type == MPI_LONG_DOUBLE_INT) return of(20, 32);
  const int bytes = type >> 8 & 0xff;
  return of(bytes, bytes);
}

// The memory of `count` elements in a row that is data: between a pair's value and its int, or
// behind them, may be a gap.
template <class See>
void each_bytes(std::byte* at, MPI_Count count, const Type& named, const See& see) {
  if (named.size == named.extent) return see(at, static_cast<std::size_t>(count * named.size));
  const std::size_t value = static_cast<std::size_t>(named.size) - sizeof(int);
  const std::size_t second = named.named == MPI_SHORT_INT ? sizeof(int) : value;
  for (MPI_Count i = 0; i < count; ++i, at += named.extent) {
    see(at, value);
    see(at + second, sizeof(int));
  }
}

// One kind of elements in a row, without a gap between two.
bool is_row(const Type& type) {
  return type.parts.size() == 1 && type.parts.front().at == 0 &&
         type.parts.front().count * type.parts.front().type->extent == type.extent;
}

}  // namespace

bool is_predefined(MPI_Datatype type) {
  constexpr int kBuiltIn = 0x4c000000;
  return (type & 0x7f000000) == kBuiltIn || (type >= MPI_FLOAT_INT && type <= MPI_LONG_DOUBLE_INT);
}

TypePointer predefined(MPI_Datatype type) { return std::make_shared<const Type>(described(type)); }

void each_run(std::byte* base, MPI_Count count, const Type& type, const SeeRun& see) {
  if (type.size == 0 || count == 0) return;
  if (type.parts.empty()) return see(base, count, type);
  if (is_row(type)) {
    const Type::Part& row = type.parts.front();
    return each_run(base, count * row.count, *row.type, see);
  }
  for (MPI_Count i = 0; i < count; ++i) {
    for (const Type::Part& part : type.parts) {
      each_run(base + i * type.extent + part.at, part.count, *part.type, see);
    }
  }
}

Packed pack(const void* base, MPI_Count count, const Type& type) {
  Packed packed{.length = count * type.size, .bytes = {}};
  if (packed.length > kMostBytes) return packed;
  packed.bytes.reserve(static_cast<std::size_t>(packed.length));
  auto* const first = const_cast<std::byte*>(static_cast<const std::byte*>(base));
  each_run(first, count, type, [&](std::byte* at, MPI_Count elements, const Type& named) {
    each_bytes(at, elements, named, [&](const std::byte* data, std::size_t bytes) {
      packed.bytes.insert(packed.bytes.end(), data, data + bytes);
    });
  });
  return packed;
}

int unpack(const Packed& packed, void* base, MPI_Count count, const Type& type) {
  const int error = packed.length > count * type.size ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  if (packed.bytes.empty()) return error;
  const MPI_Count elements = std::min(count, (packed.length + type.size - 1) / type.size);
  std::size_t next = 0;
  each_run(static_cast<std::byte*>(base), elements, type,
           [&](std::byte* at, MPI_Count run, const Type& named) {
             each_bytes(at, run, named, [&](std::byte* data, std::size_t bytes) {
               const std::size_t left = packed.bytes.size() - next;
               std::memcpy(data, packed.bytes.data() + next, std::min(bytes, left));
               next += std::min(bytes, left);
             });
           });
  return error;
}

}  // namespace fake_mpi
