// Programs that run under the mode profile, and what becomes of their calls.

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fake_mpi/job.hpp"
#include "in_a_process.hpp"
#include "intercept/profile/call_recorder.hpp"
#include "intercept/profile/report.hpp"
#include "intercept/shared/caller.hpp"
#include "intercept/shared/entry.hpp"
#include "settings.hpp"

namespace stretto::intercept::profile {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

fake_mpi::Options uninitialized(fake_mpi::Options options = {}) {
  options.initialized = false;
  return options;
}

// `body` on each rank between MPI_Init and MPI_Finalize, under profile.
void run_program(fake_mpi::Job& job, const std::function<void(int rank)>& body) {
  const Setting all("STRETTO_RUN_ALL_RANKS", "trust");
  job.run([&](int rank) {
    int provided = 0;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    body(rank);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
}

// All call sites of a function.
ProfiledCallSite sum_of(const std::string& function) {
  ProfiledCallSite sum;
  for (const ProfiledCallSite& call_site : CallRecorder::get().call_sites()) {
    if (kFunctions[call_site.function].name != function) continue;
    sum.calls += call_site.calls;
    sum.bytes += call_site.bytes;
    sum.comm = call_site.comm;
  }
  return sum;
}
std::size_t call_sites_of(const std::string& function) {
  return static_cast<std::size_t>(std::ranges::count_if(
      CallRecorder::get().call_sites(), [&](const ProfiledCallSite& call_site) {
        return kFunctions[call_site.function].name == function;
      }));
}

TEST(Profile, CountsCallsByPlaceAndCommunicator) {
  fake_mpi::Job job(2, uninitialized());
  run_program(job, [](int rank) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    EXPECT_EQ(call_sites_of("MPI_Allreduce"), 2U);
    EXPECT_EQ(sum_of("MPI_Allreduce").calls, 4);
    EXPECT_EQ(sum_of("MPI_Allreduce").bytes, 16);
    MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);  // goes nowhere
    EXPECT_EQ(sum_of("MPI_Send").calls, 1);
    EXPECT_EQ(sum_of("MPI_Send").bytes, 0);
  });
}

TEST(Profile, NamesCommunicatorsAlikeOnAllRanks) {
  fake_mpi::Job job(3, uninitialized());
  std::array<std::vector<ProfiledComm>, 3> comms;
  run_program(job, [&](int rank) {
    MPI_Comm first{};
    MPI_Comm second{};
    MPI_Comm unused{};
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &unused);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Barrier(second);
    MPI_Barrier(first);
    MPI_Barrier(MPI_COMM_WORLD);
    comms[static_cast<std::size_t>(rank)] = CallRecorder::get().comms();
    for (MPI_Comm* comm : {&first, &second, &unused}) MPI_Comm_free(comm);
  });
  for (const auto& mine : comms) {
    ASSERT_EQ(mine.size(), comms[0].size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      EXPECT_EQ(mine[i].members, comms[0][i].members);
      EXPECT_EQ(mine[i].ordinal, comms[0][i].ordinal);  // by their first collectives
      EXPECT_EQ(mine[i].collectives, comms[0][i].collectives);
    }
  }
}

TEST(Profile, KeepsWhenEachCollectiveWasEnteredAndLeft) {
  fake_mpi::Job job(2, uninitialized());
  run_program(job, [](int rank) {
    int data = 0;
    for (int i = 0; i < 5; ++i) MPI_Bcast(&data, 1, MPI_INT, 1, MPI_COMM_WORLD);
    const auto& instances = CallRecorder::get().instances();
    ASSERT_EQ(instances.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(instances[i].number, static_cast<std::int64_t>(i));
      EXPECT_EQ(instances[i].root, 1);
      EXPECT_LE(instances[i].enter, instances[i].leave);
    }
    EXPECT_EQ(rank, CallRecorder::get().comms()[0].rank);
  });
}

// Beyond a thousand they are one, and their collectives are not kept.
TEST(Profile, FoldsCommunicatorsThatComeByTheThousand) {
  fake_mpi::Job job(1, uninitialized());
  run_program(job, [](int /*rank*/) {
    std::vector<MPI_Comm> comms(1100);
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
      MPI_Barrier(comm);
    }
    EXPECT_LE(CallRecorder::get().comms().size(), 1001U);
    EXPECT_TRUE(CallRecorder::get().comms().back().is_folded);
    EXPECT_EQ(sum_of("MPI_Barrier").calls, 1100);
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  });
}

// Whatever runs: no more is kept than has room, of every communicator a share.
TEST(Profile, ThinsOutCollectivesThatComeByTheMillion) {
  CallRecorder recorder;
  fake_mpi::Job job(1, {});
  job.run([&](int /*rank*/) {
    recorder.open(0);
    const int barrier = [] {
      int index = 0;
      while (std::string(kFunctions[index].name) != "MPI_Barrier") ++index;
      return index;
    }();
    const int comm = recorder.index_of(MPI_COMM_WORLD);
    constexpr int kCalls = 1'500'000;
    for (int i = 0; i < kCalls; ++i) recorder.add({.function = barrier, .comm = comm}, {});
    EXPECT_LT(recorder.instances().size(), std::size_t{1} << 20);
    EXPECT_GT(recorder.instances().size(), std::size_t{1} << 18);
    EXPECT_EQ(recorder.comms()[static_cast<std::size_t>(comm)].collectives, kCalls);
    EXPECT_EQ(recorder.comms()[static_cast<std::size_t>(comm)].stride, 2);
    recorder.close();
  });
}

// -- requests

Overlap overlap_of(const std::string& function) {
  const auto& call_sites = CallRecorder::get().call_sites();
  for (std::size_t i = 0; i < call_sites.size(); ++i) {
    if (kFunctions[call_sites[i].function].name == function) {
      return CallRecorder::get().overlap_of(static_cast<int>(i));
    }
  }
  return {};
}

TEST(Profile, FollowsRequestsFromWhereTheyStartToTheirEnd) {
  fake_mpi::Job job(2, uninitialized());
  run_program(job, [](int rank) {
    int got = 0;
    int sum = 0;
    std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[2]);
    int flag = 0;
    MPI_Testall(3, requests.data(), &flag, MPI_STATUSES_IGNORE);
    if (flag == 0) MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(got, 1 - rank);
    for (const char* function : {"MPI_Irecv", "MPI_Iallreduce", "MPI_Isend"}) {
      EXPECT_EQ(overlap_of(function).started, 1) << function;
      EXPECT_EQ(overlap_of(function).completed, 1) << function;
    }
  });
}

TEST(Profile, AnyAndSomeCompleteThoseTheyName) {
  fake_mpi::Job job(1, uninitialized());
  run_program(job, [](int /*rank*/) {
    constexpr int kMany = 40;  // more than have room on the stack
    std::vector<MPI_Request> requests(kMany);
    std::vector<int> got(kMany);
    std::vector<int> indices(kMany);
    for (int i = 0; i < kMany; ++i) {
      const auto place = static_cast<std::size_t>(i);
      MPI_Irecv(&got[place], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[place]);
    }
    for (int i = 0; i < 10; ++i) MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    int index = -1;
    int flag = 0;
    int some = 0;
    MPI_Waitany(kMany, requests.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(overlap_of("MPI_Irecv").completed, 1);
    MPI_Testany(kMany, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(overlap_of("MPI_Irecv").completed, 2);
    MPI_Testsome(kMany, requests.data(), &some, indices.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(overlap_of("MPI_Irecv").completed, 10);
    MPI_Testsome(kMany, requests.data(), &some, indices.data(), MPI_STATUSES_IGNORE);
    MPI_Testany(kMany, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(overlap_of("MPI_Irecv").completed, 10);
    for (int i = 10; i < kMany; ++i) MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    MPI_Waitsome(kMany, requests.data(), &some, indices.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(some, kMany - 10);
    EXPECT_EQ(overlap_of("MPI_Irecv").completed, kMany);
  });
}

TEST(Profile, PersistentRequestsStartAgainAndFreedOnesAreGone) {
  fake_mpi::Job job(1, uninitialized());
  run_program(job, [](int /*rank*/) {
    int got = 0;
    const int value = 5;
    MPI_Request request{};
    MPI_Recv_init(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    for (int i = 0; i < 3; ++i) {
      int flag = 0;
      MPI_Start(&request);
      MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0);
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(overlap_of("MPI_Start").started, 3);
    EXPECT_EQ(overlap_of("MPI_Start").completed, 3);
    MPI_Startall(1, &request);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Request_free(&request);
    EXPECT_EQ(overlap_of("MPI_Startall").completed, 0);
  });
}

TEST(Profile, ACallThatFailsCompletesNothing) {
  fake_mpi::Job job(1, uninitialized());
  run_program(job, [&](int /*rank*/) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int got = 0;
    const std::array<int, 2> two{};
    MPI_Request request{};
    MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(two.data(), 2, MPI_INT, 0, 0, MPI_COMM_SELF);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    EXPECT_EQ(overlap_of("MPI_Irecv").completed, 0);
    EXPECT_EQ(sum_of("MPI_Wait").calls, 1);
  });
}

TEST(Profile, WindowsAndFilesCountForTheirCommunicator) {
  fake_mpi::Job job(1, uninitialized());
  run_program(job, [](int rank) {
    MPI_Comm comm{};
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Barrier(comm);
    const int index = sum_of("MPI_Barrier").comm;
    MPI_Win win{};
    MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_free(&win);
    MPI_File file{};
    MPI_File_open(comm, "nothing", 0, MPI_INFO_NULL, &file);
    MPI_File_write(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    for (const char* function : {"MPI_Win_create", "MPI_Win_fence", "MPI_Put", "MPI_Win_free",
                                 "MPI_File_open", "MPI_File_write", "MPI_File_close"}) {
      EXPECT_EQ(sum_of(function).calls, 1) << function;
      EXPECT_EQ(sum_of(function).comm, index) << function;
    }
    EXPECT_EQ(sum_of("MPI_Put").bytes, 4);
    MPI_Comm_free(&comm);
  });
}

// -- what is written

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Where a report goes is a process's for good.
TEST(ProfileDeathTest, EachRankWritesWhatItHasSeen) {
  expect_in_a_process([] {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("stretto-unit-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const Setting files("STRETTO_PROFILE_FOLDER", folder.c_str());
    const Setting traced("STRETTO_PROFILE_TRACE", "100");
    fake_mpi::Job job(2, uninitialized());
    run_program(job, [](int rank) {
      int sum = 0;
      MPI_Request request{};
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      int flag = 0;
      for (int i = 0; i < 3; ++i) {
        MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
      }
    });
    for (const int rank : {0, 1}) {
      const std::string name = "rank-" + std::to_string(rank);
      const std::string text = contents(folder / (name + ".json"));
      for (const std::string part :
           {"\"size\":2", "\"function\":\"MPI_Allreduce\",\"kind\":\"collective\"",
            "\"kind\":\"start\"", "\"overlap\":{\"started\":1,\"completed\":1",
            "\"kind\":\"completion\"", "\"kind\":\"probe\"", "\"trace\":{\"calls\":6",
            "\"clocks\":[{\"at_ns\":"}) {
        EXPECT_TRUE(has(text, part)) << part << " is not in " << text;
      }
      EXPECT_EQ(std::filesystem::file_size(folder / (name + ".collectives")), sizeof(Instance));
      EXPECT_GT(std::filesystem::file_size(folder / (name + ".trace")), 0U);
    }
    std::filesystem::remove_all(folder);
  });
}

TEST(ProfileDeathTest, SaysWhereItCannotBeWritten) {
  expect_in_a_process([] {
    const Setting files("STRETTO_PROFILE_FOLDER", "/nonexistent/folder");
    testing::internal::CaptureStderr();
    fake_mpi::Job job(2, uninitialized());
    run_program(job, [](int /*rank*/) {});
    EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "this rank's profile is lost"));
  });
}

TEST(Profile, SpawnedRanksAreNotProfiled) {
  testing::internal::CaptureStderr();
  fake_mpi::Job job(1, uninitialized({.others = 1, .others_are_children = true}));
  run_program(job, [](int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(sum_of("MPI_Barrier").calls, rank == 0 ? 1 : 0);
  });
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "are not profiled"));
}

TEST(Profile, WhereOtherRanksMayNotRunItNothingIsCounted) {
  testing::internal::CaptureStderr();
  fake_mpi::Job job(2, uninitialized());
  job.run([](int /*rank*/) {
    MPI_Init(nullptr, nullptr);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(sum_of("MPI_Barrier").calls, 0);
    MPI_Finalize();
  });
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "nobody can tell"));
}

// -- where calls are made

TEST(Caller, AProgramsOwnAddressIsItself) {
  find_bindings();
  void* const here = __builtin_extract_return_addr(__builtin_return_address(0));
  EXPECT_EQ(caller_in_program(here), here);
  EXPECT_FALSE(is_programs(reinterpret_cast<void*>(&find_bindings)));  // it is in this library
}

TEST(Caller, APlaceHasAFileAndASymbolWhereThereIsOne) {
  const CodePlace place = place_of(reinterpret_cast<char*>(&::getenv) + 1);
  EXPECT_TRUE(has(place.object, "libc")) << place.object;
  EXPECT_TRUE(has(place.symbol, "getenv")) << place.symbol;
  EXPECT_GT(place.offset, 0U);
}

TEST(Caller, WithoutAnInterpreterThereIsNoLineOfPython) {
  find_python();
  EXPECT_EQ(python_line(reinterpret_cast<void*>(&::getenv)), nullptr);
}

}  // namespace
}  // namespace stretto::intercept::profile
