#include "engine/storage.hpp"

#include <algorithm>

namespace stretto {
namespace {

// Bytes before and after the first element's address that `count` elements occupy.
struct Footprint {
  MPI_Aint below = 0;
  MPI_Aint bytes = 0;
};

Footprint footprint(const Element& element, Count count) {
  if (count == 0 || element.per_element == 0) return {};
  const MPI_Aint length = static_cast<MPI_Aint>(count) * element.stride;
  if (element.plain) return {0, length};
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  native().Type_get_true_extent(element.type, &lower_bound, &extent);
  const MPI_Aint last = length - element.stride / element.per_element;
  const MPI_Aint low = std::min<MPI_Aint>(0, last) + lower_bound;
  const MPI_Aint high = std::max<MPI_Aint>(0, last) + lower_bound + extent;
  return {-low, high - low};
}

}  // namespace

Storage::Storage(const Element& element, Count count) {
  const Footprint room = footprint(element, count);
  if (room.bytes == 0) return;
  memory_ = std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(room.bytes));
  below_ = room.below;
}

}  // namespace stretto
