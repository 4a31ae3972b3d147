#include "intercept/shared/entry.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "fake_mpi/entered.hpp"
#include "intercept/shared/job_name.hpp"
#include "intercept/shared/this_rank.hpp"
#include "settings.hpp"

namespace stretto::intercept {
namespace {

TEST(Entry, KnowsTheLibrariesOfMpisByTheirNames) {
  for (const char* name : {"libmpi.so.40", "libmpi.so.12", "mca_pml_ob1.so", "libopen-pal.so.40",
                           "libmpi_mpifh.so.40", "libmpifort.so.12"}) {
    EXPECT_TRUE(is_part_of_mpi(name)) << name;
  }
  for (const char* name : {"libmpiP.so", "libc.so.6", "a.out", ""}) {
    EXPECT_FALSE(is_part_of_mpi(name)) << name;
  }
  for (const char* name : {"libmpi_mpifh.so.40", "libmpifort.so.12", "libmpi_cxx.so.40"}) {
    EXPECT_TRUE(is_language_binding(name)) << name;
  }
  EXPECT_FALSE(is_language_binding("libmpi.so.40"));
}

TEST(Entry, KnowsWhoseCodeAnAddressIs) {
  void* const libc = dlsym(RTLD_DEFAULT, "getenv");
  EXPECT_FALSE(is_the_mpis(libc));
  EXPECT_FALSE(is_the_mpis(nullptr));
  EXPECT_FALSE(is_wrapper(static_cast<char*>(libc) + 1));
}

TEST(Entry, IsActiveForTheProgramOnceItIsAtAll) {
  RankContext rank;
  const Running running(rank);
  void* const here = __builtin_return_address(0);
  EXPECT_FALSE(is_active(here));
  detail::active().store(true);
  EXPECT_TRUE(is_active(here));
  const Inside inside;  // a callback of the program's, which no MPI's code calls
  EXPECT_TRUE(is_active(here));
}

TEST(Entry, ReachesTheMpisFunction) {
  const Reached reached = reach("MPI_Barrier");
  EXPECT_EQ(reached.real, fake_mpi::functions().at("PMPI_Barrier"));
  EXPECT_EQ(reached.tool, nullptr);
  EXPECT_EQ(reach_persistent("MPI_Nonesuch_init").real, nullptr);
}

TEST(EntryDeathTest, AFunctionThatNoMpiHasEndsTheProgram) {
  EXPECT_EXIT(static_cast<void>(existing_function("PMPI_Nonesuch")), testing::ExitedWithCode(5),
              "no MPI library with a PMPI_Nonesuch");
}

// Which called the MPI past Stretto.
int tools_init() { return 0; }

TEST(ToolCall, TheCallerIsTheProgramWhateverToolIsBetween) {
  const Reached barrier{"MPI_Barrier", nullptr, reinterpret_cast<void*>(&tools_init)};
  const Reached other{"MPI_Bcast", nullptr, nullptr};
  int program = 0;
  int tool = 0;
  {
    const ToolCall call(barrier, &program);
    EXPECT_EQ(ToolCall::caller(other, &tool), &tool);
    EXPECT_EQ(ToolCall::caller(barrier, &tool), &program);
    EXPECT_EQ(ToolCall::caller(barrier, &tool), &tool);  // once
  }
  EXPECT_EQ(ToolCall::caller(barrier, &tool), &tool);
}

TEST(ToolCall, SaysWhichToolCallsPastStretto) {
  testing::internal::CaptureStderr();
  const Reached init{"MPI_Init", nullptr, dlsym(RTLD_DEFAULT, "getenv")};
  const Reached barrier{"MPI_Barrier", nullptr, dlsym(RTLD_DEFAULT, "getenv")};
  {
    const ToolCall call(barrier, nullptr);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  {
    const ToolCall call(init, nullptr);
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("calls the MPI past Stretto"),
            std::string::npos);
}

// -- which job, and which process of it

TEST(JobName, IsWhatTheLauncherTells) {
  {
    const Setting mpi("PMIX_NAMESPACE", "job of two words");
    EXPECT_EQ(job_name(), "job_of_two_words");
  }
  const Setting slurm("SLURM_STEP_ID", "7");
  EXPECT_EQ(job_name(), "7");
}

TEST(JobName, WithoutALauncherItIsNone) { EXPECT_EQ(job_name(), "-"); }

TEST(ThisRank, IsTheProcessThatBecameIt) {
  const Setting preloads("LD_PRELOAD", "/usr/lib/libother.so:/nonexistent/x.so");
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) { become_rank({}); });
  EXPECT_TRUE(is_rank_process());
  EXPECT_TRUE(speaks_for_all());
  EXPECT_STREQ(std::getenv("LD_PRELOAD"), "/usr/lib/libother.so:/nonexistent/x.so");
}

}  // namespace
}  // namespace stretto::intercept
