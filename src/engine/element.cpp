#include "engine/element.hpp"

#include <climits>
#include <cstring>
#include <vector>

namespace stretto {
namespace {

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  native().Type_get_extent(type, &lower_bound, &extent);
  return extent;
}

Count size_of(MPI_Datatype type) {
  int size = 0;
  native().Type_size(type, &size);
  return size;
}

}  // namespace

bool is_plain(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  native().Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return size_of(type) == extent_of(type);
  if (combiner != MPI_COMBINER_DUP && combiner != MPI_COMBINER_CONTIGUOUS) return false;

  std::vector<int> integer(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> address(static_cast<std::size_t>(addresses) + 1);
  MPI_Datatype inner{};
  native().Type_get_contents(type, integers, addresses, 1, integer.data(), address.data(), &inner);
  const bool plain = is_plain(inner);
  int inner_combiner = 0;
  native().Type_get_envelope(inner, &integers, &addresses, &types, &inner_combiner);
  if (inner_combiner != MPI_COMBINER_NAMED) native().Type_free(&inner);
  return plain;
}

Element Element::of(MPI_Datatype type, int per_element) {
  return {.type = type,
          .per_element = per_element,
          .stride = extent_of(type) * per_element,
          .bytes = size_of(type) * per_element,
          .plain = is_plain(type)};
}

Element Element::packed(Count bytes) {
  // One element may be a long block: the count of MPI_PACKED is per_element.
  return {.type = native().packed,
          .per_element = static_cast<int>(bytes),
          .stride = static_cast<MPI_Aint>(bytes),
          .bytes = bytes,
          .plain = true};
}

int copy_elements(const Block& from, Count from_offset, const Block& to, Count to_offset,
                  Count count, MPI_Comm comm) {
  const Count bytes = count * from.element.bytes;
  if (bytes == 0) return MPI_SUCCESS;
  void* const source = from.at(from_offset);
  void* const target = to.at(to_offset);
  if (from.element.plain && to.element.plain) {
    std::memmove(target, source, static_cast<std::size_t>(bytes));
    return MPI_SUCCESS;
  }
  // Selection lets nothing longer than INT_MAX bytes through.
  const int packed_size = static_cast<int>(bytes);
  const int from_count = static_cast<int>(count) * from.element.per_element;
  const int to_count = static_cast<int>(count) * to.element.per_element;
  int position = 0;
  if (to.element.plain) {
    return native().Pack(source, from_count, from.element.type, target, packed_size, &position,
                         comm);
  }
  if (from.element.plain) {
    return native().Unpack(source, packed_size, &position, target, to_count, to.element.type, comm);
  }
  std::vector<std::byte> between(static_cast<std::size_t>(bytes));
  if (const int error = native().Pack(source, from_count, from.element.type, between.data(),
                                      packed_size, &position, comm);
      error != MPI_SUCCESS) {
    return error;
  }
  position = 0;
  return native().Unpack(between.data(), packed_size, &position, target, to_count, to.element.type,
                         comm);
}

}  // namespace stretto
