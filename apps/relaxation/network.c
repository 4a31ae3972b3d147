// Everything here follows from a hash of vertex numbers, so every rank can tell any of it by
// itself.
#include "network.h"

#include "../common/app.h"

int first_region_of(const Network* net, int rank) {
  return (int)((int64_t)net->regions * rank / net->ranks);
}

static int smaller(int a, int b) { return a < b ? a : b; }

static int owner_of(const Network* net, int region) {
  return (int)(((int64_t)(region + 1) * net->ranks - 1) / net->regions);
}

static uint64_t choice(uint64_t kind, int vertex, int which) {
  return app_mix(app_mix(kind) + (uint64_t)vertex * kRegion + (uint64_t)which);
}

static double fraction(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

static Point home(int vertex) {
  return (Point){fraction(choice(1, vertex, 0)), fraction(choice(1, vertex, 1))};
}

static int local_neighbor(const Network* net, int vertex, int spring) {
  const int start = vertex / kRegion * kRegion;
  const int size = smaller(kRegion, net->vertices - start);
  return start + (int)(choice(2, vertex, spring) % (uint64_t)size);
}

static int hub_neighbor(const Network* net, int vertex, int spring) {
  const int own = vertex / kRegion;
  return spring == kLocal ? own : (int)(choice(3, vertex, 0) % (uint64_t)net->regions);
}

static int gateway(const Network* net, int region, int which) {
  return (int)(choice(4, region, which) % (uint64_t)net->vertices);
}

static void place_vertices(Network* net) {
  const size_t mine = (size_t)(net->last - net->first);
  net->place = app_allocate(mine, sizeof(Point));
  net->pull = app_allocate(mine, sizeof(Point));
  net->link = app_allocate(mine * kSprings, sizeof(int));
  net->rest = app_allocate(mine * kSprings, sizeof(double));
  net->hubs = app_allocate((size_t)net->regions, sizeof(Point));
  for (int region = 0; region < net->regions; ++region) net->hubs[region] = home(region * kRegion);
  for (int vertex = net->first; vertex < net->last; ++vertex) {
    net->place[vertex - net->first] = home(vertex);
    for (int spring = 0; spring < kSprings; ++spring) {
      const int at = (vertex - net->first) * kSprings + spring;
      net->rest[at] = 0.05 + 0.1 * fraction(choice(5, vertex, spring));
      net->link[at] = spring < kLocal ? local_neighbor(net, vertex, spring) - net->first
                                      : hub_neighbor(net, vertex, spring);
    }
  }
}

// Who sends which gateways to whom: all ranks know all gateways, so nobody has to ask.
static void list_gateways(Network* net) {
  const size_t ranks = (size_t)net->ranks;
  const int mine = (net->last_region - net->first_region) * kGateways;
  net->gateways = app_allocate(ranks, sizeof(int*));
  net->gateway_counts = app_allocate(ranks, sizeof(int));
  net->incoming_counts = app_allocate(ranks, sizeof(int));
  net->incoming_start = app_allocate(ranks, sizeof(int));
  net->incoming = app_allocate((size_t)mine, sizeof(Point));
  net->slot = app_allocate((size_t)mine, sizeof(int));
  int most = 0;
  for (int root = 0; root < net->ranks; ++root) {
    const int first = first_region_of(net, root), last = first_region_of(net, root + 1);
    int count = 0;
    net->gateways[root] = app_allocate((size_t)(last - first) * kGateways, sizeof(int));
    for (int i = 0; i < (last - first) * kGateways; ++i) {
      const int vertex = gateway(net, first + i / kGateways, i % kGateways);
      if (net->first <= vertex && vertex < net->last) net->gateways[root][count++] = vertex;
    }
    net->gateway_counts[root] = count;
    if (count > most) most = count;
  }
  net->outgoing = app_allocate((size_t)most, sizeof(Point));

  int filled = 0;
  for (int rank = 0; rank < net->ranks; ++rank) {
    net->incoming_start[rank] = 2 * filled;
    for (int i = 0; i < mine; ++i) {
      const int vertex = gateway(net, net->first_region + i / kGateways, i % kGateways);
      if (owner_of(net, vertex / kRegion) == rank) net->slot[i] = filled++;
    }
    net->incoming_counts[rank] = 2 * filled - net->incoming_start[rank];
  }
}

Network make_network(int vertices) {
  Network net = {.vertices = vertices, .rank = app_rank(), .ranks = app_size()};
  net.regions = (vertices + kRegion - 1) / kRegion;
  net.first_region = first_region_of(&net, net.rank);
  net.last_region = first_region_of(&net, net.rank + 1);
  net.first = smaller(net.first_region * kRegion, vertices);
  net.last = smaller(net.last_region * kRegion, vertices);
  place_vertices(&net);
  list_gateways(&net);
  return net;
}

void free_network(Network* net) {
  for (int rank = 0; rank < net->ranks; ++rank) free(net->gateways[rank]);
  void* const owned[] = {
      net->place,           net->pull,          net->link,           net->rest,     net->hubs,
      net->gateways,        net->outgoing,      net->gateway_counts, net->incoming, net->slot,
      net->incoming_counts, net->incoming_start};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i) free(owned[i]);
}
