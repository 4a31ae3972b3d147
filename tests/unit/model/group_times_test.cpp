// Ranks that meet in a collective, whoever comes first.
#include "model/group_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/small_machines.hpp"

namespace stretto::model {
namespace {

// Ranks 4, 2 and 9 of MPI_COMM_WORLD, at their places; the second scenario has slower messages.
const std::vector<int> kMembers{4, 2, 9};

std::vector<Scenario> two_scenarios() {
  std::vector<Scenario> scenarios(2);
  scenarios[0].machine = uniform(1000, 100, 0, 1);
  scenarios[1].machine = uniform(3000, 100, 0, 1);
  return scenarios;
}

class Group {
 public:
  Group() : times_(scenarios_, places_, kMembers) {}

  // Those that come, in this order.
  struct Comes {
    int rank;
    double at;
    CollectiveCall call;
  };
  std::vector<CollectiveEnds> ends(const std::vector<Comes>& order) {
    meeting_.clear();
    for (const Comes& each : order) {
      meeting_.arrive(each.rank, each.call, std::vector<double>{each.at, 2 * each.at});
    }
    return times_.of(meeting_);
  }
  // As the communicator's collectives have it.
  [[nodiscard]] std::vector<double> direct(std::size_t scenario, const CollectiveCall& call,
                                           const std::vector<double>& arrivals) const {
    return CollectiveTimes(scenarios_[scenario], kMembers).of(call, arrivals).ends;
  }
  [[nodiscard]] const GroupTimes& times() const { return times_; }

 private:
  const std::vector<Scenario> scenarios_ = two_scenarios();
  const std::vector<std::vector<Rank>> places_{2, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  GroupTimes times_;
  Meeting meeting_;
};

constexpr CollectiveCall kBcast{.collective = Collective::bcast, .bytes = 100, .root = 1};

TEST(GroupTimes, DoNotDependOnWhoComesFirst) {
  Group group;
  EXPECT_EQ(group.times().member(9), 2U);
  std::vector<Group::Comes> order{{4, 10, kBcast}, {2, 30, kBcast}, {9, 5000, kBcast}};
  const auto first = group.direct(0, kBcast, {10, 30, 5000});
  const auto second = group.direct(1, kBcast, {20, 60, 10000});
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.at > b.at; });
  do {
    const auto ends = group.ends(order);
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_EQ(ends[0].ends, first);
    EXPECT_EQ(ends[1].ends, second);
    EXPECT_EQ(ends[0].free, (std::vector<double>{30, 30, 5000}));
  } while (std::prev_permutation(order.begin(), order.end(),
                                 [](const auto& a, const auto& b) { return a.at < b.at; }));
}

TEST(GroupTimes, TakeBlocksThatDifferAtTheirMean) {
  Group group;
  const auto of = [](std::int64_t bytes, bool uneven) {
    return CollectiveCall{
        .collective = Collective::allgather, .bytes = bytes, .uneven = uneven, .cold = false};
  };
  const auto ends =
      group.ends({{9, 0, of(400, false)}, {4, 0, of(100, true)}, {2, 0, of(1, false)}});
  EXPECT_EQ(ends[0].ends, group.direct(0, of(167, true), {0, 0, 0}));
}

TEST(Meeting, NoticesAnotherCollective) {
  Meeting meeting;
  EXPECT_TRUE(meeting.is_of(kBcast));
  meeting.arrive(4, kBcast, std::vector<double>{0, 0});
  CollectiveCall call = kBcast;
  call.bytes = 7;
  EXPECT_TRUE(meeting.is_of(call)) << "ranks may have blocks of other sizes";
  call.root = 2;
  EXPECT_FALSE(meeting.is_of(call));
  EXPECT_FALSE(meeting.is_of({.collective = Collective::barrier}));
  meeting.clear();
  EXPECT_EQ(meeting.arrived(), 0U);
  EXPECT_TRUE(meeting.is_of(call));
}

}  // namespace
}  // namespace stretto::model
