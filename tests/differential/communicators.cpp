#include <algorithm>
#include <array>

#include "view.hpp"

namespace differential {
namespace {

MPI_Comm split(const View& parent, int color, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(parent.comm, color, key, &made);
  return made;
}

MPI_Comm create_half(const View& parent) {
  MPI_Group all{}, half{};
  MPI_Comm_group(parent.comm, &all);
  int range[1][3] = {{0, (parent.size - 1) / 2, 1}};
  MPI_Group_range_incl(all, 1, range, &half);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_create(parent.comm, half, &made);
  MPI_Group_free(&half);
  MPI_Group_free(&all);
  return made;
}

bool in_lower_half(const View& parent) { return parent.rank < parent.size / 2; }

MPI_Comm make_intercomm(const View& parent) {
  if (parent.size < 2) return MPI_COMM_NULL;
  const bool lower = in_lower_half(parent);
  // The upper half's ranks are reversed: a group's order is its own.
  MPI_Comm local = split(parent, lower ? 0 : 1, lower ? parent.rank : -parent.rank);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Intercomm_create(local, 0, parent.comm, lower ? parent.size - 1 : 0, 17, &made);
  MPI_Comm_free(&local);
  return made;
}

MPI_Comm make_cart(const View& parent, Random random) {
  const int dimensions = 1 + random.below(2);
  int size = parent.size;
  // One rank is left out; MPI_COMM_NULL there.
  if (size > 1 && random.one_in(4)) --size;
  std::array<int, 2> dims{0, 0};
  MPI_Dims_create(size, dimensions, dims.data());
  const std::array<int, 2> periods{random.below(2), random.below(2)};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(parent.comm, dimensions, dims.data(), periods.data(), 0, &made);
  return made;
}

// Both ways between each pair that is joined, as MPI_Graph_create wants it for
// neighbourhood collectives.
MPI_Comm make_graph(const View& parent, Seed seed) {
  std::vector<int> index, edges;
  for (int from = 0; from < parent.size; ++from) {
    for (int to = 0; to < parent.size; ++to) {
      Random pair{seed, as_seed(std::min(from, to)), as_seed(std::max(from, to))};
      if (!pair.one_in(3)) edges.push_back(to);
    }
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Graph_create(parent.comm, parent.size, index.data(), edges.data(), 0, &made);
  return made;
}

// How often `from` has `to` as a neighbour: also itself, also twice.
int edges_between(Seed seed, int from, int to) {
  Random pair{seed, as_seed(from), as_seed(to)};
  return std::max(0, pair.below(5) - 2);
}

MPI_Comm make_dist_graph_adjacent(const View& parent, Seed seed) {
  std::vector<int> sources, destinations;
  for (auto* array : {&sources, &destinations}) array->reserve(1);  // no null pointers
  for (int other = 0; other < parent.size; ++other) {
    for (int i = edges_between(seed, other, parent.rank); i > 0; --i) sources.push_back(other);
    for (int i = edges_between(seed, parent.rank, other); i > 0; --i) {
      destinations.push_back(other);
    }
  }
  Random order{seed, as_seed(parent.rank)};
  order.shuffle(sources);
  order.shuffle(destinations);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(parent.comm, static_cast<int>(sources.size()), sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                                 destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  return made;
}

// Told by rank 0 alone: edges that several ranks tell of may come out in any order.
MPI_Comm make_dist_graph(const View& parent, Seed seed) {
  std::vector<int> sources, degrees, destinations;
  for (auto* array : {&sources, &degrees, &destinations}) array->reserve(1);  // no null pointers
  for (int from = 0; parent.rank == 0 && from < parent.size; ++from) {
    const auto before = destinations.size();
    for (int to = 0; to < parent.size; ++to) {
      if (edges_between(seed, from, to) > 0) destinations.push_back(to);
    }
    sources.push_back(from);
    degrees.push_back(static_cast<int>(destinations.size() - before));
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create(parent.comm, static_cast<int>(sources.size()), sources.data(),
                        degrees.data(), destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &made);
  return made;
}

MPI_Comm create(const Action& action, const View& parent) {
  MPI_Comm made = MPI_COMM_NULL;
  switch (action.making) {
    case Making::dup:
      MPI_Comm_dup(parent.comm, &made);
      return made;
    case Making::split_parity:
      return split(parent, parent.rank % 2, parent.rank);
    case Making::split_reversed:
      return split(parent, 0, -parent.rank);
    case Making::split_alone:
      return split(parent, parent.rank, 0);
    case Making::split_some:
      return split(parent, parent.rank == parent.size - 1 ? MPI_UNDEFINED : 0, 0);
    case Making::create_half:
      return create_half(parent);
    case Making::intercomm:
      return make_intercomm(parent);
    case Making::merge:
      MPI_Intercomm_merge(parent.comm, parent.side == 0 ? 1 : 0, &made);
      return made;
    case Making::cart:
      return make_cart(parent, Random{action.seed});
    case Making::graph:
      return make_graph(parent, action.seed);
    case Making::dist_graph_adjacent:
      return make_dist_graph_adjacent(parent, action.seed);
    case Making::dist_graph:
      break;
  }
  return make_dist_graph(parent, action.seed);
}

void find_cart_neighbors(View& view) {
  int dimensions = 0;
  MPI_Cartdim_get(view.comm, &dimensions);
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int below = 0, above = 0;
    MPI_Cart_shift(view.comm, dimension, 1, &below, &above);
    view.sources.insert(view.sources.end(), {below, above});
  }
  view.destinations = view.sources;
}

void find_graph_neighbors(View& view) {
  int count = 0;
  MPI_Graph_neighbors_count(view.comm, view.rank, &count);
  view.sources.resize(static_cast<std::size_t>(count));
  MPI_Graph_neighbors(view.comm, view.rank, count, view.sources.data());
  view.destinations = view.sources;
}

void find_dist_graph_neighbors(View& view) {
  int in = 0, out = 0, weighted = 0;
  MPI_Dist_graph_neighbors_count(view.comm, &in, &out, &weighted);
  view.sources.resize(static_cast<std::size_t>(in));
  view.destinations.resize(static_cast<std::size_t>(out));
  MPI_Dist_graph_neighbors(view.comm, in, view.sources.data(), MPI_UNWEIGHTED, out,
                           view.destinations.data(), MPI_UNWEIGHTED);
}

}  // namespace

View view_of(MPI_Comm comm, int side) {
  View view;
  view.comm = comm;
  view.side = side;
  if (comm == MPI_COMM_NULL) return view;
  int inter = 0, topology = MPI_UNDEFINED;
  MPI_Comm_rank(comm, &view.rank);
  MPI_Comm_size(comm, &view.size);
  MPI_Comm_test_inter(comm, &inter);
  view.inter = inter != 0;
  if (!view.inter) view.side = 0;
  view.peers = view.size;
  if (view.inter) {
    MPI_Comm_remote_size(comm, &view.peers);
    return view;
  }
  MPI_Topo_test(comm, &topology);
  view.topology = topology != MPI_UNDEFINED;
  if (topology == MPI_CART) find_cart_neighbors(view);
  if (topology == MPI_GRAPH) find_graph_neighbors(view);
  if (topology == MPI_DIST_GRAPH) find_dist_graph_neighbors(view);
  return view;
}

View make_comm(const Action& action, const View& parent) {
  if (parent.comm == MPI_COMM_NULL) return {};
  const bool made_inter = action.making == Making::intercomm;
  const int side = made_inter ? (in_lower_half(parent) ? 0 : 1) : parent.side;
  return view_of(create(action, parent), side);
}

}  // namespace differential
