#include "mpi/element.hpp"

#include <climits>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "mpi/large_type.hpp"
#include "mpi/own_channel.hpp"
#include "mpi/type_contents.hpp"

namespace stretto {
namespace {

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  native().Type_get_extent(type, &lower_bound, &extent);
  return extent;
}

Count size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  native().Type_size_x(type, &size);
  return size;
}

// Not predefined, so that it is freed and may be.
bool is_derived(int combiner) {
  return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
         combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

}  // namespace

bool is_plain(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  if (combiner == MPI_COMBINER_NAMED) return size_of(type) == extent_of(type);
  if (combiner != MPI_COMBINER_DUP && combiner != MPI_COMBINER_CONTIGUOUS) return false;
  MPI_Datatype inner = inner_type_of(type);
  const bool plain = is_plain(inner);
  if (is_derived(combiner_of(inner))) native().Type_free(&inner);
  return plain;
}

Element Element::of(MPI_Datatype type, Count per_element) {
  return {.type = type,
          .per_element = per_element,
          .stride = extent_of(type) * per_element,
          .bytes = size_of(type) * per_element,
          .plain = is_plain(type)};
}

Element Element::bytes_of(Count per_element) {
  return {.type = native().byte,
          .per_element = per_element,
          .stride = per_element,
          .bytes = per_element,
          .plain = true};
}

Element Element::packed(Count bytes) {
  // One element may be a long block: the count of MPI_PACKED is per_element.
  return {.type = native().packed,
          .per_element = bytes,
          .stride = static_cast<MPI_Aint>(bytes),
          .bytes = bytes,
          .plain = true};
}

int reduce(const Piece& from, const Piece& to, MPI_Op op) {
  const auto* operand = static_cast<const std::byte*>(from.address);
  auto* sum = static_cast<std::byte*>(to.address);
  const MPI_Datatype type = type_of(to.type);
  Count left = to.count;
  // MPI_Reduce_local counts by int.
  while (left > INT_MAX) {
    const int error = native().Reduce_local(operand, sum, INT_MAX, type, op);
    if (error != MPI_SUCCESS) return error;
    const Count taken = INT_MAX * extent_of(type);
    operand += taken;
    sum += taken;
    left -= INT_MAX;
  }
  return native().Reduce_local(operand, sum, static_cast<int>(left), type, op);
}

Piece packed_at(const std::byte* at, Count bytes) {
  return Block{const_cast<std::byte*>(at), Element::packed(bytes)}.piece({0, 1});
}

int copy(const Piece& from, const Piece& to) {
  if (from.bytes == 0) return MPI_SUCCESS;
  if (from.bytes > to.bytes) return MPI_ERR_TRUNCATE;
  if (from.plain && to.plain) {
    std::memmove(to.address, from.address, static_cast<std::size_t>(from.bytes));
    return MPI_SUCCESS;
  }
  // More than MPI_Pack can count: as a message to oneself.
  if (from.bytes > INT_MAX) return copy_by_message(from, to);
  if (from.count > INT_MAX || to.count > INT_MAX) return MPI_ERR_COUNT;
  const int from_count = static_cast<int>(from.count);
  const int to_count = static_cast<int>(to.count);
  const int bytes = static_cast<int>(from.bytes);
  const MPI_Datatype from_type = type_of(from.type);
  const MPI_Datatype to_type = type_of(to.type);
  const MPI_Comm comm = own_channel::get();  // on which errors are returned
  int position = 0;
  if (to.plain) {
    return native().Pack(from.address, from_count, from_type, to.address, bytes, &position, comm);
  }
  if (from.plain) {
    return native().Unpack(from.address, bytes, &position, to.address, to_count, to_type, comm);
  }
  std::vector<std::byte> between(static_cast<std::size_t>(bytes));
  if (const int error = native().Pack(from.address, from_count, from_type, between.data(), bytes,
                                      &position, comm);
      error != MPI_SUCCESS) {
    return error;
  }
  position = 0;
  return native().Unpack(between.data(), bytes, &position, to.address, to_count, to_type, comm);
}

int copy_by_message(const Piece& from, const Piece& to) {
  std::optional<LargeType> sent;
  std::optional<LargeType> received;
  if (from.count > INT_MAX) sent.emplace(from.count, type_of(from.type));
  if (to.count > INT_MAX) received.emplace(to.count, type_of(to.type));
  for (const auto& made : {&sent, &received}) {
    if (*made && (*made)->error() != MPI_SUCCESS) return (*made)->error();
  }
  // One at a time, or one's message would be another's.
  static constinit std::mutex alone;
  const std::lock_guard lock(alone);
  return native().Sendrecv(from.address, sent ? 1 : static_cast<int>(from.count),
                           sent ? sent->get() : type_of(from.type), 0, own_channel::kCopyTag,
                           to.address, received ? 1 : static_cast<int>(to.count),
                           received ? received->get() : type_of(to.type), 0, own_channel::kCopyTag,
                           own_channel::get(), MPI_STATUS_IGNORE);
}

}  // namespace stretto
