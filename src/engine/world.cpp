#include "engine/world.hpp"

#include <cstring>
#include <string_view>
#include <vector>

#include "base/rank_context.hpp"
#include "engine/agreement.hpp"
#include "topology/topology.hpp"

namespace stretto {
namespace {

constexpr int kTag = 0;

// Among more ranks each host is taken for a machine of its own: another eight bytes a rank are too
// many there, if only for a moment.
constexpr int kMostForMachines = 65536;

// What all hosts have.
constexpr std::uint64_t kHasCores = 1;  // for all their ranks, or nobody knows
constexpr std::uint64_t kKnows = 2;     // and report it
constexpr std::uint64_t kSpares = 4;    // and another for each of them

std::string_view name_of(const Affinity& affinity) {
  return {affinity.host.data(), strnlen(affinity.host.data(), affinity.host.size())};
}

template <class Each>
void gather_all(MPI_Comm comm, const Each& mine, Each* all) {
  native().Allgather(&mine, sizeof mine, native().byte, all, sizeof mine, native().byte, comm);
}

HostNumbers number_names_of(MPI_Comm comm, const Affinity& mine, int size, HostWords words) {
  gather_all(comm, host_word(name_of(mine)), words.get());
  return number_hosts(std::move(words), static_cast<std::size_t>(size));
}

// Read once: a rank stays where it is, and communicators are made by the thousand.
CoreGroups core_groups_here() {
  struct Read {
    CoreGroups groups = Affinity::here().core_groups();
  };
  return of_rank<Read>().groups;
}

// In memory that `words` will need next: of a million ranks what is freed here would stay with the
// process.
CoreNumbers number_cores_of(MPI_Comm comm, int size, const HostWords& words) {
  auto* const all = reinterpret_cast<CoreGroups*>(words.get());
  gather_all(comm, core_groups_here(), all);
  return CoreNumbers({all, static_cast<std::size_t>(size)});
}

Affinity exchange(const Affinity& mine, int other, MPI_Comm comm) {
  Affinity its;
  native().Sendrecv(&mine, sizeof mine, native().byte, other, kTag, &its, sizeof its, native().byte,
                    other, kTag, comm, MPI_STATUS_IGNORE);
  return its;
}

// On the first rank of a host the affinities of all its ranks; elsewhere nothing. It sends its own
// in return, which nobody reads: after a single message one way Open MPI 4.1's small messages
// between two ranks of a host take a fifth longer, for good.
std::vector<Affinity> gather_on_host(MPI_Comm comm, const HostNumbers& hosts, int rank, int size,
                                     const Affinity& mine) {
  const std::uint32_t host = hosts.host_of(rank);
  std::vector<int> ranks;
  for (int other = 0; other < size; ++other) {
    if (hosts.host_of(other) == host) ranks.push_back(other);
  }
  if (ranks.front() != rank) {
    exchange(mine, ranks.front(), comm);
    return {};
  }
  std::vector<Affinity> affinities(ranks.size());
  affinities.front() = mine;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    affinities[i] = exchange(mine, ranks[i], comm);
  }
  return affinities;
}

}  // namespace

Hosts survey(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  native().Comm_rank(comm, &rank);
  native().Comm_size(comm, &size);
  Affinity mine = Affinity::here();
  Hosts hosts;
  HostWords words = make_host_words(static_cast<std::size_t>(size));
  hosts.cores = number_cores_of(comm, size, words);
  hosts.numbers = number_names_of(comm, mine, size, std::move(words));
  HostNumbers machines;
  const bool several = hosts.numbers.hosts > 1 && size <= kMostForMachines;
  if (several) {
    mine = mine.on_its_machine();
    machines = number_names_of(comm, mine, size, make_host_words(static_cast<std::size_t>(size)));
  }
  const Topology here(gather_on_host(comm, several ? machines : hosts.numbers, rank, size, mine));
  std::uint64_t common = (here.oversubscribed() ? 0 : kHasCores) |
                         (here.knows_cores() ? kKnows : 0) | (here.has_spare_cores() ? kSpares : 0);
  keep_common_bits({.comm = comm, .rank = rank}, {&common, 1});
  hosts.oversubscribed = (common & kHasCores) == 0;
  hosts.knows_cores = (common & kKnows) != 0;
  hosts.spare_cores = (common & kSpares) != 0 && mine.cores.count() > 1;
  return hosts;
}

}  // namespace stretto
