#include "selection/selection.hpp"

#include <gtest/gtest.h>

#include "selection/queries.hpp"

namespace stretto {
namespace {

TEST(Selection, LeavesBlockingCallsOnOneHostToTheMpi) {
  for (int c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    const Choice choice = choose(query(collective, 8), kOneHost, {});
    EXPECT_EQ(choice.algorithm, nullptr);
    EXPECT_EQ(choice.reason, Reason::native_faster);
  }
}

TEST(Selection, TakesLongOnesOnOneHostWhoseRanksShareMemory) {
  Surroundings around = kOneHost;
  around.shares_memory = true;
  constexpr Count kLong = Count{64} << 10;
  constexpr Collective kTaken[] = {Collective::bcast,     Collective::reduce,
                                   Collective::allreduce, Collective::gather,
                                   Collective::scatter,   Collective::allgather,
                                   Collective::alltoall,  Collective::reduce_scatter};
  for (const Collective collective : kTaken) {
    EXPECT_NE(choose(query(collective, kLong), around, {}).algorithm, nullptr);
    EXPECT_EQ(choose(query(collective, 8), around, {}).algorithm, nullptr);
    // Each rank may know other sizes of these.
    Query uneven = query(collective, kLong);
    uneven.uneven = true;
    EXPECT_EQ(choose(uneven, around, {}).algorithm, nullptr);
    Surroundings crowded = around;
    crowded.has_cores = false;
    EXPECT_EQ(choose(query(collective, kLong), crowded, {}).algorithm, nullptr);
  }
  EXPECT_EQ(choose(query(Collective::scan, kLong), around, {}).algorithm, nullptr);
}

TEST(Selection, LeavesToTheMpiWhatIsOverAtOnceBetweenTwoRanks) {
  Query asked = query(Collective::allreduce, 8);
  asked.form = Form::nonblocking;
  asked.size = 2;
  EXPECT_EQ(choose(asked, kOneHost, {}).reason, Reason::native_faster);
  EXPECT_EQ(choose(asked, kTwoHosts, {}).basis, Basis::over_at_once);
  asked.bytes = Count{4} << 10;
  EXPECT_NE(choose(asked, kOneHost, {}).algorithm, nullptr);
  asked.bytes = Count{32} << 10;
  EXPECT_EQ(choose(asked, kTwoHosts, {}).basis, Basis::over_at_once);
  ++asked.bytes;
  EXPECT_NE(choose(asked, kTwoHosts, {}).algorithm, nullptr);
  asked.form = Form::blocking;
  asked.bytes = (Count{32} << 10) - 1;
  EXPECT_EQ(choose(asked, kTwoHosts, {}).basis, Basis::over_at_once);
  ++asked.bytes;
  EXPECT_NE(choose(asked, kTwoHosts, {}).algorithm, nullptr);
  // One message whatever its size, which the root alone may know.
  asked = query(Collective::gather, 0);
  asked.size = 2;
  asked.uneven = true;
  EXPECT_EQ(choose(asked, kTwoHosts, {}).basis, Basis::over_at_once);
  asked.form = Form::nonblocking;
  EXPECT_NE(choose(asked, kTwoHosts, {}).algorithm, nullptr);
  // Ranks may differ in what they know of these.
  asked = query(Collective::alltoall, 8);
  asked.form = Form::nonblocking;
  asked.size = 2;
  asked.uneven = true;
  EXPECT_NE(choose(asked, kOneHost, {}).algorithm, nullptr);
}

TEST(Selection, LeavesThemToTheMpiWhereRanksShareCoresOrNobodyKnows) {
  Surroundings shared = kOneHost;
  shared.has_cores = false;
  for (const Form form : {Form::blocking, Form::nonblocking}) {
    Query asked = query(Collective::allreduce, 8);
    asked.form = form;
    EXPECT_EQ(choose(asked, shared, {}).reason, Reason::native_faster);
    Surroundings never = shared;
    never.never_native = true;
    EXPECT_NE(choose(asked, never, {}).algorithm, nullptr);
  }
}

TEST(Selection, BetweenHostsThatShareCoresTakesWhatWasFasterAlone) {
  Surroundings shared = kTwoHosts;
  shared.has_cores = false;
  const auto is_native = [&](Collective collective, Count bytes, Form form) {
    Query asked = query(collective, bytes);
    asked.form = form;
    return choose(asked, shared, {}).reason == Reason::native_faster;
  };
  constexpr Count kLarge = Count{1} << 20;
  for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::gather,
                                      Collective::allreduce, Collective::allgather}) {
    EXPECT_FALSE(is_native(collective, kLarge, Form::blocking));
    EXPECT_TRUE(is_native(collective, 8, Form::blocking));
    const bool is_taken = collective == Collective::bcast || collective == Collective::allgather;
    EXPECT_EQ(is_native(collective, kLarge, Form::nonblocking), !is_taken);
    EXPECT_TRUE(is_native(collective, kLarge / 2, Form::nonblocking));
  }
  EXPECT_TRUE(is_native(Collective::allreduce, kLarge / 2, Form::blocking));
  // Not measured between two groups.
  for (const Collective collective : {Collective::allreduce, Collective::allgather}) {
    Query between_groups = query(collective, kLarge);
    between_groups.two_groups = true;
    EXPECT_EQ(choose(between_groups, shared, {}).reason, Reason::native_faster);
  }
  for (const Count bytes : {Count{8}, kLarge}) {
    EXPECT_TRUE(is_native(Collective::alltoall, bytes, Form::nonblocking));
    EXPECT_FALSE(is_native(Collective::alltoall, bytes, Form::persistent));
  }
}

TEST(Selection, HandlesNonblockingCallsWhereCoresMayOverlap) {
  Query asked = query(Collective::allreduce, 8);
  asked.form = Form::nonblocking;
  EXPECT_NE(choose(asked, kOneHost, {}).algorithm, nullptr);
}

TEST(Selection, LeavesNonblockingCallsToTheMpiWithoutAProgressThread) {
  Query nonblocking = query(Collective::bcast, 8);
  nonblocking.form = Form::nonblocking;
  Surroundings around = kTwoHosts;
  around.progress_thread = false;
  EXPECT_EQ(choose(nonblocking, around, {}).reason, Reason::no_progress_thread);
}

TEST(Selection, HandlesNonblockingSumsInSharedMemoryWithoutAProgressThread) {
  Query sum = query(Collective::reduce, 1 << 20);
  sum.form = Form::nonblocking;
  sum.without_mpi = true;
  const Surroundings here{.hosts = 1, .shares_memory = true, .progress_in_memory = true};
  EXPECT_NE(choose(sum, here, {}).algorithm, nullptr);
  const auto is_passed = [](const Query& asked, const Surroundings& around) {
    return choose(asked, around, {}).reason == Reason::no_progress_thread;
  };
  for (const auto& missing : {&Surroundings::shares_memory, &Surroundings::progress_in_memory}) {
    Surroundings around = here;
    around.*missing = false;
    EXPECT_TRUE(is_passed(sum, around));
  }
  Query other = sum;
  other.without_mpi = false;
  EXPECT_TRUE(is_passed(other, here));
  other = sum;
  other.form = Form::persistent;
  EXPECT_TRUE(is_passed(other, here));
  other = sum;
  other.uneven = true;
  EXPECT_TRUE(is_passed(other, here));
  other = sum;
  other.bytes = kLongInMemory - 1;
  EXPECT_TRUE(is_passed(other, here));
  other = sum;
  other.two_groups = true;
  EXPECT_TRUE(is_passed(other, here));
}

TEST(Selection, KeepsRankOrderWhereItMatters) {
  for (Count bytes = 1; bytes <= Count{1} << 28; bytes *= 4) {
    for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
      Query ordered = query(collective, bytes);
      ordered.commutative = false;
      const Choice choice = choose(ordered, kTwoHosts, {});
      ASSERT_NE(choice.algorithm, nullptr);
      EXPECT_TRUE(choice.algorithm->keeps_rank_order) << choice.algorithm->name;
    }
  }
}

TEST(Selection, NamesOnlyAlgorithmsThatExist) {
  Surroundings around = kTwoHosts;
  around.never_native = true;
  for (int c = 0; c < kCollectives; ++c) {
    for (Count bytes = 1; bytes <= Count{1} << 28; bytes *= 4) {
      for (const int size : {2, 8, 64}) {
        Query asked = query(static_cast<Collective>(c), bytes);
        asked.size = size;
        EXPECT_NE(choose(asked, around, {}).algorithm, nullptr);
      }
    }
  }
}

TEST(Selection, ObeysAForcedAlgorithmUnlessItWouldChangeTheResult) {
  Overrides overrides;
  Forced& forced = overrides[static_cast<std::size_t>(Collective::allreduce)];
  forced.algorithm = find_algorithm(Collective::allreduce, "ring");
  Query asked = query(Collective::allreduce, 8);
  EXPECT_EQ(choose(asked, kOneHost, overrides).algorithm, forced.algorithm);
  asked.commutative = false;
  EXPECT_EQ(choose(asked, kOneHost, overrides).reason, Reason::changes_rank_order);
  // Many MPIs have no persistent collectives that a call could be left to.
  asked.form = Form::persistent;
  EXPECT_EQ(choose(asked, kTwoHosts, overrides).algorithm,
            find_algorithm(Collective::allreduce, "recursive_doubling"));
  asked.form = Form::blocking;
  forced = {.native = true};
  EXPECT_EQ(choose(asked, kTwoHosts, overrides).reason, Reason::native_forced);
  EXPECT_EQ(choose(asked, kOneHost, overrides).reason, Reason::native_forced);
}

TEST(Selection, LeavesToTheMpiWhatRanksCannotAgreeOnWhereABufferMayBeADevices) {
  Surroundings around = kTwoHosts;
  around.device_buffers = true;
  Query asked = query(Collective::bcast, 8);
  EXPECT_NE(choose(asked, around, {}).algorithm, nullptr);
  asked.two_groups = true;
  EXPECT_EQ(choose(asked, around, {}).reason, Reason::device_buffers);
  for (const Form form : {Form::nonblocking, Form::persistent}) {
    asked = query(Collective::bcast, 8);
    asked.form = form;
    EXPECT_EQ(choose(asked, around, {}).reason, Reason::device_buffers);
    asked.collective = Collective::barrier;
    EXPECT_NE(choose(asked, around, {}).algorithm, nullptr);
  }
}

TEST(Selection, RunsTheProgramsFunctionsBesideItWhereItHasThreadsOnly) {
  Query asked = query(Collective::allreduce, 8);
  asked.calls_program = true;
  Surroundings threads = kTwoHosts;
  threads.program_threads = true;
  for (const Form form : {Form::nonblocking, Form::persistent}) {
    asked.form = form;
    EXPECT_EQ(choose(asked, kTwoHosts, {}).reason, Reason::one_thread);
    EXPECT_NE(choose(asked, threads, {}).algorithm, nullptr);
  }
  asked.form = Form::blocking;
  EXPECT_NE(choose(asked, kTwoHosts, {}).algorithm, nullptr);
}

TEST(Selection, DividesNoReductionOfFewElements) {
  for (const Collective collective : {Collective::allreduce, Collective::reduce}) {
    for (const int size : {4, 64}) {
      Query asked = query(collective, 1 << 16);
      asked.size = size;
      EXPECT_TRUE(choose(asked, kTwoHosts, {}).algorithm->divides);
      asked.element_bytes = 1 << 15;
      EXPECT_FALSE(choose(asked, kTwoHosts, {}).algorithm->divides);
    }
  }
}

TEST(Selection, LeavesShortBlocksThatDifferToTheMpiWhereEachWouldBeAMessage) {
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    for (const int size : {16, 1024}) {
      const Surroundings around{.hosts = size, .progress_thread = true};
      Query asked = query(collective, 8);
      asked.size = size;
      EXPECT_NE(choose(asked, around, {}).algorithm, nullptr);
      asked.uneven = true;
      EXPECT_EQ(choose(asked, around, {}).reason, Reason::native_faster);
      // The MPI's would not advance by itself.
      asked.form = Form::nonblocking;
      EXPECT_NE(
          choose(asked, {.hosts = size, .has_cores = true, .progress_thread = true}, {}).algorithm,
          nullptr);
    }
  }
}

TEST(Selection, LeavesAlltoallsWhoseStepsWouldBeTooManyToTheMpi) {
  Query asked = query(Collective::alltoall, 4);
  asked.size = 100'000;
  Surroundings around{.hosts = 1563, .progress_thread = true};
  EXPECT_EQ(choose(asked, around, {}).reason, Reason::native_faster);
  around.never_native = true;
  EXPECT_NE(choose(asked, around, {}).algorithm, nullptr);
}

// What is known before the arguments are looked at must be what choose() finds with them.
TEST(Selection, TakesWhatTheMpisTakeWhereRanksAreLaidRoundTheHosts) {
  Surroundings around{.hosts = 2, .in_blocks = false, .progress_thread = true};
  for (const int size : {8, 103, 144}) {
    const Query scan{.collective = Collective::scan, .size = size, .bytes = 65536};
    EXPECT_EQ(choose(scan, around, {}).reason, Reason::native_faster);
    Query begun = scan;
    begun.form = Form::nonblocking;
    EXPECT_EQ(choose(begun, around, {}).algorithm->name, std::string_view("recursive_doubling"));
    const Query ring{.collective = Collective::allreduce,
                     .size = size,
                     .bytes = 1 << 20,
                     .form = Form::nonblocking};
    EXPECT_EQ(choose(ring, around, {}).algorithm->name, std::string_view("rabenseifner"));
    // Blocks that differ, which that one is not for.
    const Query blocks{.collective = Collective::allgather,
                       .size = size,
                       .bytes = 64,
                       .uneven = true,
                       .form = Form::nonblocking};
    EXPECT_EQ(choose(blocks, around, {}).algorithm, choose(blocks, kTwoHosts, {}).algorithm);
    EXPECT_TRUE(choose(blocks, around, {}).algorithm->single_blocks);
  }
  // More steps than a rank can keep.
  const Query many{
      .collective = Collective::alltoall, .size = 100'000, .bytes = 8, .form = Form::nonblocking};
  EXPECT_GE(choose(many, around, {}).algorithm->most_ranks, many.size);
  // STRETTO_SELECTION=stretto
  around.never_native = true;
  const Query bcast{.collective = Collective::bcast, .size = 40, .bytes = 1 << 20};
  EXPECT_EQ(choose(bcast, around, {}).algorithm->name, std::string_view("scatter_allgather"));
}

TEST(Selection, AlwaysNativeAgreesWithChoose) {
  for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
    for (const bool has_cores : {false, true}) {
      for (const bool progress_thread : {false, true}) {
        for (const int hosts : {1, 2}) {
          for (const int size : {1, 4}) {
            const Surroundings around{
                .hosts = hosts, .has_cores = has_cores, .progress_thread = progress_thread};
            for (const Count bytes : {Count{100}, Count{1} << 30}) {
              const Query asked{
                  .collective = Collective::gather, .size = size, .bytes = bytes, .form = form};
              const Reason reason = always_native(asked, around, {});
              const Choice choice = choose(asked, around, {});
              EXPECT_EQ(reason == Reason::none, choice.algorithm != nullptr);
              EXPECT_EQ(reason, choice.reason);
              // What goes for the longest goes for all.
              Query longest = asked;
              longest.bytes = INT64_MAX;
              if (always_native(longest, around, {}) != Reason::none) {
                EXPECT_EQ(choice.algorithm, nullptr);
              }
            }
          }
        }
      }
    }
  }
}

// As they are read: "MPI_Bcast 3 passed to the MPI: expected to be faster".
TEST(Selection, SaysWhoseWishItIsThatACallIsTheMpis) {
  EXPECT_STREQ(words(Reason::native_faster), "expected to be faster");
  EXPECT_STREQ(words(Reason::native_forced), "asked for");
}

}  // namespace
}  // namespace stretto
