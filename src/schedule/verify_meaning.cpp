#include "schedule/verify_meaning.hpp"

#include "schedule/verify.hpp"

namespace stretto {
namespace {

bool in_place_on(const Shape& shape, Rank me) { return shape_on_rank(shape, me).in_place; }

Count send_extent(const Shape& shape, Rank me) {
  switch (shape.collective) {
    case Collective::barrier:
    case Collective::bcast:
      return 0;
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::gather:
    case Collective::allgather:
    case Collective::scan:
    case Collective::exscan:
      return in_place_on(shape, me) ? 0 : shape.count;
    case Collective::scatter:
      return me == shape.root ? shape.size * shape.count : 0;
    case Collective::alltoall:
    case Collective::reduce_scatter:
      return in_place_on(shape, me) ? 0 : shape.size * shape.count;
  }
  return 0;
}

Count recv_extent(const Shape& shape, Rank me) {
  switch (shape.collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
    case Collective::allreduce:
    case Collective::scan:
      return shape.count;
    case Collective::exscan:
      // Rank 0 has no result; in place its input lies there.
      return me == 0 && !in_place_on(shape, me) ? 0 : shape.count;
    case Collective::reduce_scatter:
      return in_place_on(shape, me) ? shape.size * shape.count : shape.count;
    case Collective::reduce:
      return me == shape.root ? shape.count : 0;
    case Collective::gather:
      return me == shape.root ? shape.size * shape.count : 0;
    case Collective::scatter:
      return in_place_on(shape, me) ? 0 : shape.count;
    case Collective::allgather:
    case Collective::alltoall:
      return shape.size * shape.count;
  }
  return 0;
}

// Where rank `me`'s input begins in the receive buffer, for MPI_IN_PLACE.
Count own_offset(const Shape& shape, Rank me) {
  const bool own_block =
      shape.collective == Collective::gather || shape.collective == Collective::allgather;
  return own_block ? me * shape.count : 0;
}

Count own_count(const Shape& shape) {
  const bool all_blocks =
      shape.collective == Collective::alltoall || shape.collective == Collective::reduce_scatter;
  return all_blocks ? shape.size * shape.count : shape.count;
}

Symbol symbol(Count element, std::int32_t ranks) {
  return {.element = static_cast<std::int32_t>(element), .ranks = ranks};
}

}  // namespace

Count extent(const Shape& shape, Rank me, Buffer buffer) {
  return buffer == Buffer::send ? send_extent(shape, me) : recv_extent(shape, me);
}

bool may_write(const Shape& shape, Rank me, Buffer buffer) {
  if (buffer == Buffer::send) return false;
  // The root's bcast buffer may be in read-only memory, or being read elsewhere.
  const bool roots_input = shape.collective == Collective::bcast && me == shape.root;
  const bool no_result = shape.collective == Collective::exscan && me == 0;
  return buffer == Buffer::scratch || !(roots_input || no_result);
}

Symbol initial(const Shape& shape, Rank me, Buffer buffer, Count position) {
  if (buffer == Buffer::send) return symbol(position, me);
  if (shape.collective == Collective::bcast) {
    return me == shape.root ? symbol(position, me) : Symbol{};
  }
  const Count element = position - own_offset(shape, me);
  const bool own = in_place_on(shape, me) && element >= 0 && element < own_count(shape);
  return own ? symbol(element, me) : Symbol{};
}

Count result_extent(const Shape& shape, Rank me) {
  if (shape.collective == Collective::exscan && me == 0) return 0;
  return shape.collective == Collective::reduce_scatter ? shape.count : recv_extent(shape, me);
}

Symbol expected(const Shape& shape, Rank me, Count position, const RankSets& sets) {
  switch (shape.collective) {
    case Collective::barrier:
      return {};
    case Collective::bcast:
      return symbol(position, shape.root);
    case Collective::reduce:
    case Collective::allreduce:
      return symbol(position, sets.everyone());
    case Collective::reduce_scatter:
      return symbol(me * shape.count + position, sets.everyone());
    case Collective::scan:
      return symbol(position, sets.up_to(me));
    case Collective::exscan:
      return symbol(position, sets.up_to(me - 1));
    case Collective::scatter:
      return symbol(me * shape.count + position, shape.root);
    case Collective::gather:
    case Collective::allgather:
      return symbol(position % shape.count, static_cast<Rank>(position / shape.count));
    case Collective::alltoall:
      return symbol(me * shape.count + position % shape.count,
                    static_cast<Rank>(position / shape.count));
  }
  return {};
}

}  // namespace stretto
