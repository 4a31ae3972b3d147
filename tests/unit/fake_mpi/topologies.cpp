// Communicators with neighbours.

#include <algorithm>
#include <functional>
#include <numeric>

#include "fake_mpi/entered.hpp"

namespace fake_mpi {
namespace {

// Where a rank of a grid is.
std::vector<int> coordinates(const std::vector<int>& dimensions, int rank) {
  std::vector<int> found(dimensions.size());
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    found[d] = rank % dimensions[d];
    rank /= dimensions[d];
  }
  return found;
}

int shifted(const Topology& grid, int rank, int dimension, int by) {
  const auto d = static_cast<std::size_t>(dimension);
  std::vector<int> where = coordinates(grid.dimensions, rank);
  const int size = grid.dimensions[d];
  int moved = where[d] + by;
  if (grid.periods[d] == 0 && (moved < 0 || moved >= size)) return MPI_PROC_NULL;
  moved = (moved % size + size) % size;
  where[d] = moved;
  int found = 0;
  for (std::size_t each = 0; each < where.size(); ++each) {
    found = found * grid.dimensions[each] + where[each];
  }
  return found;
}

// A communicator of the first ranks of `parent`, whose topology `describe` tells each of them.
int make(Entered& at, const char* what, int ranks,
         const std::function<Topology(int rank)>& describe, MPI_Comm* newcomm) {
  if (!at.has_comm()) return at.refused();
  const CommPointer parent = at.comm_pointer();
  const auto made = std::make_shared<std::shared_ptr<Context>>();
  meet(at, parent, what, made, [&](Meeting& all) {
    const std::vector<int>& group = parent->own();
    const auto context =
        make_context(at.job, {std::vector<int>(group.begin(), group.begin() + ranks), {}});
    for (const auto& each : all.given) {
      *std::static_pointer_cast<std::shared_ptr<Context>>(each) = context;
    }
  });
  *newcomm = MPI_COMM_NULL;
  if (at.planned() != MPI_SUCCESS) return at.refused();
  if (*made == nullptr) return at.raise(MPI_ERR_OTHER);
  if (parent->rank >= ranks) return MPI_SUCCESS;
  *newcomm = add_comm(at, *made);
  at.rank.comms.find(*newcomm)->topology = describe(parent->rank);
  return MPI_SUCCESS;
}

const Topology& topology(Entered& at) {
  static const Topology none;
  return at.comm().topology ? *at.comm().topology : none;
}

}  // namespace
}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Cart_create, (MPI_Comm comm, int ndims, const int dims[], const int periods[],
                       int /*reorder*/, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  Topology grid{
      .kind = MPI_CART, .dimensions = {dims, dims + ndims}, .periods = {periods, periods + ndims}};
  const int ranks = std::accumulate(dims, dims + ndims, 1, std::multiplies<>{});
  return make(
      at, "Cart_create", ranks,
      [&](int rank) {
        for (int d = 0; d < ndims; ++d) {
          for (const int by : {-1, 1}) grid.sources.push_back(shifted(grid, rank, d, by));
        }
        grid.destinations = grid.sources;
        return grid;
      },
      newcomm);
}
FAKE_MPI(Graph_create, (MPI_Comm comm, int nnodes, const int index[], const int edges[],
                        int /*reorder*/, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  return make(
      at, "Graph_create", nnodes,
      [&](int rank) {
        Topology graph{.kind = MPI_GRAPH};
        graph.sources.assign(edges + (rank == 0 ? 0 : index[rank - 1]), edges + index[rank]);
        graph.destinations = graph.sources;
        return graph;
      },
      newcomm);
}
FAKE_MPI(Dist_graph_create_adjacent,
         (MPI_Comm comm, int indegree, const int sources[], const int /*sourceweights*/[],
          int outdegree, const int destinations[], const int /*destweights*/[], MPI_Info /*info*/,
          int /*reorder*/, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  const int ranks = at.has_comm() ? static_cast<int>(at.comm().own().size()) : 0;
  return make(
      at, "Dist_graph_create_adjacent", ranks,
      [&](int /*rank*/) {
        return Topology{.kind = MPI_DIST_GRAPH,
                        .sources = {sources, sources + indegree},
                        .destinations = {destinations, destinations + outdegree}};
      },
      newcomm);
}
// Each rank names edges of any.
FAKE_MPI(Dist_graph_create,
         (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
          const int /*weights*/[], MPI_Info /*info*/, int /*reorder*/, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  if (!at.has_comm()) return at.refused();
  using Edges = std::vector<std::pair<int, int>>;
  const auto named = std::make_shared<Edges>();
  for (int i = 0, next = 0; i < n; ++i) {
    for (int k = 0; k < degrees[i]; ++k) named->emplace_back(sources[i], destinations[next++]);
  }
  meet(at, at.comm_pointer(), "Dist_graph_create", named, [](Meeting& all) {
    Edges edges;
    for (const auto& each : all.given) {
      const auto& its = *std::static_pointer_cast<Edges>(each);
      edges.insert(edges.end(), its.begin(), its.end());
    }
    for (const auto& each : all.given) *std::static_pointer_cast<Edges>(each) = edges;
  });
  const auto ranks = static_cast<int>(at.comm().own().size());
  return make(
      at, "Dist_graph_create", ranks,
      [&](int rank) {
        Topology graph{.kind = MPI_DIST_GRAPH};
        for (const auto& [from, to] : *named) {
          if (from == rank) graph.destinations.push_back(to);
          if (to == rank) graph.sources.push_back(from);
        }
        return graph;
      },
      newcomm);
}

FAKE_MPI(Topo_test, (MPI_Comm comm, int* status)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *status = topology(at).kind;
  return MPI_SUCCESS;
}
FAKE_MPI(Cartdim_get, (MPI_Comm comm, int* ndims)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *ndims = static_cast<int>(topology(at).dimensions.size());
  return MPI_SUCCESS;
}
FAKE_MPI(Cart_get, (MPI_Comm comm, int /*maxdims*/, int dims[], int periods[], int coords[])) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  std::ranges::copy(topology(at).dimensions, dims);
  std::ranges::copy(topology(at).periods, periods);
  std::ranges::copy(coordinates(topology(at).dimensions, at.comm().rank), coords);
  return MPI_SUCCESS;
}
FAKE_MPI(Cart_shift, (MPI_Comm comm, int direction, int disp, int* source, int* dest)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *source = shifted(topology(at), at.comm().rank, direction, -disp);
  *dest = shifted(topology(at), at.comm().rank, direction, disp);
  return MPI_SUCCESS;
}
FAKE_MPI(Graph_neighbors_count, (MPI_Comm comm, int /*rank*/, int* count)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *count = static_cast<int>(topology(at).sources.size());
  return MPI_SUCCESS;
}
FAKE_MPI(Graph_neighbors, (MPI_Comm comm, int /*rank*/, int /*most*/, int neighbors[])) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  std::ranges::copy(topology(at).sources, neighbors);
  return MPI_SUCCESS;
}
FAKE_MPI(Dist_graph_neighbors_count,
         (MPI_Comm comm, int* indegree, int* outdegree, int* weighted)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *indegree = static_cast<int>(topology(at).sources.size());
  *outdegree = static_cast<int>(topology(at).destinations.size());
  *weighted = 0;
  return MPI_SUCCESS;
}
FAKE_MPI(Dist_graph_neighbors,
         (MPI_Comm comm, int /*most_in*/, int sources[], int /*sourceweights*/[], int /*most_out*/,
          int destinations[], int /*destweights*/[])) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  std::ranges::copy(topology(at).sources, sources);
  std::ranges::copy(topology(at).destinations, destinations);
  return MPI_SUCCESS;
}

// What a program that names no weights names instead.
static int unweighted;
extern "C" {
extern int* const MPI_UNWEIGHTED;
int* const MPI_UNWEIGHTED = &unweighted;
}
