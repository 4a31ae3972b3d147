#include "selection/assumed.hpp"

namespace stretto {

// Of the order of 10 Gbit Ethernet with TCP: between what is quicker and what is slower.
const Machine& assumed_machine() {
  // Never destroyed: exit() may run what still calls MPI.
  static const auto* const machine =
      new Machine{.name = "assumed",
                  .levels = {{.name = "host",
                              .ranks = 1,  // as many as there are; see with_hosts_of
                              .pieces = {{.latency = 250,
                                          .send_overhead = 100,
                                          .recv_overhead = 100,
                                          .gap = 100,
                                          .gap_per_byte = 0.15}}},
                             {.name = "network",
                              .pieces = {{.latency = 12'000,
                                          .send_overhead = 2'500,
                                          .recv_overhead = 3'500,
                                          .overhead_per_byte = 0.15,
                                          .gap = 2'500,
                                          .gap_per_byte = 0.85},
                                         {.from_bytes = 65'536,
                                          .latency = 40'000,
                                          .send_overhead = 4'000,
                                          .recv_overhead = 5'000,
                                          .overhead_per_byte = 0.15,
                                          .gap = 4'000,
                                          .gap_per_byte = 0.85}},
                              .link_per_byte = 0.85}},
                  .copy = 20,
                  .copy_per_byte = 0.08,
                  .reduce = 20,
                  .reduce_per_byte = 0.12};
  return *machine;
}

}  // namespace stretto
