// Relaxes a network of springs: regions of vertices around hubs, like towns around airports.
//
// Regions are dealt to the ranks in order. A vertex hangs on others of its region, on its own hub
// and on a foreign one; a hub hangs on gateways, vertices anywhere. In each iteration
// - every rank gathers (MPI_Gatherv) the gateways of its hubs from all ranks and moves the hubs,
// - broadcasts its hubs (MPI_Ibcast), while all ranks relax what hangs on their own vertices only,
// - and an allreduce of a struct with an operation of our own finds the longest spring and who owns
//   it; the owner lets it out, so that every later step depends on the right one being found.
//
// Every sum is over one vertex's springs in a fixed order, and the checksum is over the bits of all
// positions and of every longest spring, so it is the same on any number of ranks.
//
// Usage: relaxation [vertices [iterations]]

#include <math.h>
#include <stddef.h>

#include "../common/app.h"
#include "network.h"

static const char kUsage[] = "usage: relaxation [vertices [iterations]]  (default 131072 100)";

static const double kStep = 0.2;     // of the mean force, per iteration
static const double kStretch = 1.1;  // of the longest spring's rest length

typedef struct {
  double length;
  int vertex, spring;  // where it starts, and which of that vertex's it is
  int owner;           // rank
} Edge;

// Adds the force of one spring on the vertex at `from`; returns the spring's length.
static double add_pull(Point from, Point to, double rest, Point* pull) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double length = sqrt(dx * dx + dy * dy);
  const double force = length > 0 ? (length - rest) / length : 0;
  pull->x += force * dx;
  pull->y += force * dy;
  return length;
}

// Whether `a` is the longer edge; of equal ones the first is, whoever owns it.
static int beats(const Edge* a, const Edge* b) {
  if (a->length != b->length) return a->length > b->length;
  return a->vertex != b->vertex ? a->vertex < b->vertex : a->spring < b->spring;
}

// MPI_User_function.
static void keep_longest(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const Edge* theirs = in;
  Edge* best = inout;
  for (int i = 0; i < *count; ++i)
    if (beats(&theirs[i], &best[i])) best[i] = theirs[i];
}

static MPI_Datatype make_edge_type(void) {
  const int lengths[] = {1, 3};
  const MPI_Aint offsets[] = {offsetof(Edge, length), offsetof(Edge, vertex)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype fields, edge;
  MPI_Type_create_struct(2, lengths, offsets, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Edge), &edge);
  MPI_Type_commit(&edge);
  MPI_Type_free(&fields);
  return edge;
}

// Every rank learns where the gateways of its hubs are.
static void gather_gateways(const Network* net) {
  for (int root = 0; root < net->ranks; ++root) {
    for (int i = 0; i < net->gateway_counts[root]; ++i)
      net->outgoing[i] = net->place[net->gateways[root][i] - net->first];
    MPI_Gatherv(net->outgoing, 2 * net->gateway_counts[root], MPI_DOUBLE, net->incoming,
                net->incoming_counts, net->incoming_start, MPI_DOUBLE, root, MPI_COMM_WORLD);
  }
}

// Moves each of my hubs towards the middle of its gateways.
static void move_hubs(const Network* net) {
  const int* slot = net->slot;
  for (int region = net->first_region; region < net->last_region; ++region, slot += kGateways) {
    Point* hub = &net->hubs[region];
    Point pull = {0, 0};
    for (int i = 0; i < kGateways; ++i) add_pull(*hub, net->incoming[slot[i]], 0, &pull);
    hub->x += kStep / kGateways * pull.x;
    hub->y += kStep / kGateways * pull.y;
  }
}

static void start_broadcasts(const Network* net, MPI_Request* requests) {
  for (int root = 0; root < net->ranks; ++root) {
    const int first = first_region_of(net, root), last = first_region_of(net, root + 1);
    MPI_Ibcast(net->hubs + first, 2 * (last - first), MPI_DOUBLE, root, MPI_COMM_WORLD,
               &requests[root]);
  }
}

// Adds the forces of springs `from` to `to` of all my vertices, whose other ends are in `ends`.
static void add_pulls(const Network* net, const Point* ends, int from, int to, Edge* longest) {
  for (int i = 0; i < net->last - net->first; ++i)
    for (int spring = from; spring < to; ++spring) {
      const int at = i * kSprings + spring;
      const double length =
          add_pull(net->place[i], ends[net->link[at]], net->rest[at], &net->pull[i]);
      const Edge edge = {length, net->first + i, spring, net->rank};
      if (beats(&edge, longest)) *longest = edge;
    }
}

// A hub's own vertex lies where the hub is; all others follow their springs.
static void move_vertices(const Network* net) {
  for (int i = 0; i < net->last - net->first; ++i) {
    const int vertex = net->first + i;
    if (vertex % kRegion == 0) {
      net->place[i] = net->hubs[vertex / kRegion];
    } else {
      net->place[i].x += kStep / kSprings * net->pull[i].x;
      net->place[i].y += kStep / kSprings * net->pull[i].y;
    }
    net->pull[i] = (Point){0, 0};
  }
}

// One iteration; returns this rank's longest spring.
static Edge relax(const Network* net, MPI_Request* requests) {
  Edge longest = {-1, net->vertices, 0, net->rank};
  gather_gateways(net);
  move_hubs(net);
  start_broadcasts(net, requests);
  add_pulls(net, net->place, 0, kLocal, &longest);
  MPI_Waitall(net->ranks, requests, MPI_STATUSES_IGNORE);
  add_pulls(net, net->hubs, kLocal, kSprings, &longest);
  move_vertices(net);
  return longest;
}

// Iterates; returns a digest of the longest spring of every iteration.
static uint64_t solve(const Network* net, int iterations) {
  MPI_Datatype edge_type = make_edge_type();
  MPI_Op longest_of;
  MPI_Op_create(keep_longest, 1, &longest_of);
  MPI_Request* requests = app_allocate((size_t)net->ranks, sizeof(MPI_Request));
  uint64_t digest = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const Edge mine = relax(net, requests);
    Edge longest;
    MPI_Allreduce(&mine, &longest, 1, edge_type, longest_of, MPI_COMM_WORLD);
    if (longest.owner == net->rank)
      net->rest[(longest.vertex - net->first) * kSprings + longest.spring] *= kStretch;
    digest = app_term(digest + (uint64_t)longest.vertex * kSprings + (uint64_t)longest.spring,
                      app_bits(longest.length));
  }
  free(requests);
  MPI_Op_free(&longest_of);
  MPI_Type_free(&edge_type);
  return digest;
}

static uint64_t share_of_checksum(const Network* net) {
  uint64_t checksum = 0;
  for (int vertex = net->first; vertex < net->last; ++vertex) {
    const Point* place = &net->place[vertex - net->first];
    checksum += app_term(2 * (uint64_t)vertex, app_bits(place->x));
    checksum += app_term(2 * (uint64_t)vertex + 1, app_bits(place->y));
  }
  return checksum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  AppArgument arguments[] = {{"vertices", 1, 16777216, 131072}, {"iterations", 0, 1000000, 100}};
  app_arguments(argc, argv, kUsage, arguments, 2);

  Network net = make_network((int)arguments[0].value);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const uint64_t digest = solve(&net, (int)arguments[1].value);
  const double seconds = MPI_Wtime() - start;

  const uint64_t places = app_total(share_of_checksum(&net));
  free_network(&net);
  app_report(app_term(places, digest), seconds);
  MPI_Finalize();
}
