#include "bench/suite/plan.hpp"

#include <gtest/gtest.h>

namespace stretto::bench {
namespace {

std::string complaint_of(std::string_view text) {
  try {
    static_cast<void>(read_plan(text));
  } catch (const BadPlan& bad) {
    return bad.what();
  }
  return "";
}

TEST(BenchPlan, ReadsSettingsAndCells) {
  const BenchPlan plan = read_plan(
      "settings synchronisation=window buffers=cold checks=0 budget_ns=5 cell_timeout_s=7\n"
      "\n"
      "cell number=3 operation=gather form=persistent bytes=64 root=1 root_step=2 comm=halves\n"
      "cell number=4 operation=alltoallv counts=1,2,3 delays_ns=0,1000 delays_from=7 tests=9 "
      "compute_ns=10\n"
      "cell number=5 operation=allgatherv of_root=1\n");
  EXPECT_EQ(plan.settings.scheme, Scheme::window);
  EXPECT_EQ(plan.settings.buffers, BufferUse::cold);
  EXPECT_FALSE(plan.settings.checks);
  EXPECT_EQ(plan.settings.budget_ns, 5);
  EXPECT_EQ(plan.settings.cell_timeout_s, 7);
  ASSERT_EQ(plan.cells.size(), 3U);
  EXPECT_EQ(plan.cells[0].number, 3);
  EXPECT_EQ(plan.cells[0].form, CallForm::persistent);
  EXPECT_EQ(plan.cells[0].root_step, 2);
  EXPECT_EQ(plan.cells[0].comm, "halves");
  EXPECT_EQ(plan.cells[1].counts, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(plan.cells[1].delays_ns, (std::vector<std::int64_t>{0, 1000}));
  EXPECT_EQ(plan.cells[1].delays_from, 7);
  EXPECT_FALSE(plan.cells[1].of_root);
  EXPECT_TRUE(plan.cells[2].of_root);
}

TEST(BenchPlan, NamesTheLineAndTheWordThatIsWrong) {
  EXPECT_EQ(complaint_of("settings\ncell bytes=-1\n"), "line 2: bytes=-1");
  EXPECT_EQ(complaint_of("cell bytes=1x\n"), "line 1: bytes=1x");
  EXPECT_EQ(complaint_of("cell bytes=99999999999999999999\n"),
            "line 1: bytes=99999999999999999999");
  EXPECT_EQ(complaint_of("cell colour=red\n"), "line 1: colour=red");
  EXPECT_EQ(complaint_of("cell bytes\n"), "line 1: bytes");
  EXPECT_EQ(complaint_of("settings synchronisation=sun\n"), "line 1: synchronisation=sun");
  EXPECT_EQ(complaint_of("cells\n"), "line 1: cells");
}

}  // namespace
}  // namespace stretto::bench
