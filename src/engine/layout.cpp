#include <mutex>
#include <numeric>

#include "engine/communicator.hpp"

namespace stretto::communicators {
namespace {

std::shared_ptr<const Layout> make_layout(const Communicator& comm, std::vector<Rank> ranks) {
  for (Rank& rank : ranks) rank = comm.routes.number_of(rank);
  const Hosts& known = comm.channel->hosts;
  return std::make_shared<const Layout>(layout_of(known.numbers, known.cores, ranks));
}

std::vector<Rank> all_ranks(const Communicator& comm) {
  std::vector<Rank> ranks(static_cast<std::size_t>(comm.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

std::shared_ptr<const Layout> layout_of(Communicator& comm, const std::vector<Rank>& ranks) {
  if (comm.channel == nullptr) return nullptr;
  if (!ranks.empty()) return make_layout(comm, ranks);
  // Those of all the channel's ranks in its order, MPI_COMM_WORLD's and its copies, have one.
  auto& kept = comm.routes.ranks().empty() ? comm.channel->layout : comm.layout;
  static constinit std::mutex making;
  const std::lock_guard lock(making);
  if (kept == nullptr) kept = make_layout(comm, all_ranks(comm));
  return kept;
}

}  // namespace stretto::communicators
