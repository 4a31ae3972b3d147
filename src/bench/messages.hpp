// What messages between two ranks cost: the raw times that LogGP parameters are fitted to.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/samples.hpp"
#include "mpi/native.hpp"

namespace stretto::bench {

// Of messages of `bytes` bytes between two ranks, in ns.
struct MessageTimes {
  std::int64_t bytes = 0;
  Sample one_way;   // half a round trip
  Sample exchange;  // both send and receive at once (MPI_Sendrecv)
  Sample send;      // in MPI_Isend
  Sample recv;      // in MPI_Recv, of a message that was sent long before
  Sample gap;       // from one message to the next, of many in a row
  // Whether a send ends only when its receiver has answered.
  bool rendezvous = false;
};

// Called by all ranks of `comm`; two of them, first < second, are measured, and rank 0 gets the
// answer. The others sleep meanwhile.
[[nodiscard]] std::vector<MessageTimes> measure_messages(MPI_Comm comm, int first, int second);

// For those who are not measured: without taking a core from those who are, until `awake` of them
// is called on rank `by`.
void sleep_until_awoken(int by, MPI_Comm comm);
void awake(int rank, MPI_Comm comm);

}  // namespace stretto::bench
