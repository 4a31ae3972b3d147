#include "selection/in_memory.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "base/byte_units.hpp"

namespace stretto {
namespace {

constexpr Surroundings kAround{.hosts = 1, .shares_memory = true, .progress_thread = true};
// How it may be with messages between two ranks: slow, or fast below a length, or always.
constexpr Count kLimits[] = {0, 128 * kKiB, 512 * kKiB, kSomeBytes};

Surroundings with_limit(Count beats_kernel_below) {
  Surroundings around = kAround;
  around.beats_kernel_below = beats_kernel_below;
  around.beats_kernel_anew_below = beats_kernel_below;
  return around;
}

// As where ranks share blocks, with cores of their own or not.
constexpr Surroundings kSharing{
    .hosts = 1, .has_cores = false, .shares_memory = true, .has_shared_blocks = true};
constexpr Surroundings kSharingLong{.hosts = 1,
                                    .has_cores = false,
                                    .shares_memory = true,
                                    .has_shared_blocks = true,
                                    .has_long_blocks = true};

Surroundings with_cores(Surroundings around) {
  around.has_cores = true;
  return around;
}

constexpr Collective kMeasured[] = {
    Collective::bcast,   Collective::reduce,    Collective::allreduce, Collective::gather,
    Collective::scatter, Collective::allgather, Collective::alltoall,  Collective::reduce_scatter};

Query on_host(Collective collective, Count bytes, int size = 16) {
  return {.collective = collective, .size = size, .bytes = bytes};
}

std::string_view chosen_on_host(const Query& asked, const Surroundings& around = kAround) {
  const Choice choice = choose_in_memory(asked, around);
  return choice.algorithm == nullptr ? "none" : choice.algorithm->name;
}

TEST(InMemory, ShortOnesGoByFewRoundsAndLongOnesInOnePartARank) {
  EXPECT_EQ(chosen_on_host(on_host(Collective::bcast, 16 * kKiB)), "knomial");
  EXPECT_EQ(chosen_on_host(on_host(Collective::bcast, 32 * kKiB)), "linear");
  EXPECT_EQ(chosen_on_host(on_host(Collective::bcast, 1024 * kKiB)), "chain");
  // A root that has just begun a nonblocking call copies nothing: each would pull by itself.
  Query begun = on_host(Collective::bcast, 64 * kKiB);
  begun.form = Form::nonblocking;
  EXPECT_EQ(chosen_on_host(begun), "knomial");
  begun.bytes = 512 * kKiB;
  EXPECT_EQ(chosen_on_host(begun), "chain");
  // Hops and messages to each of many more ranks were not measured.
  EXPECT_EQ(chosen_on_host(on_host(Collective::bcast, 64 * kKiB, 17)), "knomial");
  EXPECT_EQ(chosen_on_host(on_host(Collective::bcast, 1024 * kKiB, 17)), "scatter_allgather");
  EXPECT_EQ(chosen_on_host(on_host(Collective::gather, 8, 17)), "binomial");
  EXPECT_EQ(chosen_on_host(on_host(Collective::alltoall, 8, 17)), "bruck");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 8)), "recursive_doubling");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 64 * kKiB)), "rabenseifner");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 2048 * kKiB)), "linear");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 2048 * kKiB, 8)), "rabenseifner");
  // Where the number of ranks is no power of two whole vectors would be folded.
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 64 * kKiB, 6)), "linear");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allgather, 4 * kKiB, 6)), "bruck");
}

TEST(InMemory, RulesAreForWhatWasMeasuredAlone) {
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 64 * kKiB, 2)), "none");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 64 * kKiB, 65)), "none");
  EXPECT_EQ(chosen_on_host(on_host(Collective::scan, 64 * kKiB)), "none");
  Query asked = on_host(Collective::gather, 64 * kKiB);
  asked.uneven = true;
  EXPECT_EQ(chosen_on_host(asked), "none");
  Surroundings hosts = kAround;
  hosts.hosts = 2;
  Surroundings apart = kAround;
  apart.shares_memory = false;
  Surroundings crowded = kAround;
  crowded.has_cores = false;
  for (const Surroundings& other : {hosts, apart, crowded}) {
    EXPECT_EQ(choose_in_memory(on_host(Collective::bcast, 64 * kKiB), other).algorithm, nullptr);
  }
}

// A vector of few long elements cannot be cut into a part for each rank.
TEST(InMemory, NoRuleTakesAnAlgorithmThatMayNotRun) {
  Query asked = on_host(Collective::allreduce, 64 * kKiB);
  asked.element_bytes = 32 * kKiB;
  EXPECT_EQ(chosen_on_host(asked), "none");
  EXPECT_NE(choose(asked, kAround, {}).algorithm, nullptr);
}

TEST(InMemory, TheMpiKeepsWhatItWasFasterAt) {
  EXPECT_FALSE(is_fast_in_memory(on_host(Collective::allreduce, 8 * kKiB), kAround));
  EXPECT_TRUE(is_fast_in_memory(on_host(Collective::allreduce, 16 * kKiB), kAround));
  EXPECT_TRUE(is_fast_in_memory(on_host(Collective::bcast, 512 * kKiB), kAround));
  EXPECT_FALSE(is_fast_in_memory(on_host(Collective::bcast, 512 * kKiB, 17), kAround));
  EXPECT_FALSE(is_fast_in_memory(on_host(Collective::bcast, 1024 * kKiB), kAround));
  EXPECT_TRUE(is_fast_in_memory(on_host(Collective::bcast, 1024 * kKiB, 8), kAround));
  EXPECT_FALSE(is_fast_in_memory(on_host(Collective::alltoall, 128 * kKiB), kAround));
  EXPECT_FALSE(is_fast_in_memory(on_host(Collective::gather, 1024 * kKiB, 65), kAround));
}

// Two ranks send what the MPI's algorithms send, so it is up to how fast the messages are.
TEST(InMemory, TwoRanksLeaveToTheMpiWhatTheKernelCopiesFaster) {
  for (const Collective collective : kMeasured) {
    EXPECT_FALSE(is_fast_in_memory(on_host(collective, 32 * kKiB, 2), with_limit(0)));
    EXPECT_TRUE(is_fast_in_memory(on_host(collective, 32 * kKiB, 2), with_limit(128 * kKiB)));
    EXPECT_FALSE(is_fast_in_memory(on_host(collective, 128 * kKiB, 2), with_limit(128 * kKiB)));
    EXPECT_FALSE(is_fast_in_memory(on_host(collective, 16 * kKiB, 2), with_limit(kSomeBytes)));
    for (const Count bytes : {64 * kKiB, 8192 * kKiB}) {
      EXPECT_TRUE(is_fast_in_memory(on_host(collective, bytes, 2), with_limit(kSomeBytes)));
    }
  }
}

// What is sent again as it is the kernel may copy faster than sums, whose lines are another's.
TEST(InMemory, TwoRanksHaveALimitForWhatIsWrittenAnew) {
  Surroundings around = with_limit(128 * kKiB);
  around.beats_kernel_anew_below = kSomeBytes;
  for (const Collective collective : kMeasured) {
    const bool anew = reduces(collective) || collective == Collective::bcast;
    EXPECT_EQ(is_fast_in_memory(on_host(collective, 256 * kKiB, 2), around), anew);
  }
}

TEST(InMemory, AReduceOfTwoRanksGoesWholeWhereItIsCopiedTwice) {
  const Surroundings around = with_limit(kSomeBytes);
  EXPECT_EQ(chosen_on_host(on_host(Collective::reduce, 256 * kKiB, 2), around), "binomial");
  EXPECT_EQ(chosen_on_host(on_host(Collective::reduce, 8192 * kKiB, 2), around), "binomial");
  Query of_the_program = on_host(Collective::reduce, 256 * kKiB, 2);
  of_the_program.calls_program = true;
  EXPECT_EQ(chosen_on_host(of_the_program, around), "binomial");
  of_the_program.bytes = 512 * kKiB;
  EXPECT_EQ(chosen_on_host(of_the_program, around), "none");
  EXPECT_EQ(chosen_on_host(on_host(Collective::reduce, 256 * kKiB, 2), with_limit(256 * kKiB)),
            "none");
  EXPECT_EQ(chosen_on_host(on_host(Collective::reduce, 16 * kKiB, 2), with_limit(0)), "binomial");
  EXPECT_EQ(chosen_on_host(on_host(Collective::reduce, 32 * kKiB, 2), with_limit(0)), "none");
}

TEST(InMemory, AnAllreduceOfTwoRanksGoesInHalvesWhereItIsCopiedTwice) {
  Surroundings around = with_limit(0);
  around.beats_kernel_anew_below = 1024 * kKiB;
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 16 * kKiB, 2), around), "none");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 32 * kKiB, 2), around), "rabenseifner");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 512 * kKiB, 2), around), "rabenseifner");
  EXPECT_EQ(chosen_on_host(on_host(Collective::allreduce, 1024 * kKiB, 2), around), "none");
  Query other = on_host(Collective::allreduce, 256 * kKiB, 2);
  other.calls_program = true;
  EXPECT_EQ(chosen_on_host(other, around), "none");
  other.calls_program = false;
  other.element_bytes = 256 * kKiB;  // no half of it is a rank's
  EXPECT_EQ(chosen_on_host(other, around), "none");
}

// Calls whose bytes have as many bits learn together (see Contests).
TEST(InMemory, NoLimitLiesBetweenTwoPowersOfTwo) {
  const auto check = [](Collective collective, int size, const Surroundings& around) {
    for (Count least = 1; least < Count{1} << 40; least *= 2) {
      const bool is_fast = is_fast_in_memory(on_host(collective, least, size), around);
      for (const Count bytes : {least + 1, least + least / 2, 2 * least - 1}) {
        if (std::bit_width(static_cast<std::uint64_t>(bytes)) !=
            std::bit_width(static_cast<std::uint64_t>(least))) {
          continue;
        }
        EXPECT_EQ(is_fast_in_memory(on_host(collective, bytes, size), around), is_fast) << bytes;
      }
    }
  };
  for (const Collective collective : kMeasured) {
    for (const int size : {2, 3, 4, 8, 9, 16, 64, 65}) {
      for (const Count limit : kLimits) check(collective, size, with_limit(limit));
      for (const Surroundings& around : {kSharing, kSharingLong}) {
        check(collective, size, around);
        check(collective, size, with_cores(around));
      }
    }
  }
}

// What is asked once for all sizes: else calls in the middle would be the MPI's unseen.
TEST(InMemory, WhereAnySizeIsFastSomeSizeIs) {
  const auto check = [](Collective collective, int size, const Surroundings& around) {
    bool any = false;
    for (Count bytes = 1; bytes < Count{1} << 40; bytes *= 2) {
      any = any || is_fast_in_memory(on_host(collective, bytes, size), around);
    }
    const Query asked = on_host(collective, kSomeBytes, size);
    EXPECT_EQ(is_fast_in_memory(asked, around), any);
    if (any) {
      EXPECT_EQ(always_native(asked, around, {}), Reason::none);
    }
  };
  for (const Collective collective : kMeasured) {
    for (const int size : {2, 3, 8, 16, 64, 65}) {
      for (const Count limit : kLimits) check(collective, size, with_limit(limit));
      check(collective, size, kSharing);
    }
  }
}

std::string_view shared(const Query& asked, const Surroundings& around = kSharing) {
  const Choice choice = choose(asked, around, {});
  return choice.algorithm == nullptr ? "native" : choice.algorithm->name;
}

TEST(InMemory, ShortBlocksAreReadWhereTheyWereWritten) {
  EXPECT_EQ(shared(on_host(Collective::barrier, 0)), "flat");
  for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
    EXPECT_EQ(shared(on_host(collective, 8)), "flat");
    EXPECT_EQ(shared(on_host(collective, kKiB - 1)), "flat");
    EXPECT_EQ(shared(on_host(collective, kKiB)), "native");
    EXPECT_EQ(shared(on_host(collective, 0)), "native");
  }
  EXPECT_EQ(shared(on_host(Collective::allgather, kKiB - 1)), "linear");
  EXPECT_EQ(shared(on_host(Collective::allgather, kKiB)), "native");
  // One for each rank lies there.
  EXPECT_EQ(shared(on_host(Collective::alltoall, 63, 16)), "linear");
  EXPECT_EQ(shared(on_host(Collective::alltoall, 64, 16)), "native");
  EXPECT_EQ(shared(on_host(Collective::alltoall, 255, 3)), "linear");
  EXPECT_EQ(shared(on_host(Collective::alltoall, 256, 3)), "native");
}

// All ranks read all blocks: less of them where that is work of cores that they have to themselves.
TEST(InMemory, LongerBlocksAreForFewRanksOrSharedCores) {
  const auto goes = [](Collective collective, int size, Count bytes, const Surroundings& around) {
    return choose_in_shared_blocks(on_host(collective, bytes, size), around).algorithm != nullptr;
  };
  const auto expect_below = [&](Collective collective, int size, Count limit,
                                const Surroundings& around) {
    EXPECT_TRUE(goes(collective, size, limit - 1, around)) << size;
    EXPECT_FALSE(goes(collective, size, limit, around)) << size;
  };
  for (const Collective collective :
       {Collective::reduce, Collective::allreduce, Collective::allgather}) {
    for (const int size : {2, 3, 8}) expect_below(collective, size, 8 * kKiB, kSharingLong);
    expect_below(collective, 16, 4 * kKiB, kSharingLong);
    for (const int size : {2, 16}) expect_below(collective, size, kKiB, with_cores(kSharing));
    expect_below(collective, 2, 8 * kKiB, with_cores(kSharingLong));
    expect_below(collective, 3, 4 * kKiB, with_cores(kSharingLong));
    expect_below(collective, 8, 2 * kKiB, with_cores(kSharingLong));
    expect_below(collective, 16, kKiB, with_cores(kSharingLong));
  }
  expect_below(Collective::alltoall, 8, kKiB, kSharingLong);
  expect_below(Collective::alltoall, 2, 4 * kKiB, with_cores(kSharingLong));
}

TEST(InMemory, WhatRanksMayNotSayAlikeGoesAsBefore) {
  for (const Collective collective :
       {Collective::bcast, Collective::gather, Collective::scatter, Collective::scan}) {
    EXPECT_EQ(shared(on_host(collective, 8)), "native");
  }
  Query other = on_host(Collective::allgather, 8);
  other.uneven = true;
  EXPECT_EQ(shared(other), "native");
  other = on_host(Collective::allreduce, 8);
  other.calls_program = true;
  EXPECT_EQ(shared(other), "native");
}

}  // namespace
}  // namespace stretto
