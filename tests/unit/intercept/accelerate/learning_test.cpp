// Programs whose blocking calls find out what runs them fastest. Either the MPI's collectives or
// its messages, which Stretto's algorithms go by, are made slow.

#include "api/learning.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>

#include "in_a_process.hpp"
#include "intercept/accelerate/program.hpp"

namespace stretto::intercept::accelerate {
namespace {

using std::chrono::microseconds;

constexpr int kRanks = 3;
// More than a collective takes under a sanitizer on a busy machine.
constexpr microseconds kSlow{3000};
constexpr int kLong = 1024;  // ints of a broadcast: of shorter ones nothing is learned
// By then all contenders have been compared where they are faster than what runs the calls.
constexpr int kCalls = 300;
// And everywhere.
constexpr int kMostCalls = 30'000;

// What was learned by a rank of such calls; nothing where they were not learned from.
std::string winner(Collective collective, const std::vector<Learned>& all) {
  for (const Learned& each : all) {
    if (each.kind.collective == collective) return each.winner;
  }
  return {};
}

// Nothing has been learned of that many kinds of calls yet: on all ranks until the same call.
bool knows_less_than(std::size_t kinds) { return learning::learned().size() < kinds; }

// Each rank has a host to itself, so that it does not take shared memory for there to be a choice.
class LearningTest : public testing::Test {
 protected:
  void run(const std::function<void(int rank)>& body) {
    Program program(kRanks, options_);
    for (const char* function : slow_) program.delay(function, kSlow);
    const Setting all{"STRETTO_RUN_ALL_RANKS", "trust"};
    const Setting no_shared_memory{"STRETTO_SHARED_MEMORY", "off"};
    program.run([&](int rank) {
      ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
      body(rank);
      learned_[static_cast<std::size_t>(rank)] = learning::learned();
      EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    });
  }
  void run_few_bcasts() { run_bcasts(kCalls); }
  void run_bcasts(int most = kMostCalls) {
    run([most](int rank) {
      for (int i = 0; i < most && knows_less_than(1); ++i) {
        std::array<int, kLong> data{rank == i % kRanks ? i : -1};
        MPI_Bcast(data.data(), kLong, MPI_INT, i % kRanks, MPI_COMM_WORLD);
        ASSERT_EQ(data.front(), i);
      }
    });
  }
  // Of all ranks the same.
  std::string winner_of(Collective collective) {
    const std::string found = winner(collective, learned_.front());
    for (const auto& each : learned_) EXPECT_EQ(winner(collective, each), found);
    return found;
  }

  fake_mpi::Options options_{.ranks_per_host = 1};
  std::vector<const char*> slow_;
  std::array<std::vector<Learned>, kRanks> learned_;
};

TEST_F(LearningTest, WhereTheMpiIsSlowAnAlgorithmWins) {
  slow_ = {"Bcast"};
  run_bcasts();
  EXPECT_NE(winner_of(Collective::bcast), "");
  EXPECT_NE(winner_of(Collective::bcast), "native");
}

TEST_F(LearningTest, WhereItsMessagesAreSlowTheMpiWins) {
  slow_ = {"Isend"};
  run_bcasts();
  EXPECT_EQ(winner_of(Collective::bcast), "native");
}

TEST_F(LearningTest, SizesAreLearnedEachOnItsOwn) {
  slow_ = {"Allgather"};
  run([](int rank) {
    std::array<int, 64> mine{};
    std::array<int, 64 * kRanks> all{};
    for (int i = 0; i < kMostCalls && knows_less_than(2); ++i) {
      for (const int count : {1, 64}) {
        mine.fill(rank + i);
        MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD);
        for (int j = 0; j < kRanks * count; ++j) {
          ASSERT_EQ(all[static_cast<std::size_t>(j)], j / count + i);
        }
      }
    }
  });
  for (const auto& each : learned_) EXPECT_EQ(each.size(), 2U);
}

void add_number(int rank) {
  const double mine = rank;
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  ASSERT_EQ(sum, 3);
}

// Until so many kinds of calls are known, and for a while after that.
void add_numbers(int rank, std::size_t kinds) {
  for (int i = 0; i < kCalls || (i < kMostCalls && knows_less_than(kinds)); ++i) {
    add_number(rank);
    int number = rank;
    int most = 0;
    MPI_Reduce(&number, &most, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    if (rank == 1) {
      ASSERT_EQ(most, 3);
    }
  }
}

TEST_F(LearningTest, ResultsThatDependOnTheOrderKeepTheirAlgorithm) {
  slow_ = {"Allreduce", "Reduce"};
  run([](int rank) { add_numbers(rank, 1); });
  EXPECT_NE(winner_of(Collective::reduce), "");
  EXPECT_EQ(winner_of(Collective::allreduce), "");
}

TEST_F(LearningTest, UnlessTheUserAllowsThemToChange) {
  const Setting all{"STRETTO_LEARN", "all"};
  slow_ = {"Allreduce", "Reduce"};
  run([](int rank) { add_numbers(rank, 2); });
  EXPECT_NE(winner_of(Collective::reduce), "");
  EXPECT_NE(winner_of(Collective::allreduce), "");
}

TEST_F(LearningTest, SwitchedOffNothingIsLearned) {
  const Setting off{"STRETTO_LEARN", "off"};
  slow_ = {"Bcast"};
  run_few_bcasts();
  EXPECT_EQ(winner_of(Collective::bcast), "");
}

TEST_F(LearningTest, OnOneHostWithoutSharedMemoryThereIsNothingToLearn) {
  options_ = {};
  slow_ = {"Bcast"};
  run_few_bcasts();
  EXPECT_EQ(winner_of(Collective::bcast), "");
}

TEST_F(LearningTest, BlocksThatDifferAreNotLearnedFrom) {
  slow_ = {"Allgatherv"};
  run([](int rank) {
    const std::array<int, kRanks> counts{1, 1, 1};
    const std::array<int, kRanks> displs{0, 1, 2};
    std::array<int, kRanks> all{};
    for (int i = 0; i < kCalls; ++i) {
      MPI_Allgatherv(&rank, 1, MPI_INT, all.data(), counts.data(), displs.data(), MPI_INT,
                     MPI_COMM_WORLD);
    }
  });
  EXPECT_EQ(winner_of(Collective::allgather), "");
}

TEST_F(LearningTest, RanksWhoseCallsAreNotAlikeChangeNothing) {
  // Not what MPI allows, but what MPIs let pass: the root says more than others expect.
  slow_ = {"Bcast"};
  run([](int rank) {
    std::array<int, 4 * kLong> data{};
    for (int i = 0; i < kCalls; ++i) {
      MPI_Bcast(data.data(), rank == 0 ? kLong : 4 * kLong, MPI_INT, 0, MPI_COMM_WORLD);
    }
  });
  EXPECT_EQ(winner_of(Collective::bcast), "");
}

// Texts of any length, for which the others have room.
TEST_F(LearningTest, ShortBroadcastsMayBeAnythingButAlike) {
  slow_ = {"Bcast"};
  run([](int rank) {
    std::array<int, 64> data{};
    for (int i = 0; i < kCalls; ++i) {
      data.front() = rank == 0 ? i : -1;
      MPI_Bcast(data.data(), rank == 0 ? 1 + 13 * i % 64 : 64, MPI_INT, 0, MPI_COMM_WORLD);
      ASSERT_EQ(data.front(), i);
    }
  });
  EXPECT_EQ(winner_of(Collective::bcast), "");
}

// A wrong one looks like a right one to the ranks that are not its root.
TEST_F(LearningTest, CallsThatAreWrongCountOnNoRank) {
  slow_ = {"Bcast"};
  run([](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::array<int, kLong> data{};
    for (int i = 0; i < kCalls; ++i) {
      if (i % 16 == 3) {
        EXPECT_NE(MPI_Bcast(data.data(), kLong, MPI_INT, 99, MPI_COMM_WORLD), MPI_SUCCESS);
      }
      data.front() = rank == 1 ? i : -1;
      MPI_Bcast(data.data(), kLong, MPI_INT, 1, MPI_COMM_WORLD);
      ASSERT_EQ(data.front(), i);
    }
  });
}

class LearnFileTest : public LearningTest {
 protected:
  [[nodiscard]] std::string content() const {
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    return all.str();
  }
  void change(const std::string& to) const { std::ofstream(path_) << to; }
  // What ranks know once a run has begun, and what it says.
  std::string begin_again() {
    testing::internal::CaptureStderr();
    run([this](int rank) { known_[static_cast<std::size_t>(rank)] = learning::known(); });
    return testing::internal::GetCapturedStderr();
  }

  // Other shards of these tests run at the same time.
  std::string path_ =
      testing::TempDir() + "stretto-learned-" + std::to_string(::getpid()) + ".toml";
  Setting file_{"STRETTO_LEARN_FILE", path_.c_str()};
  std::array<std::vector<Learned>, kRanks> known_;

  void SetUp() override {
    std::remove(path_.c_str());
    slow_ = {"Bcast"};
    run_bcasts();
  }
  void TearDown() override { std::remove(path_.c_str()); }
};

TEST_F(LearnFileTest, KeepsWhatWasLearnedForTheNextRun) {
  const std::string kept = content();
  EXPECT_NE(kept.find("collective = \"bcast\""), std::string::npos);
  const std::string first = winner_of(Collective::bcast);
  EXPECT_EQ(begin_again(), "");
  for (const auto& each : known_) EXPECT_EQ(winner(Collective::bcast, each), first);
  EXPECT_EQ(content(), kept);  // what no call has asked stays
  run([](int /*rank*/) {
    std::array<int, kLong> data{};
    for (int i = 0; i < 4; ++i) MPI_Bcast(data.data(), kLong, MPI_INT, 0, MPI_COMM_WORLD);
    EXPECT_GE(handled("MPI_Bcast"), 3);
  });
}

TEST_F(LearnFileTest, OfAnotherMpiItIsOfNoUse) {
  std::string changed = content();
  changed.replace(changed.find("Version: fake"), 7, "Other");
  change(changed);
  EXPECT_NE(begin_again().find("another machine, MPI or layout"), std::string::npos);
  for (const auto& each : known_) EXPECT_TRUE(each.empty());
}

TEST_F(LearnFileTest, CutOffItIsOfNoUse) {
  change(content().substr(0, content().size() / 2));
  EXPECT_NE(begin_again().find("is no whole file"), std::string::npos);
  for (const auto& each : known_) EXPECT_TRUE(each.empty());
}

TEST_F(LearnFileTest, ThatCannotBeWrittenIsSaidToBeLost) {
  const Setting nowhere{"STRETTO_LEARN_FILE", "/nonexistent/learned.toml"};
  EXPECT_NE(begin_again().find("what was learned is lost"), std::string::npos);
}

}  // namespace
}  // namespace stretto::intercept::accelerate
