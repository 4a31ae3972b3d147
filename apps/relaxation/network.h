// The network: which vertices there are, what they hang on, and which rank has them.
#ifndef APPS_RELAXATION_NETWORK_H
#define APPS_RELAXATION_NETWORK_H

enum {
  kRegion = 16,   // vertices of a region, its hub the first of them
  kLocal = 14,    // springs of a vertex to others of the same region
  kSprings = 16,  // and, with those to its own hub and to a foreign one, all
  kGateways = 2   // of a hub
};

typedef struct {
  double x, y;
} Point;

typedef struct {
  int vertices, regions, rank, ranks;
  int first_region, last_region;  // my regions: first <= region < last
  int first, last;                // and their vertices
  Point *place, *pull;            // of my vertices: where it is, what moves it
  int* link;     // of my springs: the vertex of mine it leads to, or for kLocal and on the hub
  double* rest;  // of my springs: the length without force
  Point* hubs;   // all hubs, by region
  // For each rank, which of my vertices are gateways of its hubs, in the order it expects them.
  int **gateways, *gateway_counts;
  Point* outgoing;  // their places
  Point* incoming;  // the places of my hubs' gateways, by the rank they are on
  int *incoming_counts, *incoming_start;  // in doubles, for each rank
  int* slot;                              // where in `incoming` each gateway of my hubs is
} Network;

Network make_network(int vertices);

void free_network(Network* net);

// The regions of `rank` are those from this one up to the first of the next rank.
int first_region_of(const Network* net, int rank);

#endif
