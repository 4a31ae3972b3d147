// What a sequence is made of: a list of actions, drawn alike on every rank, that says
// nothing of ranks or sizes. Data; `executor` does them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "random.hpp"

namespace differential {

enum class Collective {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw
};
constexpr int kCollectives = 22;

struct Traits {
  const char* name;
  bool rooted = false;
  bool reduces = false;
  bool uneven = false;  // its blocks differ in size
  bool in_place = false;
  bool inter = true;  // defined on intercommunicators
  bool neighbor = false;
};
constexpr std::array<Traits, kCollectives> kTraits{{
    {.name = "barrier"},
    {.name = "bcast", .rooted = true},
    {.name = "reduce", .rooted = true, .reduces = true, .in_place = true},
    {.name = "allreduce", .reduces = true, .in_place = true},
    {.name = "gather", .rooted = true, .in_place = true},
    {.name = "gatherv", .rooted = true, .uneven = true, .in_place = true},
    {.name = "scatter", .rooted = true, .in_place = true},
    {.name = "scatterv", .rooted = true, .uneven = true, .in_place = true},
    {.name = "allgather", .in_place = true},
    {.name = "allgatherv", .uneven = true, .in_place = true},
    {.name = "alltoall", .in_place = true},
    {.name = "alltoallv", .uneven = true, .in_place = true},
    {.name = "alltoallw", .uneven = true, .in_place = true},
    {.name = "reduce_scatter_block", .reduces = true, .in_place = true},
    {.name = "reduce_scatter", .reduces = true, .uneven = true, .in_place = true},
    {.name = "scan", .reduces = true, .in_place = true, .inter = false},
    {.name = "exscan", .reduces = true, .in_place = true, .inter = false},
    {.name = "neighbor_allgather", .inter = false, .neighbor = true},
    {.name = "neighbor_allgatherv", .uneven = true, .inter = false, .neighbor = true},
    {.name = "neighbor_alltoall", .inter = false, .neighbor = true},
    {.name = "neighbor_alltoallv", .uneven = true, .inter = false, .neighbor = true},
    {.name = "neighbor_alltoallw", .uneven = true, .inter = false, .neighbor = true},
}};
constexpr const Traits& traits(Collective collective) {
  return kTraits[static_cast<std::size_t>(collective)];
}

// Ways to come by a communicator.
enum class Making {
  dup,
  split_parity,
  split_reversed,
  split_alone,
  split_some,  // the last rank gets none
  create_half,
  intercomm,  // the lower half of the ranks and the others
  merge,      // of an intercommunicator
  cart,
  graph,
  dist_graph_adjacent,
  dist_graph
};
enum class Kind {
  make_comm,
  free_comm,     // perhaps with operations pending
  call,          // blocking
  start,         // nonblocking
  init,          // persistent
  restart,       // of persistent ones
  free_request,  // of a persistent one
  complete,      // of some that are pending; which and how, each rank draws by itself
  straggle,      // the late rank stays away until a flood has gone past it, or waits for it
  flood,         // `many` broadcasts of an int, one after the other, in each other's wake
  crowd          // make `many` communicators in all ways, use them while all are there, free them
};

// An action's id, as others name what it made.
using Id = int;
constexpr Id kWorld = -1;
constexpr Id kSelf = -2;

// What a collective is called with. Each rank draws the rest from the action's seed.
struct Arguments {
  Collective collective{};
  int root = 0;   // modulo the number of ranks
  int count = 0;  // elements: of the vector, of a block, or the most of a block
  int type = 0;   // into kTypes
  int op = 0;     // into kReductions
  bool in_place = false;
  bool frees_early = false;  // types and operations, while it is pending
  bool alike = false;        // all ranks name the data by one type
};

struct Action {
  Id id = 0;
  Kind kind{};
  Seed seed = 0;
  Id comm = kWorld;  // for free_comm the one to free, for make_comm the parent
  Making making{};
  Arguments arguments;
  int many = 0;              // see flood, crowd
  std::vector<Id> requests;  // restart, free_request: made by these init actions
  // Of MPI_COMM_WORLD, for straggle and flood of the communicator, modulo its size; -1: all are
  // on time.
  int late_rank = -1;
  int late_us = 0;
  bool late_computes = false;  // does not sleep
};

// One line that says what it does, for people.
std::string in_words(const Action& action);

}  // namespace differential
