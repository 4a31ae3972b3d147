// The beginning and the end of virtual time, and what ranks write.

#include "intercept/whatif/session.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "intercept/whatif/program.hpp"

namespace stretto::intercept::whatif {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What it is given is a process's for good.
TEST(WhatifSessionDeathTest, EachRankWritesItsClocksAndItsTrace) {
  expect_in_a_process([] {
    const Folder folder;
    const Setting reports("STRETTO_WHATIF_FOLDER", folder.path().c_str());
    const Setting record("STRETTO_WHATIF_RECORD", folder.path().c_str());
    Program program(2);
    run_program(program, [](int rank) {
      int sum = 0;
      int got = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    });
    for (const int rank : {0, 1}) {
      const std::string name = "rank-" + std::to_string(rank);
      const std::string text = folder.read(name + ".json");
      for (const std::string part : {"\"size\":2", "\"wall_ns\":", "\"unmodelled\":[]",
                                     "MPI_Allreduce", "\"wildcards\":0"}) {
        EXPECT_TRUE(has(text, part)) << part << " is not in " << text;
      }
      EXPECT_GT(std::filesystem::file_size(folder.file(name + ".trace")), 100U);
    }
  });
}

// As it is run beside virtual time, to compare.
TEST(WhatifSessionDeathTest, WithoutScenariosTimeIsMeasured) {
  expect_in_a_process([] {
    const Folder folder;
    const Setting all("STRETTO_RUN_ALL_RANKS", "trust");
    const Setting reports("STRETTO_WHATIF_FOLDER", folder.path().c_str());
    Program program(2);
    program.run([](int /*rank*/) {
      MPI_Init(nullptr, nullptr);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Finalize();
    });
    EXPECT_TRUE(has(folder.read("rank-1.json"), "\"wall_ns\":"));
    EXPECT_FALSE(has(folder.read("rank-1.json"), "unmodelled"));
  });
}

TEST(WhatifSessionDeathTest, SaysWhereTimesCannotBeWritten) {
  expect_in_a_process([] {
    const Setting all("STRETTO_RUN_ALL_RANKS", "trust");
    const Setting reports("STRETTO_WHATIF_FOLDER", "/nonexistent/folder");
    testing::internal::CaptureStderr();
    Program program(2);
    program.run([](int /*rank*/) {
      MPI_Init(nullptr, nullptr);
      MPI_Finalize();
    });
    EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "this rank's times are lost"));
  });
}

void expect_refused(const std::string& scenarios, const std::string& why) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Folder folder;
        folder.write("scenarios", scenarios);
        const Setting all("STRETTO_RUN_ALL_RANKS", "trust");
        const Setting file("STRETTO_WHATIF_SCENARIOS", folder.file("scenarios").c_str());
        Program program(2);
        program.run([](int /*rank*/) { MPI_Init(nullptr, nullptr); });
      },
      testing::ExitedWithCode(2), why);
}

TEST(WhatifSessionDeathTest, ScenariosThatCannotBeReadEndTheProgram) {
  expect_refused("nonsense\n", "scenarios");
}

TEST(WhatifSessionDeathTest, MoreScenariosThanClockMessagesHoldDoToo) {
  std::string many;
  for (std::size_t i = 0; i <= kMostScenarios; ++i) many += "scenario s\n" + kMachine;
  expect_refused(many, "more than 12 scenarios");
}

TEST(WhatifSessionDeathTest, SpawnedRanksRunInRealTime) {
  expect_in_a_process([] {
    const Folder folder;
    folder.write("scenarios", kScenarios);
    const Setting scenarios("STRETTO_WHATIF_SCENARIOS", folder.file("scenarios").c_str());
    testing::internal::CaptureStderr();
    std::atomic<bool> parent_has_begun{false};
    Program program(1, {.others = 1, .others_are_children = true});
    program.run([&](int rank) {
      // A process of its own would not take the parent's setting away.
      fake_mpi::eventually([&] { return rank == 0 || parent_has_begun; });
      MPI_Init(nullptr, nullptr);
      parent_has_begun = true;
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(Process::get().scenarios.empty(), rank == 1);
      MPI_Finalize();
    });
    EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "run in real time"));
  });
}

TEST(WhatifSession, RanksOnSeveralHostsSendTheirClocksByTheMpi) {
  Program program(2, {.ranks_per_host = 1});
  run_program(program, [](int rank) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 1);
    EXPECT_GE(clock_of(kSim), 3 * one_way(4));
  });
  EXPECT_GT(program.calls(0, "Isend"), 0);
}

// More ranks than cores: each needs a token to compute, and who waits sleeps.
TEST(WhatifSession, ManyRanksTakeTurns) {
  const auto ranks = static_cast<int>(std::thread::hardware_concurrency()) + 2;
  if (ranks > 16) GTEST_SKIP() << "as many threads as it takes are too many here";
  Program program(ranks);
  run_program(program, [&](int rank) {
    EXPECT_TRUE(Process::get().mailbox.is_oversubscribed());
    for (int i = 0; i < 5; ++i) {
      int got = 0;
      const int next = (rank + 1) % ranks;
      const int before = (rank + ranks - 1) % ranks;
      MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &got, 1, MPI_INT, before, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      EXPECT_EQ(got, before);
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(sum, ranks * (ranks - 1) / 2);
    }
  });
}

}  // namespace
}  // namespace stretto::intercept::whatif
