// Random calls of every collective, twice: for Stretto, and for the fake MPI to compare with.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "mpi/call.hpp"
#include "random_data.hpp"

namespace stretto {

using Random = std::mt19937;
[[nodiscard]] int below(Random& random, int limit);

// This rank on a communicator.
struct Position {
  MPI_Comm comm{};
  int rank = 0;
  int size = 1;    // of its group
  int others = 1;  // of the group that blocks go to
  bool inter = false;
  int side = 0;       // which group this is, as both know
  int neighbors = 0;  // both ways

  // `side` of an intercommunicator.
  [[nodiscard]] static Position on(MPI_Comm comm, int side = 0);
};

class RandomCall {
 public:
  // All ranks draw from generators of one state. `uneven`: of gatherv and its kind, or
  // MPI_Reduce_scatter.
  RandomCall(Random& random, const Types& types, const Position& position, Collective collective,
             bool uneven);

  // The two have buffers of their own, filled alike.
  [[nodiscard]] Call ours() const { return call(*recv_); }
  [[nodiscard]] Call theirs() const { return call(*expected_); }
  // Once both have run, gaps and what is around the buffers included.
  [[nodiscard]] bool results_agree();
  // For a message.
  [[nodiscard]] std::string words() const;

 private:
  struct Side {
    MPI_Datatype type{};
    int per_element = 1;  // of the type, for one element of both sides
    Count count = 0;
    std::vector<int> counts{};
    std::vector<int> displs{};
    std::vector<MPI_Datatype> types{};
  };

  [[nodiscard]] Call call(::Buffer& recv) const;
  void choose_root(Random& random);
  void choose_types(Random& random, const Types& types);
  void lay_out(Side& side, int blocks, unsigned seed, bool one_length) const;
  [[nodiscard]] long elements(const Side& side, int blocks) const;

  Position position_;
  Call described_;
  bool typed_ = false;  // alltoallw
  int count_ = 0;       // of a block, or at most
  Side send_side_, recv_side_;
  std::unique_ptr<::Buffer> send_, recv_, expected_;
};

}  // namespace stretto
