#include "selection/tuned.hpp"

#include <gtest/gtest.h>

#include <string>

#include "selection/queries.hpp"

namespace stretto {
namespace {

constexpr const char* kRules =
    "allreduce:4:2:2048:recursive_doubling allreduce:4:2:65536:native "
    "allreduce:4:2:any:ring:32768:2 bcast:4:1:any:knomial:0:8 barrier:4:1:any:native";

std::string chosen(const Query& query, const Surroundings& around) {
  const Choice choice = choose(query, around, {});
  EXPECT_EQ(choice.algorithm == nullptr, choice.reason != Reason::none);
  return std::string(choice.algorithm == nullptr ? "native" : choice.algorithm->name);
}

std::string refusal(const char* text) {
  try {
    static_cast<void>(TunedRules::parse(text));
  } catch (const BadRules& bad) {
    return bad.what();
  }
  return "";
}

class Tuned : public testing::Test {
 protected:
  const TunedRules rules_ = TunedRules::parse(kRules);
  const Surroundings one_host_{.hosts = 1, .progress_thread = true, .rules = &rules_};
  const Surroundings two_hosts_{.hosts = 2, .progress_thread = true, .rules = &rules_};
};

TEST_F(Tuned, ChoiceChangesAtEachThreshold) {
  for (const auto& [bytes, name] :
       {std::pair{8, "recursive_doubling"}, std::pair{2048, "recursive_doubling"},
        std::pair{2049, "native"}, std::pair{65536, "native"}, std::pair{65537, "ring"},
        std::pair{1 << 30, "ring"}}) {
    EXPECT_EQ(chosen(query(Collective::allreduce, bytes), two_hosts_), name) << bytes;
  }
  const Choice ring = choose(query(Collective::allreduce, 1 << 20), two_hosts_, {});
  EXPECT_EQ(ring.segment_bytes, 32768);
  EXPECT_EQ(ring.basis, Basis::tuned);
  EXPECT_EQ(choose(query(Collective::bcast, 8), one_host_, {}).radix, 8);
}

TEST_F(Tuned, HoldOnlyForTheRanksAndHostsTheyWereMeasuredOn) {
  EXPECT_EQ(chosen(query(Collective::allreduce, 1 << 20), one_host_), "native");
  EXPECT_EQ(chosen(query(Collective::bcast, 8), one_host_), "knomial");
  EXPECT_EQ(chosen(query(Collective::bcast, 8, 5), one_host_), "native");
  EXPECT_EQ(chosen(query(Collective::bcast, 8), two_hosts_), "binomial");
}

TEST_F(Tuned, AreForCollectivesByRanksAndHosts) {
  EXPECT_TRUE(rules_.has(Collective::barrier, 4, 1));
  EXPECT_FALSE(rules_.has(Collective::barrier, 4, 2));
  EXPECT_FALSE(rules_.has(Collective::bcast, 5, 1));
}

TEST_F(Tuned, HoldForWhatWasMeasuredOnly) {
  Query uneven = query(Collective::allreduce, 1 << 20);
  uneven.uneven = true;
  Query nonblocking = query(Collective::allreduce, 8);
  nonblocking.form = Form::nonblocking;
  Query in_order = query(Collective::allreduce, 1 << 20);
  in_order.commutative = false;
  for (const Query& each : {uneven, nonblocking, in_order}) {
    EXPECT_NE(choose(each, two_hosts_, {}).basis, Basis::tuned);
  }
  // The rule's algorithm cannot run this one, and on one host the MPI's own is the best guess.
  const TunedRules ring = TunedRules::parse("allreduce:4:1:any:ring:0:2");
  const Surroundings around{.hosts = 1, .rules = &ring};
  EXPECT_EQ(chosen(query(Collective::allreduce, 1 << 20), around), "ring");
  EXPECT_EQ(choose(in_order, around, {}).basis, Basis::one_host);
}

TEST_F(Tuned, AlwaysNativeOnlyWhereNoRuleSaysOtherwise) {
  const auto reason = [&](Collective collective, const Surroundings& around) {
    return always_native(query(collective, INT64_MAX), around, {});
  };
  EXPECT_EQ(reason(Collective::bcast, one_host_), Reason::none);
  EXPECT_EQ(reason(Collective::barrier, one_host_), Reason::native_faster);
  EXPECT_EQ(reason(Collective::allreduce, one_host_), Reason::native_faster);
}

TEST_F(Tuned, WhatIsForcedComesFirst) {
  Overrides forced{};
  forced[static_cast<std::size_t>(Collective::allreduce)].algorithm =
      find_algorithm(Collective::allreduce, "rabenseifner");
  const Choice choice = choose(query(Collective::allreduce, 8), two_hosts_, forced);
  EXPECT_EQ(choice.algorithm->name, "rabenseifner");
  EXPECT_EQ(choice.basis, Basis::forced);
}

TEST(TunedRules, AreRefusedWhereTheyAreWrong) {
  EXPECT_NE(refusal("allreduce:4:2:any").find("is not COLLECTIVE:RANKS"), std::string::npos);
  EXPECT_NE(refusal("allreduc:4:2:any:ring").find("unknown collective"), std::string::npos);
  EXPECT_NE(refusal("allreduce:4:2:any:rings").find("unknown algorithm"), std::string::npos);
  EXPECT_NE(refusal("allreduce:4:0:any:ring").find("'0' in"), std::string::npos);
  EXPECT_NE(refusal("allreduce:4:1:8k:ring").find("'8k' in"), std::string::npos);
  EXPECT_NE(refusal("/tmp/tuned.toml"), "");
  EXPECT_EQ(refusal("  "), "");
}

}  // namespace
}  // namespace stretto
