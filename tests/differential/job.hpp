// A collective with everything this rank calls it with.
#pragma once

#include <mpi.h>

#include "action.hpp"
#include "side.hpp"
#include "view.hpp"

namespace differential {

enum class Mode { blocking, nonblocking, persistent };

// What came out of a call on this rank.
struct Outcome {
  int error = MPI_SUCCESS;  // its class
  Seed received = 0;        // digest
  bool sent_is_whole = true;
};

class Job {
 public:
  // Draws what is left to draw from `seed`, which a call's ranks share.
  Job(const Arguments& arguments, Seed seed, const View& view, int world_rank);

  // New data to send and to overwrite.
  void fill(Seed seed);
  int issue(Mode mode, MPI_Request* request);
  // Allowed as soon as it is issued.
  void free_types();
  Outcome outcome(int error);

 private:
  void describe_nothing();
  void describe_reduction();
  void describe_bcast();
  void describe_blocks();
  void describe_in_place();
  [[nodiscard]] bool is_root() const;
  // Elements that `from`, on this side of an intercommunicator or on the other, has for `to`.
  [[nodiscard]] int length(int side, int from, int to) const;
  [[nodiscard]] std::vector<int> lengths_out() const;
  [[nodiscard]] std::vector<int> lengths_in() const;
  [[nodiscard]] std::vector<int> scattered() const;
  [[nodiscard]] Random random_of(int what) const;

  Arguments arguments_;
  Seed seed_;
  View view_;
  int world_rank_;
  int root_ = 0;  // as the call wants it
  Side send_, recv_;
  Op op_;
  int first_undefined_ = -1;  // of the received elements; -1: none
  Seed sent_ = 0;             // digest as it was issued
};

// Does the MPI this process has loaded know persistent collectives?
bool has_persistent();

}  // namespace differential
