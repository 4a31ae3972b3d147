// Buffers in a GPU's memory. A process that has loaded its runtime keeps it, so each test runs in
// one of its own, with a stand-in for CUDA's driver.

#include "api/device_buffers.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "api/call.hpp"
#include "engine/device_job.hpp"
#include "fake_mpi/with_stretto.hpp"
#include "in_a_process.hpp"

#ifdef STANDIN_CUDA

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;

constexpr std::size_t kBytes = 1024;

// Loads the stand-in; memory of its device.
void* load_cuda() {
  void* const library = dlopen(STANDIN_CUDA, RTLD_NOW);
  // A device takes longer than that to be set up, and is not looked for at each call.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (library == nullptr) return nullptr;
  const auto begin = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto allocate =
      reinterpret_cast<int (*)(void**, std::size_t)>(dlsym(library, "cuMemAlloc_v2"));
  void* there = nullptr;
  begin(0);
  allocate(&there, kBytes);
  return there;
}

int on_host[kBytes / sizeof(int)];

Call any_call(Collective collective) {
  Call call{.collective = collective, .sendbuf = on_host};
  call.recvbuf = on_host + 128;
  call.sendcount = call.recvcount = 2;
  call.sendtype = call.recvtype = MPI_INT;
  if (reduces(collective)) call.op = MPI_SUM;
  call.comm = MPI_COMM_WORLD;
  return call;
}

constexpr Collective kCollectivesWithData[] = {
    Collective::bcast,   Collective::reduce,    Collective::allreduce, Collective::gather,
    Collective::scatter, Collective::allgather, Collective::alltoall,  Collective::reduce_scatter,
    Collective::scan,    Collective::exscan};

// Of the ranks one has a buffer there, whichever of its buffers the call uses.
TEST(DeviceBuffersDeathTest, ACallWithOneIsTheMpisOnAllRanks) {
  expect_in_a_process([] {
    void* const device = load_cuda();
    ASSERT_NE(device, nullptr);
    EXPECT_TRUE(device_job::is_likely());
    Job job(2);
    run_with_stretto(job, [device](int rank) {
      for (const Collective collective : kCollectivesWithData) {
        EXPECT_EQ(decide(any_call(collective)).choice.reason, Reason::none);
        for (const int has : {0, 1}) {
          for (const bool sent : {true, false}) {
            Call call = any_call(collective);
            if (rank == has) (sent ? const_cast<void*&>(call.sendbuf) : call.recvbuf) = device;
            // The root is rank 0.
            bool used = true;
            if (collective == Collective::bcast) used = !sent;
            if (collective == Collective::scatter) used = has == 0 || !sent;
            if (collective == Collective::gather || collective == Collective::reduce) {
              used = has == 0 || sent;
            }
            EXPECT_EQ(decide(call).choice.reason, used ? Reason::device_buffers : Reason::none)
                << name_of(collective) << (sent ? " sends" : " receives") << " on rank " << has;
          }
        }
      }
      EXPECT_EQ(decide({.collective = Collective::barrier, .comm = MPI_COMM_WORLD}).choice.reason,
                Reason::none);
    });
  });
}

TEST(DeviceBuffersDeathTest, NonblockingCallsAreTheMpisAltogether) {
  expect_in_a_process([] {
    ASSERT_NE(load_cuda(), nullptr);
    Job job(2);
    run_with_stretto(job, [](int /*rank*/) {
      Call call = any_call(Collective::allreduce);
      call.form = Form::nonblocking;
      EXPECT_EQ(decide(call).choice.reason, Reason::device_buffers);
      EXPECT_EQ(always_native(Collective::allreduce, Form::persistent,
                              communicators::find(MPI_COMM_WORLD)),
                Reason::device_buffers);
    });
  });
}

// By the first byte of a block, wherever the base of the buffer is.
TEST(DeviceBuffersDeathTest, OfBlocksThatDifferAnyCounts) {
  expect_in_a_process([] {
    auto* const device = static_cast<int*>(load_cuda());
    ASSERT_NE(device, nullptr);
    Job job(2);
    run_with_stretto(job, [device](int /*rank*/) {
      const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
      std::array<int, 2> counts{1, 1};
      const std::array<MPI_Aint, 2> there{
          0, reinterpret_cast<std::intptr_t>(device) - reinterpret_cast<std::intptr_t>(on_host)};
      Call call = any_call(Collective::alltoall);
      call.uneven = true;
      call.sendcounts = call.recvcounts = counts.data();
      call.senddispls = call.recvdispls = there.data();
      call.sendtypes = call.recvtypes = types.data();
      EXPECT_EQ(decide(call).choice.reason, Reason::device_buffers);
      counts[1] = 0;
      EXPECT_EQ(decide(call).choice.reason, Reason::none);
      Call scatter = any_call(Collective::reduce_scatter);
      scatter.uneven = true;
      scatter.sendbuf = device;
      scatter.recvcounts = counts.data();
      EXPECT_EQ(decide(scatter).choice.reason, Reason::device_buffers);
      counts[0] = 0;
      EXPECT_EQ(decide(scatter).choice.reason, Reason::none);
    });
  });
}

// Then ranks cannot agree any more.
TEST(DeviceBuffersDeathTest, OneOfARuntimeThatCameLaterEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Job job(1);
        run_with_stretto(job, [](int /*rank*/) {
          Call call = any_call(Collective::allreduce);
          call.recvbuf = load_cuda();
          MPI_Comm comm{};
          MPI_Comm_dup(MPI_COMM_SELF, &comm);
          const Communicator& known = *communicators::find(MPI_COMM_WORLD);
          static_cast<void>(device_buffers::has_any(call, known));
        });
      },
      testing::ExitedWithCode(5), "gives allreduce a buffer in a GPU's memory");
}

TEST(DeviceBuffersDeathTest, NobodyLooksWhereTheyAreOff) {
  expect_in_a_process([] {
    ::setenv("STRETTO_DEVICE_BUFFERS", "off", 1);
    void* const device = load_cuda();
    Job job(2);
    run_with_stretto(job, [device](int /*rank*/) {
      Call call = any_call(Collective::allreduce);
      call.recvbuf = device;
      EXPECT_EQ(decide(call).choice.reason, Reason::none);
    });
  });
}

TEST(DeviceBuffersDeathTest, TheyAreExpectedWhereTheyAreOn) {
  expect_in_a_process([] {
    ::setenv("STRETTO_DEVICE_BUFFERS", "on", 1);
    Job job(2);
    run_with_stretto(job, [](int /*rank*/) {
      EXPECT_TRUE(communicators::find(MPI_COMM_WORLD)->around.device_buffers);
    });
  });
}

TEST(DeviceBuffersDeathTest, WithoutASignOfOneNoneAreExpected) {
  expect_in_a_process([] { EXPECT_FALSE(device_job::is_likely()); });
}

}  // namespace
}  // namespace stretto

#endif
