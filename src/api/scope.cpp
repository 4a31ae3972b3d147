#include "api/scope.hpp"

#include "api/arguments.hpp"

namespace stretto {
namespace {

// The root and the group it sends to or receives from, the root first. Its own block, which
// an intracommunicator's would have, is empty (see bind).
Scope root_and_group(const Call& call, const Communicator& comm) {
  const Groups& groups = comm.groups;
  const bool root = is_root(call, comm);
  const Rank first = root ? groups.remote : groups.local;
  const int others = root ? groups.remote_size : groups.local_size;
  Scope scope{.collective = call.collective,
              .me = root ? 0 : 1 + comm.rank - groups.local,
              .size = 1 + others};
  scope.ranks.reserve(static_cast<std::size_t>(scope.size));
  scope.ranks.push_back(root ? comm.rank : groups.remote + call.root);
  for (Rank rank = first; rank < first + others; ++rank) scope.ranks.push_back(rank);
  return scope;
}

Scope both_groups(Collective collective, const Communicator& comm) {
  return {.collective = collective, .me = comm.rank, .size = comm.size};
}

Scope reduction_between_groups(const Call& call, const Communicator& comm) {
  const Groups& groups = comm.groups;
  const bool rooted = call.collective == Collective::reduce;
  // A reduce-scatter is an allreduce each rank keeps its part of: the groups' parts differ.
  Scope scope = both_groups(rooted ? Collective::reduce : Collective::allreduce, comm);
  scope.first_group = groups.local == 0 ? groups.local_size : groups.remote_size;
  if (rooted) scope.root = is_root(call, comm) ? comm.rank : groups.remote + call.root;
  return scope;
}

}  // namespace

Scope scope_of(const Call& call, const Communicator& comm) {
  if (!comm.is_inter()) {
    return {.collective = call.collective,
            .me = comm.rank,
            .size = comm.size,
            .root = is_rooted(call.collective) ? call.root : 0};
  }
  if (is_bystander(call, comm)) return {.collective = call.collective, .idle = true};
  if (reduces(call.collective)) return reduction_between_groups(call, comm);
  switch (call.collective) {
    case Collective::bcast:
    case Collective::gather:
    case Collective::scatter:
      return root_and_group(call, comm);
    case Collective::allgather:
      // Nothing goes to one's own group; to the others the same block.
      return both_groups(Collective::alltoall, comm);
    default:
      return both_groups(call.collective, comm);
  }
}

}  // namespace stretto
