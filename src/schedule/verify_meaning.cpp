#include "schedule/verify_meaning.hpp"

#include <algorithm>
#include <vector>

#include "schedule/verify.hpp"

namespace stretto {
namespace {

// Of a rank in a neighbourhood.
Count blocks(const Shape& shape, Rank me, Buffer buffer) {
  const Neighbors& mine = shape.graph->at(me);
  const auto& edges = buffer == Buffer::send ? mine.destinations : mine.sources;
  return static_cast<Count>(edges.size());
}

bool in_place_on(const Shape& shape, Rank me) { return shape_on_rank(shape, me).in_place; }

// Ranks of the group `me` is not in; of an intracommunicator all.
RankSets::Id contributors(const Shape& shape, Rank me, const RankSets& sets) {
  if (shape.first_group == 0) return sets.everyone();
  return me < shape.first_group ? sets.last_from(shape.first_group)
                                : sets.up_to(shape.first_group - 1);
}

// Has this rank of an intercommunicator no part in the data, as the root's group?
bool is_beside_root(const Shape& shape, Rank me) {
  return shape.first_group > 0 && is_rooted(shape.collective) &&
         (me < shape.first_group) == (shape.root < shape.first_group);
}

Count send_extent(const Shape& shape, Rank me) {
  if (is_beside_root(shape, me)) return 0;
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
    case Collective::neighbor_allgather:
      return shape.count;
    case Collective::neighbor_alltoall:
      return blocks(shape, me, Buffer::send) * shape.count;
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
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return blocks(shape, me, Buffer::recv) * shape.count;
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

// The numbers of the edges to `peer`, in the order of their messages.
std::vector<int> edges_to(const std::vector<Edge>& edges, Rank peer) {
  std::vector<int> found = in_message_order(edges);
  std::erase_if(found, [&](int k) { return edges[static_cast<std::size_t>(k)].peer != peer; });
  return found;
}

// What source `k` of rank `me` sends: the n-th message to a rank is the n-th from it.
Symbol from_neighbor(const Shape& shape, Rank me, int k, Count position) {
  const std::vector<Edge>& sources = shape.graph->at(me).sources;
  const Rank peer = sources[static_cast<std::size_t>(k)].peer;
  if (peer == Edge::kNobody) return {};
  if (shape.collective == Collective::neighbor_allgather) return symbol(position, peer);
  const std::vector<int> here = edges_to(sources, peer);
  const std::vector<int> there = edges_to(shape.graph->at(peer).destinations, me);
  const auto message = std::find(here.begin(), here.end(), k) - here.begin();
  return symbol(there[static_cast<std::size_t>(message)] * shape.count + position, peer);
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
      return symbol(position, contributors(shape, me, sets));
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
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return from_neighbor(shape, me, static_cast<int>(position / shape.count),
                           position % shape.count);
  }
  return {};
}

}  // namespace stretto
