// Where selection takes the algorithms that go by the layout, and what it goes by.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "collectives/network.hpp"
#include "model/simulate.hpp"
#include "selection/assumed.hpp"
#include "selection/classics.hpp"
#include "selection/fastest.hpp"

namespace stretto {
namespace {

constexpr Collective kTwoLevel[] = {
    Collective::barrier,   Collective::bcast,    Collective::reduce,
    Collective::allreduce, Collective::gather,   Collective::scatter,
    Collective::allgather, Collective::alltoall, Collective::reduce_scatter};

// Ranks on hosts of so many each, one behind the other, of which the fullest are full.
struct Hosts {
  std::vector<int> ranks;
  Machine machine;
  Query query;

  Hosts(std::vector<int> on_each, const Query& asked)
      : ranks(std::move(on_each)),
        machine(with_hosts_of(assumed_machine(), std::ranges::max(ranks))),
        query(asked) {
    const int most = std::ranges::max(ranks);
    for (std::size_t host = 0; host < ranks.size(); ++host) {
      for (int i = 0; i < ranks[host]; ++i) {
        machine.places.push_back(static_cast<int>(host) * most + i);
      }
    }
    query.size = static_cast<int>(machine.places.size());
  }
  [[nodiscard]] int number() const { return static_cast<int>(ranks.size()); }

  // As selection has it, which knows how many ranks and hosts there are.
  [[nodiscard]] double estimated(const Choice& choice) const {
    const int on_each = (query.size + number() - 1) / number();
    const Machine known = with_hosts_of(assumed_machine(), on_each);
    return time_of(choice, query, Network(known, query.size, number()));
  }
  [[nodiscard]] double simulated(const Choice& choice) const {
    const Shape shape{.collective = query.collective,
                      .size = query.size,
                      .count = query.bytes,
                      .segment = choice.segment_bytes,
                      .radix = choice.radix};
    const model::Conditions conditions{
        .arrivals = std::vector<double>(static_cast<std::size_t>(query.size))};
    const auto answer =
        model::simulate({.algorithm = choice.algorithm, .shape = shape}, machine, conditions);
    return *std::ranges::max_element(answer.outcome.ends);
  }
};

const std::vector<int> kUneven = {16, 3, 16, 9, 1, 16, 16, 16, 16};

TEST(TwoLevel, TakesAboutWhatIsEstimated) {
  const std::vector<std::vector<int>> all{
      {16, 16}, {16, 16, 16, 16}, std::vector<int>(8, 16), std::vector<int>(5, 24), kUneven};
  for (const Collective collective : kTwoLevel) {
    for (const Count bytes : {8, 1024, 32 * 1024}) {
      for (const std::vector<int>& ranks : all) {
        const Hosts hosts(ranks, {.collective = collective, .bytes = bytes});
        for (const Choice& choice : options(hosts.query, hosts.number())) {
          if (!choice.algorithm->uses_layout) continue;
          const double ratio = hosts.estimated(choice) / hosts.simulated(choice);
          EXPECT_GT(ratio, 0.72) << name_of(collective) << ' ' << bytes << " B, " << ranks.size()
                                 << " hosts, segments of " << choice.segment_bytes;
          EXPECT_LT(ratio, 1.4) << name_of(collective) << ' ' << bytes << " B, " << ranks.size()
                                << " hosts, segments of " << choice.segment_bytes;
        }
      }
    }
  }
}

// Two a host would make 33 of 66 ranks, which signal each other in a round less than 65.
TEST(TwoLevel, IsEstimatedOnAllTheHostsThatThereAre) {
  std::vector<int> ranks(65, 1);
  ranks[0] = 2;
  const Hosts hosts(ranks, {.collective = Collective::barrier});
  const Choice choice{.algorithm = find_algorithm(Collective::barrier, "two_level")};
  EXPECT_NEAR(hosts.estimated(choice) / hosts.simulated(choice), 1, 0.02);
}

Surroundings on_hosts(int hosts) {
  return {.hosts = hosts, .progress_thread = true, .never_native = true};
}

const Query kAllgather{.collective = Collective::allgather, .size = 128, .bytes = 64};

TEST(TwoLevel, IsTakenBetweenHostsOfSeveralRanksInEveryForm) {
  for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
    Query query = kAllgather;
    query.form = form;
    EXPECT_TRUE(choose(query, on_hosts(8), {}).algorithm->uses_layout);
  }
}

TEST(TwoLevel, IsNotTakenWhereRanksShareCoresOrHostsAlternateOrFewAreMeasured) {
  Surroundings crowded = on_hosts(8);
  crowded.has_cores = false;
  EXPECT_FALSE(choose(kAllgather, crowded, {}).algorithm->uses_layout);
  Surroundings round_the_hosts = on_hosts(8);
  round_the_hosts.in_blocks = false;
  EXPECT_FALSE(choose(kAllgather, round_the_hosts, {}).algorithm->uses_layout);
  EXPECT_FALSE(choose(kAllgather, on_hosts(128), {}).algorithm->uses_layout);
  Query few = kAllgather;
  few.size = 16;
  few.collective = Collective::reduce_scatter;
  EXPECT_EQ(choose(few, on_hosts(2), {}).basis, Basis::few_ranks);
  Query uneven = kAllgather;
  uneven.uneven = true;
  EXPECT_FALSE(choose(uneven, on_hosts(8), {}).algorithm->uses_layout);
  // What was asked of others is not remembered for these.
  EXPECT_TRUE(choose(kAllgather, on_hosts(8), {}).algorithm->uses_layout);
}

// Rules of few ranks were measured with two a host.
TEST(TwoLevel, IsTakenOfFewRanksWhereTheirRulesTakeLong) {
  Query barrier{.collective = Collective::barrier, .size = 16};
  EXPECT_TRUE(choose(barrier, on_hosts(4), {}).algorithm->uses_layout);
  Surroundings crowded = on_hosts(4);
  crowded.has_cores = false;
  EXPECT_EQ(choose(barrier, crowded, {}).basis, Basis::few_ranks);
  barrier.size = 8;
  EXPECT_EQ(choose(barrier, on_hosts(4), {}).basis, Basis::few_ranks);
}

// What the MPIs run sends each host everything as often as it has ranks.
TEST(TwoLevel, TakesAFractionOfWhatTheClassicsTakeWhereHostsShareALink) {
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    const Hosts hosts(std::vector<int>(8, 16), {.collective = collective, .bytes = 512});
    const Choice chosen = fastest(hosts.query, hosts.machine, 8);
    EXPECT_LT(4 * hosts.simulated(chosen), hosts.simulated(classic(hosts.query)));
  }
}

}  // namespace
}  // namespace stretto
