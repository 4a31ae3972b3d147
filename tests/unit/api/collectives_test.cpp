// Every collective by every algorithm, on the engine, against the fake MPI's own: blocks of one
// size and of many, types with gaps, in place, orders that count, on one group and on two.

#include "fake_mpi/collectives.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "api/call.hpp"
#include "api/random_call.hpp"
#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;

int reference(const Call& call) {
  fake_mpi::Entered at("fake_of the reference", call.comm);
  return fake_mpi::collective(at, "of the reference", call, nullptr);
}

bool has_blocks_that_differ(const Call& call, const Communicator& comm) {
  const bool in_blocks = !reduces(call.collective) && call.collective != Collective::bcast &&
                         call.collective != Collective::barrier;
  return call.uneven || is_neighborhood(call.collective) || (comm.is_inter() && in_blocks);
}

bool is_commutative(const Call& call) {
  int commutative = 1;
  if (reduces(call.collective)) native().Op_commutative(call.op, &commutative);
  return commutative != 0;
}

// May `algorithm` run what `decision` is about? The same on ranks that have no part in it.
bool fits(const Algorithm& algorithm, const Call& call, const Decision& decision) {
  if (algorithm.collective != decision.scope.collective) return false;
  const bool two_groups = decision.comm->is_inter() && reduces(call.collective);
  if (algorithm.two_groups != two_groups) return false;
  if (!algorithm.keeps_rank_order && !is_commutative(call)) return false;
  const bool uneven = has_blocks_that_differ(call, *decision.comm) && !two_groups;
  return algorithm.single_blocks || !uneven;
}

// Once by each algorithm that may run it, and by the one that is chosen.
void run_by_all(Random& random, const Types& types, const Position& position, Collective collective,
                bool uneven) {
  const auto compare = [&](const std::function<bool(const Call&, Decision&)>& choose) {
    RandomCall call(random, types, position, collective, uneven);
    Decision decision = decide(call.ours());
    ASSERT_EQ(decision.error, MPI_SUCCESS) << call.words();
    if (!choose(call.ours(), decision)) return;
    EXPECT_EQ(run(call.ours(), decision), MPI_SUCCESS) << call.words();
    EXPECT_EQ(reference(call.theirs()), MPI_SUCCESS);
    EXPECT_TRUE(call.results_agree()) << decision.choice.algorithm->name << ": " << call.words();
  };
  for (const Algorithm* const algorithm : algorithms()) {
    const int radix = 2 + below(random, 3);
    const int segment = below(random, 6);
    compare([&](const Call& call, Decision& decision) {
      if (!fits(*algorithm, call, decision)) return false;
      decision.choice.algorithm = algorithm;
      decision.shape.radix = radix;
      decision.shape.segment = algorithm->uses_segment ? segment : 0;
      return true;
    });
  }
  compare([](const Call& /*call*/, const Decision& decision) { return !decision.is_native(); });
}

bool has_uneven_form(Collective collective) {
  switch (collective) {
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::reduce_scatter:
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return true;
    default:
      return false;
  }
}

void run_all(unsigned seed, const Types& types, const Position& position) {
  Random random(seed);
  for (int c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    if (is_neighborhood(collective) != (position.neighbors > 0)) continue;
    const bool one_group = collective == Collective::scan || collective == Collective::exscan;
    if (position.inter && one_group) continue;
    for (const bool uneven : {false, true}) {
      if (!uneven || has_uneven_form(collective)) {
        run_by_all(random, types, position, collective, uneven);
      }
    }
  }
}

// What carries their messages, and how many ranks there are.
struct Setup {
  Transports (*transports)();
  int ranks;
};

class Collectives : public testing::TestWithParam<Setup> {
 protected:
  void run_with_stretto(Job& job, const std::function<void(int rank)>& program) const {
    fake_mpi::run_with_stretto(job, program, GetParam().transports);
  }
  const int ranks = GetParam().ranks;
  const unsigned seed = 1000U + static_cast<unsigned>(ranks);
};

TEST_P(Collectives, OnOneGroup) {
  Job job(ranks);
  run_with_stretto(job, [&](int rank) {
    const Types types;
    MPI_Comm reversed{};
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    ASSERT_TRUE(communicators::attach(reversed));
    run_all(seed, types, Position::on(MPI_COMM_WORLD));
    run_all(seed + 1, types, Position::on(reversed));
    MPI_Comm_free(&reversed);
  });
}

// Where algorithms that use the layout have two levels of it.
TEST_P(Collectives, OnSeveralHosts) {
  Job job(ranks, {.ranks_per_host = 2});
  run_with_stretto(job, [&](int rank) {
    const Types types;
    MPI_Comm mixed{};
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank % 3, &mixed);
    ASSERT_TRUE(communicators::attach(mixed));
    run_all(seed + 4, types, Position::on(MPI_COMM_WORLD));
    run_all(seed + 5, types, Position::on(mixed));
    MPI_Comm_free(&mixed);
  });
}

TEST_P(Collectives, BetweenNeighbors) {
  Job job(ranks);
  run_with_stretto(job, [&](int /*rank*/) {
    const Types types;
    for (const int periodic : {0, 1}) {
      MPI_Comm grid{};
      const std::array<int, 2> dims{ranks, 1};
      const std::array<int, 2> periods{periodic, 1};
      MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &grid);
      ASSERT_TRUE(communicators::attach(grid));
      run_all(seed + 2, types, Position::on(grid));
      MPI_Comm_free(&grid);
    }
  });
}

TEST_P(Collectives, BetweenTwoGroups) {
  if (ranks == 1) GTEST_SKIP() << "one rank is one group";
  Job job(ranks);
  run_with_stretto(job, [&](int rank) {
    const Types types;
    const int first = (ranks + 2) / 3;
    const int side = rank < first ? 0 : 1;
    MPI_Comm group{};
    MPI_Comm inter{};
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, side == 0 ? first : 0, 3, &inter);
    ASSERT_TRUE(communicators::attach(inter));
    run_all(seed + 3, types, Position::on(inter, side));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
  });
}

std::vector<Setup> each(Transports (*transports)()) {
  std::vector<Setup> all;
  for (int ranks = 1; ranks < 10; ++ranks) all.push_back({transports, ranks});
  return all;
}
std::string ranks_of(const testing::TestParamInfo<Setup>& tested) {
  return std::to_string(tested.param.ranks);
}
INSTANTIATE_TEST_SUITE_P(ByTheMpi, Collectives, testing::ValuesIn(each(fake_mpi::by_the_mpi)),
                         ranks_of);
// Within the hosts by memory they share, and between them by the MPI.
INSTANTIATE_TEST_SUITE_P(BySharedMemory, Collectives, testing::ValuesIn(each(make_transports)),
                         ranks_of);

}  // namespace
}  // namespace stretto
