#include "intercept/accelerate/session.hpp"

#include <gtest/gtest.h>

#include <array>

#include "engine/engine.hpp"
#include "intercept/accelerate/program.hpp"
#include "mpi/thread_level.hpp"
#include "stretto/stretto.h"

namespace stretto::intercept::accelerate {
namespace {

TEST(Session, LastsFromInitToFinalize) {
  Program program(2);
  const UnderStretto settings;
  program.run([&](int rank) {
    EXPECT_FALSE(in_session());
    EXPECT_FALSE(ever_in_session());
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    EXPECT_TRUE(in_session());
    int sum = 0;
    EXPECT_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(handled("MPI_Allreduce"), 1);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    EXPECT_FALSE(in_session());
    EXPECT_TRUE(ever_in_session());
    EXPECT_FALSE(Engine::get().is_open());
  });
}

// Its progress thread needs more than the program asks for, which is not told.
TEST(Session, TheProgramGetsTheLevelItAskedFor) {
  for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE}) {
    Program program(1);
    run_program(program, level, [level](int /*rank*/) {
      int provided = -1;
      MPI_Query_thread(&provided);
      EXPECT_EQ(provided, level);
      EXPECT_TRUE(Engine::get().has_progress_thread());
      EXPECT_EQ(Engine::get().program_has_threads(), level == MPI_THREAD_MULTIPLE);
    });
    EXPECT_EQ(program.calls(0, "Init_thread"), 1);
  }
}

TEST(Session, WithoutAProgressThreadMpiInitIsAsTheProgramCallsIt) {
  const Setting off("STRETTO_PROGRESS_THREAD", "off");
  const UnderStretto settings;
  Program program(1);
  program.run([&](int /*rank*/) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    EXPECT_FALSE(Engine::get().has_progress_thread());
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
  EXPECT_EQ(program.calls(0, "Init"), 1);
  EXPECT_EQ(program.calls(0, "Init_thread"), 0);
}

// What it says there keeps two threads out of it, too: the fake would tell.
TEST(Session, SaysWhenTheMpiRefusesTheLevel) {
  testing::internal::CaptureStderr();
  Program program(1, {.thread_level = MPI_THREAD_SERIALIZED});
  run_program(program, MPI_THREAD_FUNNELED,
              [](int /*rank*/) { EXPECT_FALSE(Engine::get().has_progress_thread()); });
  EXPECT_NE(testing::internal::GetCapturedStderr().find("refuses MPI_THREAD_MULTIPLE"),
            std::string::npos);
}

// On one host a progress thread gains least, and MPICH's locks cost most.
TEST(Session, OnOneHostMpichGetsNoProgressThreadByItself) {
  const UnderStretto settings;
  const Setting here("MPI_LOCALNRANKS", "1");
  const Setting all("PMI_SIZE", "1");
  Program program(1);
  program.run([&](int /*rank*/) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    EXPECT_FALSE(Engine::get().has_progress_thread());
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
}

TEST(Session, ProgramsOfWhoseRanksNobodyKnowsRunAsTheyAre) {
  testing::internal::CaptureStderr();
  Program program(2);
  program.run([&](int rank) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    EXPECT_FALSE(in_session());
    int sum = 0;
    EXPECT_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(handled("MPI_Allreduce"), 0);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
  EXPECT_NE(testing::internal::GetCapturedStderr().find("nobody can tell whether all 2 ranks"),
            std::string::npos);
  EXPECT_EQ(program.calls(0, "Init"), 1);  // as the program calls it, without more threads
  EXPECT_EQ(program.calls(0, "Init_thread"), 0);
}

// Where it was raised nonetheless, as the setting demands it.
TEST(Session, WithoutOneTheProgramHasTheLevelItAskedForAndNoLocks) {
  const Setting on("STRETTO_PROGRESS_THREAD", "on");
  for (const int asked : {MPI_THREAD_FUNNELED, MPI_THREAD_MULTIPLE}) {
    testing::internal::CaptureStderr();
    Program program(2, {.switches_locks = true});
    program.run([&](int /*rank*/) {
      int provided = -1;
      ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, asked, &provided), MPI_SUCCESS);
      EXPECT_FALSE(in_session());
      EXPECT_EQ(provided, asked);
      int level = -1;
      EXPECT_EQ(MPI_Query_thread(&level), MPI_SUCCESS);
      EXPECT_EQ(level, asked);
      level = -1;
      EXPECT_EQ(PMPI_Query_thread(&level), MPI_SUCCESS);
      EXPECT_EQ(level, asked);
      EXPECT_EQ(ThreadLevel::is_locked(), asked == MPI_THREAD_MULTIPLE);
      EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    });
    testing::internal::GetCapturedStderr();
  }
}

// The MPI gives more than the program was told; it is in the MPI alone (the fake would tell) and so
// are its functions.
TEST(Session, WithoutOneTheInterfaceInCStillHasAThread) {
  const Setting on("STRETTO_PROGRESS_THREAD", "on");
  testing::internal::CaptureStderr();
  Program program(2, {.switches_locks = true});
  program.run([&](int rank) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    EXPECT_FALSE(ThreadLevel::is_locked());
    int sum = 0;
    stretto_request request = STRETTO_REQUEST_NULL;
    ASSERT_EQ(stretto_iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
              MPI_SUCCESS);
    EXPECT_TRUE(Engine::get().has_progress_thread());
    EXPECT_FALSE(Engine::get().program_has_threads());
    EXPECT_TRUE(ThreadLevel::is_locked());
    EXPECT_EQ(stretto_wait(&request), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(stretto_finalize(), MPI_SUCCESS);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
  testing::internal::GetCapturedStderr();
}

// A program may count on what the environment says: tests/mpi/test_roll_call.py sees that it gets
// it.
TEST(Session, ALevelThatTheEnvironmentSetsIsNotRaised) {
  const Setting multiple("OMPI_MPI_THREAD_LEVEL", "3");
  const UnderStretto settings;
  Program program(2, {.switches_locks = true});
  program.run([&](int /*rank*/) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    EXPECT_TRUE(in_session());
    EXPECT_FALSE(Engine::get().has_progress_thread());  // the fake gives the lowest nonetheless
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
  EXPECT_EQ(program.calls(0, "Init"), 1);
}

TEST(Session, LocksThatAreTakenBeforeItStay) {
  const UnderStretto settings;
  Program program(2, {.switches_locks = true});
  program.run([&](int /*rank*/) {
    *static_cast<bool*>(native_data("opal_uses_threads")) = true;
    int provided = -1;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
    EXPECT_TRUE(in_session());
    EXPECT_EQ(provided, MPI_THREAD_FUNNELED);
    EXPECT_FALSE(Engine::get().has_progress_thread());
    EXPECT_TRUE(ThreadLevel::is_locked());
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
}

// Whoever else needs them by then.
TEST(Session, AfterStrettoFinalizeTheInterfaceInCLeavesTheLocksOn) {
  Program program(2, {.switches_locks = true});
  run_program(program, MPI_THREAD_SINGLE, [](int rank) {
    EXPECT_FALSE(ThreadLevel::is_locked());
    EXPECT_EQ(stretto_finalize(), MPI_SUCCESS);
    EXPECT_FALSE(ThreadLevel::is_locked());
    int sum = 0;
    EXPECT_EQ(stretto_allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    EXPECT_TRUE(ThreadLevel::is_locked());
    EXPECT_FALSE(Engine::get().program_has_threads());
    EXPECT_EQ(stretto_finalize(), MPI_SUCCESS);
  });
}

TEST(Session, OneRankByItselfGetsNoProgressThread) {
  Program program(1);
  program.run([&](int /*rank*/) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    EXPECT_TRUE(in_session());
    EXPECT_FALSE(Engine::get().has_progress_thread());
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
  EXPECT_EQ(program.calls(0, "Init"), 1);
}

TEST(Session, OneRankByItselfWithThreadsHasOne) {
  Program program(1);
  run_session(program, MPI_THREAD_MULTIPLE,
              [](int /*rank*/) { EXPECT_TRUE(Engine::get().has_progress_thread()); });
}

TEST(SessionDeathTest, WhoAllRanksAreIsSetRightOrSaidBeforeTheMpiStarts) {
  EXPECT_EXIT(
      {
        const Setting wrong("STRETTO_RUN_ALL_RANKS", "turst");
        const Setting on("STRETTO_PROGRESS_THREAD", "on");
        Program program(1);
        program.run([](int /*rank*/) { MPI_Init(nullptr, nullptr); });
      },
      testing::ExitedWithCode(2), "STRETTO_RUN_ALL_RANKS=turst is neither ask nor trust");
}

TEST(Session, AnInitThatFailsBeginsNone) {
  Program program(1);
  program.fail(0, "Init", 1, MPI_ERR_OTHER);
  program.fail(0, "Init_thread", 1, MPI_ERR_OTHER);
  program.run([](int /*rank*/) {
    int provided = 0;
    EXPECT_EQ(MPI_Init(nullptr, nullptr), MPI_ERR_OTHER);
    EXPECT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &provided), MPI_ERR_OTHER);
    EXPECT_FALSE(in_session());
  });
}

// What the program has MPI_Finalize call for attributes of MPI_COMM_SELF may still communicate.
int communicate(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  EXPECT_TRUE(in_session());
  const int one = 1;
  EXPECT_EQ(MPI_Allreduce(&one, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  return MPI_SUCCESS;
}

TEST(Session, EndsAfterWhatTheProgramDoesInFinalize) {
  Program program(3);
  std::array<int, 3> sums{};
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicate, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &sums[static_cast<std::size_t>(rank)]);
    MPI_Comm_free_keyval(&keyval);
  });
  EXPECT_EQ(sums, (std::array<int, 3>{3, 3, 3}));
}

TEST(Session, PendingRequestsThatWereFreedStillComplete) {
  Program program(2);
  std::array<int, 2> sums{};
  std::array<int, 2> in{2, 3};
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    const auto me = static_cast<std::size_t>(rank);
    MPI_Request request{};
    MPI_Iallreduce(&in[me], &sums[me], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  });
  EXPECT_EQ(sums, (std::array<int, 2>{5, 5}));
}

// Blocks of two, each beside one that is not sent.
TEST(Session, AfterStrettoFinalizeTheMpiHasAllCalls) {
  Program program(2);
  run_program(program, MPI_THREAD_SINGLE, [&](int rank) {
    EXPECT_EQ(stretto_finalize(), MPI_SUCCESS);
    MPI_Comm dup = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &dup), MPI_SUCCESS);
    MPI_Datatype pairs = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 2, 3, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    std::array<int, 5> data{};
    if (rank == 0) data = {1, 2, 3, 4, 5};
    EXPECT_EQ(MPI_Bcast(data.data(), 1, pairs, 0, dup), MPI_SUCCESS);
    EXPECT_EQ(data, (std::array<int, 5>{1, 2, rank == 0 ? 3 : 0, 4, 5}));
    EXPECT_EQ(handled("MPI_Bcast"), 0);
    MPI_Type_free(&pairs);
    MPI_Comm_free(&dup);
  });
}

TEST(SessionDeathTest, WithoutAContextMpiInitEndsTheProgram) {
  EXPECT_EXIT(
      {
        const UnderStretto settings;
        Program program(1, {.contexts = 0});
        program.run([](int /*rank*/) { MPI_Init(nullptr, nullptr); });
      },
      testing::ExitedWithCode(5), "no communicator left in MPI_Init");
}

}  // namespace
}  // namespace stretto::intercept::accelerate
