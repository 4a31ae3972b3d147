#include "job.hpp"

#include <algorithm>
#include <numeric>

namespace differential {

Job::Job(const Arguments& arguments, Seed seed, const View& view, int world_rank)
    : arguments_(arguments), seed_(seed), view_(view), world_rank_(world_rank) {
  const Traits& about = traits(arguments_.collective);
  // On an intercommunicator the root is one of the side that the seed says.
  const int root_side = view_.inter ? random_of(1).below(2) : view_.side;
  const bool with_root = view_.side == root_side;
  root_ = arguments_.root % (with_root ? view_.size : view_.peers);
  if (view_.inter && about.rooted && with_root) {
    root_ = view_.rank == root_ ? MPI_ROOT : MPI_PROC_NULL;
  }
  if (arguments_.collective == Collective::barrier) return;
  if (about.rooted && root_ == MPI_PROC_NULL) {
    describe_nothing();
    return;
  }
  if (about.reduces) {
    describe_reduction();
  } else if (arguments_.collective == Collective::bcast) {
    describe_bcast();
  } else {
    describe_blocks();
  }
  if (arguments_.in_place && (!about.rooted || is_root())) describe_in_place();
}

// Of the buffers nothing is looked at; Open MPI 4.1 wants a type all the same.
void Job::describe_nothing() {
  send_.count = recv_.count = 0;
  send_.type = recv_.type = MPI_INT;
  if (traits(arguments_.collective).reduces) op_ = Op(0);
}

bool Job::is_root() const { return view_.inter ? root_ == MPI_ROOT : root_ == view_.rank; }

Random Job::random_of(int what) const { return {seed_, as_seed(what)}; }

int Job::length(int side, int from, int to) const {
  const Traits& about = traits(arguments_.collective);
  // The two ways across an intercommunicator are independent of each other.
  const int most = side == 0 ? arguments_.count : (arguments_.count + 1) / 2;
  if (!about.uneven) return most;
  // In place what comes replaces what goes, so it is as long.
  if (arguments_.in_place && from > to) std::swap(from, to);
  return Random{seed_, as_seed(side), as_seed(from), as_seed(to)}.below(most + 1);
}

void Job::describe_bcast() {
  Side& side = view_.inter && is_root() ? send_ : recv_;
  const int count = length(view_.inter && !is_root() ? 1 - view_.side : view_.side, 0, 0);
  // Each rank may describe the data in its own way.
  side.describe_blocks(arguments_, {count}, Random{seed_, as_seed(world_rank_)},
                       view_.inter && is_root());
}

// How the result of a reduce_scatter is shared out: as many elements on both sides of an
// intercommunicator.
std::vector<int> Job::scattered() const {
  std::vector<int> parts;
  const int share = std::min(arguments_.count, 1000);
  const bool uneven = arguments_.collective == Collective::reduce_scatter;
  for (int rank = 0; rank < view_.size; ++rank) {
    if (view_.inter) {
      parts.push_back(share * view_.peers);
    } else {
      parts.push_back(uneven ? length(0, rank, rank) : arguments_.count);
    }
  }
  for (std::size_t i = 1; uneven && view_.inter && i < parts.size(); i += 2) {
    const int moved = random_of(static_cast<int>(i)).below(parts[i] + 1);
    parts[i] -= moved;
    parts[i - 1] += moved;
  }
  return parts;
}

void Job::describe_reduction() {
  op_ = Op(arguments_.op);
  const bool rooted = traits(arguments_.collective).rooted;
  const bool scatters = arguments_.collective == Collective::reduce_scatter ||
                        arguments_.collective == Collective::reduce_scatter_block;
  int in = arguments_.count, out = arguments_.count;
  if (scatters) {
    const std::vector<int> parts = scattered();
    out = std::reduce(parts.begin(), parts.end());
    in = parts[static_cast<std::size_t>(view_.rank)];
    recv_.counts = parts;
  }
  const bool receives = !rooted || is_root();
  const bool sends = !rooted || !view_.inter || !is_root();
  if (sends) send_.describe_vector(arguments_.op, out);
  if (receives) {
    // In place the vector lies where the result will, and what else there is is undefined.
    const bool whole = scatters && arguments_.in_place;
    recv_.describe_vector(arguments_.op, whole ? out : in);
    recv_.count = in;
    if (whole) first_undefined_ = in;
  } else {
    recv_.count = in;  // significant on all ranks
  }
  // The one type of the call is taken from the receiving side.
  if (!receives) recv_.type = send_.type;
}

std::vector<int> Job::lengths_out() const {
  std::vector<int> lengths;
  const int side = view_.side;
  switch (arguments_.collective) {
    case Collective::gather:
    case Collective::gatherv:
    case Collective::allgather:
    case Collective::allgatherv:
      return {length(side, view_.rank, view_.rank)};
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
      return {length(0, view_.rank, view_.rank)};
    case Collective::scatter:
    case Collective::scatterv:
      for (int to = 0; to < view_.peers; ++to) lengths.push_back(length(side, to, to));
      return lengths;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      for (int to = 0; to < view_.peers; ++to) lengths.push_back(length(side, view_.rank, to));
      return lengths;
    default:
      for (const int to : view_.destinations) lengths.push_back(length(0, view_.rank, to));
      return lengths;
  }
}

std::vector<int> Job::lengths_in() const {
  std::vector<int> lengths;
  const int side = view_.inter ? 1 - view_.side : view_.side;
  switch (arguments_.collective) {
    case Collective::scatter:
    case Collective::scatterv:
      return {length(side, view_.rank, view_.rank)};
    case Collective::gather:
    case Collective::gatherv:
    case Collective::allgather:
    case Collective::allgatherv:
      for (int from = 0; from < view_.peers; ++from) lengths.push_back(length(side, from, from));
      return lengths;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      for (int from = 0; from < view_.peers; ++from) {
        lengths.push_back(length(side, from, view_.rank));
      }
      return lengths;
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
      for (const int from : view_.sources) lengths.push_back(length(0, from, from));
      return lengths;
    default:
      for (const int from : view_.sources) lengths.push_back(length(0, from, view_.rank));
      return lengths;
  }
}

void Job::describe_blocks() {
  const Traits& about = traits(arguments_.collective);
  const bool scatters =
      arguments_.collective == Collective::scatter || arguments_.collective == Collective::scatterv;
  // The root alone has the side with all blocks; on an intercommunicator it has no other.
  const bool sends = !about.rooted || (scatters ? is_root() : !view_.inter || !is_root());
  const bool receives = !about.rooted || (scatters ? !view_.inter || !is_root() : is_root());
  const auto rank = as_seed(world_rank_);
  if (sends) send_.describe_blocks(arguments_, lengths_out(), Random{seed_, rank, 1}, true);
  if (receives) recv_.describe_blocks(arguments_, lengths_in(), Random{seed_, rank, 2}, false);
}

// The other side is not looked at.
void Job::describe_in_place() {
  const bool scatters =
      arguments_.collective == Collective::scatter || arguments_.collective == Collective::scatterv;
  Side& unused = scatters ? recv_ : send_;
  unused = Side();
  unused.data = MPI_IN_PLACE;
}

void Job::fill(Seed seed) {
  const auto rank = as_seed(world_rank_);
  send_.buffer.fill({seed, rank, 1});
  recv_.buffer.fill({seed, rank, 2});
  if (traits(arguments_.collective).reduces) {
    Random values{seed, rank, 3};
    for (Side* side : {&send_, &recv_}) {
      fill_for(arguments_.op, values, side->buffer.data(), side->buffer.elements());
    }
  }
  sent_ = send_.buffer.digest();
}

void Job::free_types() {
  send_.element.free();
  recv_.element.free();
  op_.free();
}

Outcome Job::outcome(int error) {
  Outcome outcome;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &outcome.error);
  outcome.sent_is_whole = send_.buffer.digest() == sent_;
  outcome.received =
      first_undefined_ < 0 ? recv_.buffer.digest() : recv_.buffer.digest(first_undefined_);
  return outcome;
}

}  // namespace differential
