// How much memory is free, as the kernel's files say it.
#include "bench/suite/free_memory.hpp"

#include <gtest/gtest.h>

#include "topology/small_tree.hpp"

namespace stretto::bench {
namespace {

constexpr std::int64_t kGib = 1 << 30;

std::string bytes(std::int64_t number) { return std::to_string(number) + "\n"; }

// A group of the second version.
void describe(const SmallTree& tree, const std::string& path, const std::string& limit,
              std::int64_t usage, std::int64_t caches) {
  const std::string folder = "sys/fs/cgroup" + path;
  tree.write(folder + "/memory.max", limit);
  tree.write(folder + "/memory.current", bytes(usage));
  tree.write(folder + "/memory.stat", "anon 1\ninactive_file " + bytes(caches / 2) +
                                          "active_file " + bytes(caches - caches / 2));
}

TEST(FreeMemory, IsUnknownWhereNothingSaysIt) {
  const SmallTree tree;
  EXPECT_EQ(free_memory(tree.root()).machine, FreeMemory::kUnknown);
  EXPECT_EQ(free_memory(tree.root()).group, FreeMemory::kUnknown);
  tree.write("proc/self/cgroup", "\n7\n3:\n0::\n4:memory\n");
  tree.write("proc/meminfo", "MemAvailable:\nMemAvailable\n");
  EXPECT_EQ(free_memory(tree.root()).machine, FreeMemory::kUnknown);
  EXPECT_EQ(free_memory(tree.root()).group, FreeMemory::kUnknown);
}

TEST(FreeMemory, OfTheMachineIsWhatIsAvailable) {
  const SmallTree tree;
  tree.write("proc/meminfo",
             "MemTotal:  9000000 kB\nMemFree:  1 kB\nMemAvailable:    4194304 kB\n");
  EXPECT_EQ(free_memory(tree.root()).machine, 4 * kGib);
}

TEST(FreeMemory, OfAGroupIsTheLeastOfThoseItIsIn) {
  const SmallTree tree;
  tree.write("proc/self/cgroup", "0::/job/step/rank\n");
  describe(tree, "/job/step/rank", "max\n", kGib, 0);
  describe(tree, "/job/step", bytes(8 * kGib), kGib, 0);
  describe(tree, "/job", bytes(6 * kGib), 5 * kGib, 2 * kGib);  // caches are given up
  EXPECT_EQ(free_memory(tree.root()).group, 3 * kGib);
  describe(tree, "", bytes(2 * kGib), 3 * kGib, 0);
  EXPECT_EQ(free_memory(tree.root()).group, 0);
}

TEST(FreeMemory, KnowsTheFirstVersionAndContainersThatSeeTheirGroupAsTheRoot) {
  const SmallTree tree;
  tree.write("proc/self/cgroup", "5:cpuset:/\n4:memory:/docker/0123\n0::/\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", bytes(5 * kGib));
  tree.write("sys/fs/cgroup/memory/memory.usage_in_bytes", bytes(2 * kGib));
  tree.write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file " + bytes(kGib));
  EXPECT_EQ(free_memory(tree.root()).group, 4 * kGib);
}

TEST(FreeMemory, OfThisMachineIsSomething) { EXPECT_GT(free_memory().machine, 0); }

TEST(FreeMemory, AShortageSaysWhatIsNeededAndWhatThereIs) {
  EXPECT_EQ(with_margin(8 * kGib), 12 * kGib);
  EXPECT_EQ(shortage(12.0 * kGib, 7.96 * kGib), "needs 12.0 GiB of 8.0 GiB");
}

}  // namespace
}  // namespace stretto::bench
