#include "intercept/accelerate/tuning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "fake_mpi/job.hpp"
#include "run_name.hpp"
#include "settings.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr const char* kPlan =
    "rounds 2\n"
    "case bcast 8\n"
    "pattern 0 0\n"
    "pattern 0 1000\n"
    "way native 0 2\n"
    "way chain 0 2\n"
    "case barrier 0\n"
    "pattern 0 0\n"
    "way dissemination 0 2\n";

// MPI_Init measures, and that is all that the program comes to.
void tune_in(const std::string& folder) {
  const Setting where("STRETTO_TUNE_FOLDER", folder.c_str());
  const Setting never("STRETTO_SELECTION", "stretto");
  const Setting all("STRETTO_RUN_ALL_RANKS", "trust");
  fake_mpi::Job job(2, {.initialized = false});
  job.run([](int /*rank*/) {
    MPI_Init(nullptr, nullptr);
    std::abort();
  });
}

class TuningDeathTest : public testing::Test {
 protected:
  TuningDeathTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    std::filesystem::create_directories(folder_);
  }
  ~TuningDeathTest() override { std::filesystem::remove_all(folder_); }

  void plan(const std::string& text) const { std::ofstream(folder_ / "plan") << text; }
  [[nodiscard]] std::string text_in(const char* file) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    return text.str();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("stretto-tuning-" + run_name());
};

TEST_F(TuningDeathTest, MeasuresThePlanAndEndsTheProgram) {
  plan(kPlan);
  EXPECT_EXIT(tune_in(folder_), testing::ExitedWithCode(0), "");
  const std::string text = text_in("times.json");
  for (const std::string part :
       {"\"ranks\":2", "\"hosts\":1", "\"collective\":\"bcast\",\"bytes\":8",
        "\"collective\":\"barrier\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in " << text;
  }
}

// How often it ran the calls of one of the lists "handled" and "passed".
long calls_of(const std::string& counters, const std::string& list, const std::string& algorithm) {
  const std::size_t begin = counters.find('"' + list + "\":[");
  const std::string all = counters.substr(begin, counters.find(']', begin) - begin);
  const std::size_t at = all.find("\"call\":\"MPI_Bcast\"" + algorithm);
  if (at == std::string::npos) return 0;
  constexpr std::string_view kKey = "\"calls\":";
  return std::stol(all.substr(all.find(kKey, at) + kKey.size()));
}

TEST_F(TuningDeathTest, EachWayRunsAsManyCalls) {
  plan(kPlan);
  EXPECT_EXIT(
      {
        const Setting counters("STRETTO_RUN_COUNTERS", folder_.c_str());
        tune_in(folder_);
      },
      testing::ExitedWithCode(0), "");
  const std::string counters = text_in("rank-0.json");
  const long native = calls_of(counters, "passed", "");
  EXPECT_GT(native, 0) << counters;
  EXPECT_EQ(calls_of(counters, "handled", ",\"algorithm\":\"chain\""), native) << counters;
}

TEST_F(TuningDeathTest, ADamagedPlanIsABugOfOurs) {
  plan("case bcast eight\n");
  EXPECT_EXIT(tune_in(folder_), testing::ExitedWithCode(1), "has a line 'case bcast eight'");
}

}  // namespace
}  // namespace stretto::intercept::accelerate
