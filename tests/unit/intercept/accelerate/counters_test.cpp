// What became of each call, in a report.

#include "intercept/accelerate/counters.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectives/algorithm.hpp"
#include "in_a_process.hpp"
#include "intercept/accelerate/program.hpp"
#include "stretto/stretto.h"

namespace stretto::intercept::accelerate {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Where they go is a process's for good.
TEST(CountersDeathTest, TellWhatBecameOfEachCall) {
  expect_in_a_process([] {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("stretto-unit-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const Setting files("STRETTO_RUN_COUNTERS", folder.c_str());
    Program program(2);
    run_program(program, MPI_THREAD_SINGLE, [](int rank) {
      int out = 0;
      MPI_Allreduce(&rank, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_SELF);
    });
    for (const int rank : {0, 1}) {
      const std::string text = contents(folder / ("rank-" + std::to_string(rank) + ".json"));
      for (const std::string part :
           {"\"size\":2", "\"thread_level\":\"multiple\"", "\"hosts\":1",
            "\"call\":\"MPI_Allreduce\"", "\"algorithm\":\"recursive_doubling\"",
            "\"call\":\"MPI_Barrier\"", "\"reason\":\"one rank\""}) {
        EXPECT_TRUE(has(text, part)) << part << " is not in " << text;
      }
    }
    std::filesystem::remove_all(folder);
  });
}

TEST(CountersDeathTest, SayWhereTheyCannotBeWritten) {
  expect_in_a_process([] {
    const Setting files("STRETTO_RUN_COUNTERS", "/nonexistent/folder");
    testing::internal::CaptureStderr();
    Program program(2);
    run_program(program, MPI_THREAD_SINGLE, [](int /*rank*/) {});
    EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "the counts of this run are lost"));
  });
}

TEST(Counters, AreSaidByRankZeroWhereAskedFor) {
  const Setting verbose("STRETTO_VERBOSE", "1");
  testing::internal::CaptureStderr();
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    int out = 0;
    MPI_Allreduce(&rank, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_SELF);
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(has(said, "2 ranks on 1 hosts")) << said;
  EXPECT_TRUE(has(said, "handled by recursive_doubling")) << said;
  EXPECT_TRUE(has(said, "passed to the MPI: one rank")) << said;
}

TEST(Counters, HaveRoomForAllAlgorithms) {
  EXPECT_LE(algorithms().size(), static_cast<std::size_t>(counters::CallCounts::kMostAlgorithms));
}

TEST(Counters, SayThatTheyAreMissingAfterAnEndThatFailed) {
  const Setting verbose("STRETTO_VERBOSE", "1");
  testing::internal::CaptureStderr();
  Program program(1);
  const UnderStretto settings;
  program.run([](int /*rank*/) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    abandon_session();  // as where MPI_Finalize has failed
    EXPECT_FALSE(in_session());
  });
  program.may_leave_objects();
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "no report of this rank"));
}

TEST(Counters, SayThatTheyAreMissingAfterStrettoFinalize) {
  const Setting verbose("STRETTO_VERBOSE", "1");
  testing::internal::CaptureStderr();
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE,
              [](int /*rank*/) { EXPECT_EQ(stretto_finalize(), MPI_SUCCESS); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "stretto: no report of any rank: Stretto had left MPI_COMM_WORLD, as stretto_finalize "
            "makes it\n");
}

}  // namespace
}  // namespace stretto::intercept::accelerate
