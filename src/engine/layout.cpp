#include <mutex>
#include <numeric>
#include <unordered_map>

#include "base/rank_context.hpp"
#include "engine/communicator.hpp"

namespace stretto::communicators {
namespace {

// Of equal layouts there is one: calls look for their plans by it, which would have to compare
// them rank by rank otherwise, and plans would keep each of them.
class KnownLayouts {
 public:
  std::shared_ptr<const Layout> one_of(Layout made) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const Layout>& known = by_hash_[made.hash()];
    if (auto same = known.lock(); same != nullptr && *same == made) return same;
    auto layout = std::make_shared<const Layout>(std::move(made));
    known = layout;
    if (by_hash_.size() >= most_) {
      std::erase_if(by_hash_, [](const auto& each) { return each.second.expired(); });
      most_ = 2 * by_hash_.size() + kFew;
    }
    return layout;
  }

 private:
  static constexpr std::size_t kFew = 64;

  std::mutex mutex_;
  std::unordered_map<std::size_t, std::weak_ptr<const Layout>> by_hash_;
  std::size_t most_ = kFew;  // at which those that are gone are looked for
};

std::shared_ptr<const Layout> make_layout(const Communicator& comm, std::vector<Rank> ranks) {
  for (Rank& rank : ranks) rank = comm.routes.number_of(rank);
  const Hosts& known = comm.channel->hosts;
  return of_rank<KnownLayouts>().one_of(layout_of(known.numbers, known.cores, ranks));
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
