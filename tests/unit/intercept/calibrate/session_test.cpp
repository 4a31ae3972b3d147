#include "intercept/calibrate/session.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fake_mpi/job.hpp"
#include "run_name.hpp"
#include "settings.hpp"

namespace stretto::intercept::calibrate {
namespace {

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// MPI_Init measures, and that is all that the program comes to.
void calibrate(const std::string& file) {
  const Setting where("STRETTO_CALIBRATE_FILE", file.c_str());
  const Setting quick("STRETTO_CALIBRATE_PERCENT", "1");
  fake_mpi::Job job(2, {.initialized = false});
  job.run([](int /*rank*/) {
    MPI_Init(nullptr, nullptr);
    std::abort();
  });
}

TEST(CalibrateDeathTest, MeasuresWritesAndEndsTheProgram) {
  const std::string file =
      std::filesystem::temp_directory_path() / ("stretto-calibrate-" + run_name());
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(calibrate(file), testing::ExitedWithCode(0), "");
  const std::string text = contents(file);
  for (const std::string part :
       {"\"mpi\":\"MPICH Version: fake\"", "\"ranks\":2", "\"hosts\":1", "\"name\":\"allreduce\"",
        "\"one_way\":[", "\"copy\":[", "\"page_fault\":["}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in " << text;
  }
  std::filesystem::remove(file);
}

TEST(CalibrateDeathTest, AFileThatCannotBeWrittenIsAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(calibrate("/nonexistent/folder/file"), testing::ExitedWithCode(5),
              "cannot write /nonexistent/folder/file");
}

}  // namespace
}  // namespace stretto::intercept::calibrate
