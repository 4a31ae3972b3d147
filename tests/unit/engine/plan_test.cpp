#include "engine/plan.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

#include "base/byte_units.hpp"

namespace stretto {
namespace {

const Algorithm& bcast() { return *find_algorithm(Collective::bcast, "binomial"); }

Shape broadcast(Count bytes, Rank root = 0) {
  return {.collective = Collective::bcast, .size = 2, .count = bytes, .root = root};
}

Shape to_neighbors(const std::shared_ptr<const Graph>& graph, Count bytes) {
  return {.collective = Collective::neighbor_alltoall,
          .size = static_cast<int>(graph->size()),
          .count = bytes,
          .graph = graph};
}

// A command runs as many as a job of days has: STRETTO_TEST_SHAPES=10000000.
Count shapes_to_try() {
  const char* const wanted = std::getenv("STRETTO_TEST_SHAPES");
  return wanted != nullptr ? std::atoll(wanted) : 200'000;
}

std::size_t heap_bytes() { return mallinfo2().uordblks; }

// It counts freed blocks that the allocator keeps as taken: they shall be as many before as after.
void keep_freed_blocks() {
  PlanCache cache;
  for (Count bytes = 1; bytes <= 100; ++bytes) {
    static_cast<void>(cache.get(bcast(), broadcast(bytes), 0));
  }
}

TEST(PlanCache, BuildsOnceWhatIsAskedForAgain) {
  PlanCache cache;
  const auto first = cache.get(bcast(), broadcast(8), 0);
  EXPECT_EQ(cache.get(bcast(), broadcast(8), 0), first);
  EXPECT_NE(cache.get(bcast(), broadcast(8, 1), 0), first);
  EXPECT_NE(cache.get(bcast(), broadcast(16), 0), first);
  EXPECT_EQ(cache.counts().built, 3);
  EXPECT_EQ(cache.counts().reused, 1);
  EXPECT_EQ(cache.counts().plans, 3U);
}

TEST(PlanCache, StaysWithinItsBytesForEverNewSizesAndRoots) {
  constexpr std::size_t kBound = 8 * kMiB;
  const Count shapes = shapes_to_try();
  keep_freed_blocks();
  PlanCache cache(kBound);
  const std::size_t before = heap_bytes();
  for (Count bytes = 1; bytes <= shapes; ++bytes) {
    const auto root = static_cast<Rank>(bytes % 2);
    static_cast<void>(cache.get(bcast(), broadcast(bytes, root), 0));
    if (bytes % 1024 == 0) {
      ASSERT_LE(cache.counts().bytes, kBound);
    }
  }
  EXPECT_EQ(cache.counts().built, shapes);
  EXPECT_GT(cache.counts().bytes, kBound / 2);  // it keeps what it may
  // Sanitizers have a heap of their own, which tells nothing here.
  const std::size_t taken = heap_bytes() - before;
  if (taken == 0) GTEST_SKIP() << "this heap does not tell how full it is";
  EXPECT_LE(taken, kBound);
  EXPECT_GE(taken, kBound * 3 / 4) << "the cache believes that it takes far more than it does";
}

TEST(PlanCache, KnowsWhatLongSchedulesTake) {
  PlanCache cache;
  const Algorithm& algorithm = *find_algorithm(Collective::alltoall, "linear");
  const std::size_t before = heap_bytes();
  for (int size = 2; size < 300; ++size) {
    static_cast<void>(
        cache.get(algorithm, {.collective = Collective::alltoall, .size = size, .count = 1}, 0));
  }
  const std::size_t taken = heap_bytes() - before;
  if (taken == 0) GTEST_SKIP() << "this heap does not tell how full it is";
  const auto believed = static_cast<double>(cache.counts().bytes);
  EXPECT_NEAR(believed / static_cast<double>(taken), 1.0, 0.1);
}

TEST(PlanCache, DropsTheLeastRecentlyUsedFirst) {
  PlanCache cache(64 * 1024);
  for (Count bytes = 1; bytes < 2000; ++bytes) {
    static_cast<void>(cache.get(bcast(), broadcast(8000), 0));
    static_cast<void>(cache.get(bcast(), broadcast(bytes), 0));
  }
  EXPECT_EQ(cache.counts().built, 2000);
  static_cast<void>(cache.get(bcast(), broadcast(1), 0));
  EXPECT_EQ(cache.counts().built, 2001);
}

TEST(PlanCache, DoesNotKeepAPlanLargerThanItsBound) {
  PlanCache cache(64 * 1024);
  static_cast<void>(cache.get(bcast(), broadcast(8), 0));
  const Algorithm& algorithm = *find_algorithm(Collective::alltoall, "linear");
  const Shape large{.collective = Collective::alltoall, .size = 5000, .count = 1};
  const auto plan = cache.get(algorithm, large, 0);
  EXPECT_GE(plan->schedule.steps.size(), 9998U);
  EXPECT_EQ(cache.counts().plans, 1U);
  EXPECT_EQ(plan.use_count(), 1);
  static_cast<void>(cache.get(bcast(), broadcast(8), 0));
  EXPECT_EQ(cache.counts().reused, 1);
}

TEST(PlanCache, OfNoBytesKeepsNothing) {
  PlanCache cache(0);
  EXPECT_NE(cache.get(bcast(), broadcast(8), 0), nullptr);
  EXPECT_EQ(cache.counts().plans, 0U);
}

TEST(PlanCache, ForgetsTheGraphOfACommunicatorThatIsGone) {
  PlanCache cache;
  const Algorithm& algorithm = *find_algorithm(Collective::neighbor_alltoall, "linear");
  auto gone = std::make_shared<const Graph>(ring_graph(4));
  const auto stays = std::make_shared<const Graph>(ring_graph(4));
  static_cast<void>(cache.get(bcast(), broadcast(8), 0));
  for (const Count bytes : {1, 2, 3}) {
    static_cast<void>(cache.get(algorithm, to_neighbors(gone, bytes), 0));
    static_cast<void>(cache.get(algorithm, to_neighbors(stays, bytes), 0));
  }
  EXPECT_EQ(cache.counts().plans, 7U);
  const std::weak_ptr<const Graph> watched = gone;
  cache.forget(*gone);
  gone.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(cache.counts().plans, 4U);
  static_cast<void>(cache.get(algorithm, to_neighbors(stays, 2), 0));
  EXPECT_EQ(cache.counts().reused, 1);
  cache.forget(Graph{});
  EXPECT_EQ(cache.counts().plans, 4U);
}

TEST(PlanCache, TellsLayoutsApartByWhatTheySay) {
  PlanCache cache;
  const Algorithm& algorithm = *find_algorithm(Collective::bcast, "two_level");
  const Shape shape{.collective = Collective::bcast, .size = 4, .count = 8};
  const auto layout = [](std::vector<int> host_of) {
    return std::make_shared<const Layout>(
        std::vector<Layout::Groups>{{kHostLevel, std::move(host_of)}});
  };
  const auto first = cache.get(algorithm, shape, 0, layout({0, 0, 1, 1}));
  EXPECT_EQ(cache.get(algorithm, shape, 0, layout({5, 5, 3, 3})), first);
  EXPECT_NE(cache.get(algorithm, shape, 0, layout({0, 1, 0, 1})), first);
  EXPECT_NE(cache.get(algorithm, shape, 0), first);
  EXPECT_EQ(cache.counts().built, 3);
  // To two ranks of its host, and to the other host.
  EXPECT_EQ(cache.get(algorithm, shape, 0, layout({0, 0, 0, 1}))->schedule.steps.size(), 3U);
}

TEST(PlanCache, CountsLayoutsThatOnlyItsPlansKeep) {
  PlanCache cache(64 * 1024);
  const Algorithm& algorithm = *find_algorithm(Collective::bcast, "two_level");
  const Shape shape{.collective = Collective::bcast, .size = 1000, .count = 8};
  for (int seed = 0; seed < 100; ++seed) {
    std::vector<int> host_of(1000);
    for (std::size_t i = 0; i < host_of.size(); ++i) {
      host_of[i] = static_cast<int>((i * 7 + i % 3 * static_cast<std::size_t>(seed)) % 50);
    }
    const auto layout = std::make_shared<const Layout>(
        std::vector<Layout::Groups>{{kHostLevel, std::move(host_of)}});
    static_cast<void>(cache.get(algorithm, shape, 0, layout));
  }
  EXPECT_LE(cache.counts().plans, 64U * 1024 / 8000);
}

TEST(PlanCache, CountsALayoutOnceHoweverManyPlansKeepIt) {
  PlanCache cache;
  const Algorithm& algorithm = *find_algorithm(Collective::bcast, "two_level");
  std::vector<int> host_of(10'000);
  for (std::size_t i = 0; i < host_of.size(); ++i) host_of[i] = static_cast<int>(i % 50);
  const auto layout =
      std::make_shared<const Layout>(std::vector<Layout::Groups>{{kHostLevel, std::move(host_of)}});
  for (Count count = 1; count <= 10; ++count) {
    const Shape shape{.collective = Collective::bcast, .size = 10'000, .count = count};
    static_cast<void>(cache.get(algorithm, shape, 1, layout));
  }
  EXPECT_GE(cache.counts().bytes, layout->bytes());
  EXPECT_LE(cache.counts().bytes, layout->bytes() + 20'000);
}

// Nor is it counted when its last plan is gone.
TEST(PlanCache, LetsLayoutsGoWithTheirLastPlan) {
  PlanCache cache(64 * 1024);
  const Algorithm& algorithm = *find_algorithm(Collective::bcast, "two_level");
  auto layout = std::make_shared<const Layout>(
      std::vector<Layout::Groups>{{kHostLevel, std::vector<int>(1000, 7)}});
  const std::weak_ptr<const Layout> watched = layout;
  const Shape shape{.collective = Collective::bcast, .size = 1000, .count = 8};
  for (const Count count : {1, 2}) {
    Shape other = shape;
    other.count = count;
    static_cast<void>(cache.get(algorithm, other, 0, layout));
  }
  layout.reset();
  EXPECT_FALSE(watched.expired());
  for (Count bytes = 1; bytes < 1000; ++bytes) {
    static_cast<void>(cache.get(bcast(), broadcast(bytes), 0));
  }
  EXPECT_TRUE(watched.expired());
  const std::size_t full = cache.counts().bytes;
  EXPECT_LE(full, 64U * 1024);
  EXPECT_GE(full, 60U * 1024);
}

TEST(PlanCache, LetsGraphsGoWithTheirLastPlan) {
  PlanCache cache(64 * 1024);
  const Algorithm& algorithm = *find_algorithm(Collective::neighbor_alltoall, "linear");
  std::weak_ptr<const Graph> watched;
  {
    const auto graph = std::make_shared<const Graph>(ring_graph(4));
    watched = graph;
    static_cast<void>(cache.get(algorithm, to_neighbors(graph, 8), 0));
  }
  EXPECT_FALSE(watched.expired());
  for (Count bytes = 1; bytes < 1000; ++bytes) {
    static_cast<void>(cache.get(bcast(), broadcast(bytes), 0));
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace stretto
