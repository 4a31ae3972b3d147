// What a rank says that has waited for long: whom it waits for, and in what. The ranks that
// are waited for and say nothing themselves have not come, have stopped or are gone.

#include <map>
#include <set>
#include <string>

#include "base/log.hpp"
#include "engine/engine.hpp"

namespace stretto {
namespace {

constexpr std::size_t kMostPeers = 8;  // named for one operation

// Of a rank of the operation's channel.
int world_rank(const Operation& operation, Rank rank) {
  MPI_Group group{};
  MPI_Group world{};
  int found = MPI_UNDEFINED;
  native().Comm_group(operation.comm().channel->comm, &group);
  native().Comm_group(native().comm_world, &world);
  native().Group_translate_ranks(group, 1, &rank, world, &found);
  native().Group_free(&group);
  native().Group_free(&world);
  return found;
}

std::string ranks(const Operation& operation, const std::set<Rank>& peers) {
  std::string text = peers.size() == 1 ? "rank " : "ranks ";
  std::size_t named = 0;
  for (const Rank peer : peers) {
    if (named == kMostPeers) return text + " and others";
    text.append(named++ == 0 ? "" : ", ").append(std::to_string(world_rank(operation, peer)));
  }
  return text;
}

}  // namespace

void Engine::report_stall(bool on_host) {
  // Again only where it takes much longer: a long run is not to fill its log with it.
  const std::int64_t waited_ns = stall_ns_.load(std::memory_order_relaxed);
  const auto waited_s = static_cast<long long>(waited_ns / 1'000'000'000);
  if (on_host) {
    int rank = 0;
    native().Comm_rank(native().comm_world, &rank);
    say("rank %d has waited %lld s for ranks of its host in a short collective", rank, waited_s);
    stall_ns_.store(2 * waited_ns, std::memory_order_relaxed);
    return;
  }
  Lock lock(mutex_);
  if (driving_) return;
  drive(lock, [this, waited_ns, waited_s] {
    std::map<const Operation*, std::set<Rank>> waits;
    for (const auto& transport : transports_) {
      for (const auto& token : transport->in_flight()) {
        const auto* operation = static_cast<const Operation*>(token.owner);
        const Step& step = operation->plan().schedule.steps[static_cast<std::size_t>(token.step)];
        const Rank rank = operation->task().rank_of(step.peer);
        waits[operation].insert(operation->comm().routes.number_of(rank));
      }
    }
    if (waits.empty()) return;  // for the MPI's own
    const auto& [operation, peers] = *waits.begin();
    int me = 0;
    native().Comm_rank(native().comm_world, &me);
    say("rank %d has waited %lld s for %s in %s on %d ranks", me, waited_s,
        ranks(*operation, peers).c_str(),
        std::string(name_of(operation->plan().schedule.shape.collective)).c_str(),
        operation->comm().size);
    stall_ns_.store(2 * waited_ns, std::memory_order_relaxed);
  });
  work(lock);
}

}  // namespace stretto
