// Core complexes of trees like /sys, whole and damaged.
#include "topology/core_complex.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include "topology/small_tree.hpp"

namespace stretto {
namespace {

CoreSet cores(std::initializer_list<int> numbers) {
  CoreSet set;
  for (const int number : numbers) set.set(static_cast<std::size_t>(number));
  return set;
}

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  const auto is = [](std::string_view text, std::initializer_list<int> numbers) {
    const auto read = read_cpu_list(text);
    return read == cores(numbers);
  };
  EXPECT_TRUE(is("0", {0}));
  EXPECT_TRUE(is("3,5", {3, 5}));
  EXPECT_TRUE(is("0-3,8-11", {0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_TRUE(is("7-7,1023", {7, 1023}));
  EXPECT_TRUE(is("1024,8191", {1024, 8191}));
}

TEST(CpuList, IsNothingElse) {
  for (const char* text : {"", " ", "x", "-", "0-", "-3", "3-1", "0,", ",0", "0,,1", "0-1-2", "0 1",
                           "0x3", "8192", "0-8192", "99999999999", "0;1", "0-3\n"}) {
    EXPECT_FALSE(read_cpu_list(text)) << text;
  }
}

// Two complexes of two cores: 0 and 2, 1 and 3.
void describe_four_cores(const SmallTree& tree) {
  for (int core = 0; core < 4; ++core) {
    const std::string own = std::to_string(core);
    tree.describe(core, 0, "1", "Data", own);
    tree.describe(core, 1, "1", "Instruction", own);
    tree.describe(core, 2, "3", "Unified", core % 2 == 0 ? "0,2" : "1,3");
    tree.describe(core, 3, "2", "Unified", own);
  }
}

TEST(CoreComplex, IsOfTheCoresThatShareTheLastCache) {
  const SmallTree tree;
  describe_four_cores(tree);
  EXPECT_EQ(core_complex_of(cores({0}), tree.root()), 0);
  EXPECT_EQ(core_complex_of(cores({2}), tree.root()), 0);
  EXPECT_EQ(core_complex_of(cores({0, 2}), tree.root()), 0);
  EXPECT_EQ(core_complex_of(cores({3}), tree.root()), 1);
  EXPECT_EQ(core_complex_of(cores({1, 3}), tree.root()), 1);
}

TEST(CoreComplex, IsNoneWhereAProcessMayRunOnSeveral) {
  const SmallTree tree;
  describe_four_cores(tree);
  EXPECT_EQ(core_complex_of(cores({0, 1}), tree.root()), kNoComplex);
  EXPECT_EQ(core_complex_of(cores({0, 1, 2, 3}), tree.root()), kNoComplex);
  EXPECT_EQ(core_complex_of(cores({1, 2}), tree.root()), kNoComplex);
  EXPECT_EQ(core_complex_of(cores({}), tree.root()), kNoComplex);
}

TEST(CoreComplex, IsNoneWhereTheTreeDoesNotTell) {
  const SmallTree tree;
  describe_four_cores(tree);
  EXPECT_EQ(core_complex_of(cores({4}), tree.root()), kNoComplex);
  EXPECT_EQ(core_complex_of(cores({0}), tree.root() + "/nowhere"), kNoComplex);
  // A cache for instructions is none for messages, at whatever level.
  tree.describe(4, 0, "1", "Instruction", "4");
  EXPECT_EQ(core_complex_of(cores({4}), tree.root()), kNoComplex);
  tree.describe(4, 1, "1", "Data", "4");
  tree.describe(4, 2, "5", "Instruction", "4-7");
  EXPECT_EQ(core_complex_of(cores({4}), tree.root()), 4);
  EXPECT_EQ(core_complex_of(cores({4, 5}), tree.root()), kNoComplex);
  // That of another core.
  tree.describe(5, 0, "3", "Unified", "6-7");
  EXPECT_EQ(core_complex_of(cores({5}), tree.root()), kNoComplex);
}

TEST(CoreComplex, IsNoneWhereTheTreeIsDamaged) {
  for (const char* level : {"", "three", "-3", "3x", "99999999999"}) {
    const SmallTree tree;
    tree.describe(0, 0, "1", "Data", "0");
    tree.describe(0, 1, level, "Unified", "0-3");
    EXPECT_NE(core_complex_of(cores({0, 1}), tree.root()), 0) << level;
  }
  for (const char* list : {"", "all", "0-", "0-99999"}) {
    const SmallTree tree;
    tree.describe(0, 0, "1", "Data", "0");
    tree.describe(0, 1, "3", "Unified", list);
    EXPECT_EQ(core_complex_of(cores({0}), tree.root()), kNoComplex) << list;
  }
}

TEST(Socket, IsOfTheCoresOfOnePackageInOldTreesToo) {
  const SmallTree tree;
  for (const int core : {0, 1}) tree.describe_socket(core, "package_cpus_list", "0-1");
  for (const int core : {2, 3}) tree.describe_socket(core, "core_siblings_list", "2-3");
  EXPECT_EQ(socket_of(cores({1}), tree.root()), 0);
  EXPECT_EQ(socket_of(cores({2, 3}), tree.root()), 2);
  EXPECT_EQ(socket_of(cores({1, 2}), tree.root()), kNoComplex);
  EXPECT_EQ(socket_of(cores({4}), tree.root()), kNoComplex);
}

}  // namespace
}  // namespace stretto
