// What is not a sum advances while the program computes where the MPI allows one thread alone, as
// sums do (see progress_in_memory_test.cpp). A thread of the program's packs and unpacks data with
// gaps, which ranks may have or not.

#include <gtest/gtest.h>

#include <vector>

#include "intercept/accelerate/one_host.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr int kProcesses = 4;
constexpr int kBlocked = 2;     // in a call in which Stretto drives nothing, until another is done
constexpr int kBlock = 20'000;  // ints

// A rank's data lie in each second int where it has gaps, in which nothing may be written.
struct Data {
  explicit Data(int gap) : step(1 + gap) {
    MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(step * sizeof(int)), &type);
    MPI_Type_commit(&type);
  }
  ~Data() { MPI_Type_free(&type); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  [[nodiscard]] std::vector<int> room(int blocks) const {
    return std::vector<int>(static_cast<std::size_t>(blocks) * kBlock * step, kNothing);
  }
  void fill(std::vector<int>& data, int block, int value) const {
    for (int i = 0; i < kBlock; ++i) data[at(block, i)] = value + i;
  }
  [[nodiscard]] std::vector<int> filled(int blocks, int value) const {
    std::vector<int> data = room(blocks);
    for (int block = 0; block < blocks; ++block) fill(data, block, value + block * kBetween);
    return data;
  }
  void expect(const std::vector<int>& data, int block, int value) const {
    for (int i = 0; i < kBlock; ++i) {
      ASSERT_EQ(data[at(block, i)], value + i);
      if (step > 1) {
        ASSERT_EQ(data[at(block, i) + 1], kNothing);
      }
    }
  }

  static constexpr int kBetween = 1'000'000;
  static constexpr int kNothing = -1;
  std::size_t step;
  MPI_Datatype type{};

 private:
  [[nodiscard]] std::size_t at(int block, int i) const {
    return (static_cast<std::size_t>(block) * kBlock + static_cast<std::size_t>(i)) * step;
  }
};

// Who has gaps in what it sends and receives: nobody, one rank or another, all.
constexpr int kWho[] = {0b0000, 0b0001, 0b0100, 0b1010, 0b1111};

void run(const std::function<void(int rank, const Data& data)>& body) {
  for (const int gaps : kWho) {
    OneHost(kProcesses).run([&](int rank) {
      const Data data((gaps >> rank) & 1);
      for (int turn = 0; turn < 2; ++turn) body(rank, data);
      for (const char* function :
           {"MPI_Ibcast", "MPI_Igather", "MPI_Iscatter", "MPI_Iallgather", "MPI_Ialltoall"}) {
        EXPECT_EQ(passed(function, Reason::no_progress_thread), 0) << function;
      }
    });
  }
}

// The blocked rank has to pass on what `releases` waits for.
void finish(int rank, MPI_Request& request, int releases) {
  if (rank == kBlocked) {
    int done = 0;
    native().Recv(&done, 1, MPI_INT, releases, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == releases) native().Send(&rank, 1, MPI_INT, kBlocked, 0, MPI_COMM_WORLD);
}

TEST(BlocksInMemory, Broadcasts) {
  const Setting algorithm("STRETTO_SELECTION_BCAST", "chain");
  run([](int rank, const Data& data) {
    std::vector<int> vector = rank == 0 ? data.filled(1, 7) : data.room(1);
    MPI_Request request{};
    MPI_Ibcast(vector.data(), kBlock, data.type, 0, MPI_COMM_WORLD, &request);
    finish(rank, request, 3);
    data.expect(vector, 0, 7);
  });
}

TEST(BlocksInMemory, Gathers) {
  const Setting algorithm("STRETTO_SELECTION_GATHER", "binomial");
  for (const bool in_place : {false, true}) {
    run([in_place](int rank, const Data& data) {
      const std::vector<int> mine = data.filled(1, rank);
      std::vector<int> all = data.room(kProcesses);
      const bool is_here = in_place && rank == 0;
      if (is_here) data.fill(all, rank, rank);
      MPI_Request request{};
      MPI_Igather(is_here ? MPI_IN_PLACE : mine.data(), kBlock, data.type, all.data(), kBlock,
                  data.type, 0, MPI_COMM_WORLD, &request);
      finish(rank, request, 0);
      for (int from = 0; from < kProcesses; ++from) {
        if (rank == 0) data.expect(all, from, from);
      }
    });
  }
}

TEST(BlocksInMemory, Scatters) {
  const Setting algorithm("STRETTO_SELECTION_SCATTER", "binomial");
  for (const bool in_place : {false, true}) {
    run([in_place](int rank, const Data& data) {
      const std::vector<int> all = data.filled(kProcesses, 7);
      std::vector<int> mine = data.room(1);
      const bool is_here = in_place && rank == 0;
      MPI_Request request{};
      MPI_Iscatter(all.data(), kBlock, data.type, is_here ? MPI_IN_PLACE : mine.data(), kBlock,
                   data.type, 0, MPI_COMM_WORLD, &request);
      finish(rank, request, 3);
      if (!is_here) data.expect(mine, 0, 7 + rank * Data::kBetween);
    });
  }
}

TEST(BlocksInMemory, GathersToAll) {
  const Setting algorithm("STRETTO_SELECTION_ALLGATHER", "ring");
  for (const bool in_place : {false, true}) {
    run([in_place](int rank, const Data& data) {
      const std::vector<int> mine = data.filled(1, rank);
      std::vector<int> all = data.room(kProcesses);
      if (in_place) data.fill(all, rank, rank);
      MPI_Request request{};
      MPI_Iallgather(in_place ? MPI_IN_PLACE : mine.data(), kBlock, data.type, all.data(), kBlock,
                     data.type, MPI_COMM_WORLD, &request);
      finish(rank, request, 3);
      for (int from = 0; from < kProcesses; ++from) data.expect(all, from, from);
    });
  }
}

TEST(BlocksInMemory, GoesFromAllToAll) {
  const Setting algorithm("STRETTO_SELECTION_ALLTOALL", "pairwise");
  for (const bool in_place : {false, true}) {
    run([in_place](int rank, const Data& data) {
      const std::vector<int> sent = data.filled(kProcesses, rank);
      std::vector<int> received = in_place ? sent : data.room(kProcesses);
      MPI_Request request{};
      MPI_Ialltoall(in_place ? MPI_IN_PLACE : sent.data(), kBlock, data.type, received.data(),
                    kBlock, data.type, MPI_COMM_WORLD, &request);
      finish(rank, request, 1);
      for (int from = 0; from < kProcesses; ++from) {
        data.expect(received, from, from + rank * Data::kBetween);
      }
    });
  }
}

// What has come is unpacked when the program asks, in whatever order, and before the type goes.
TEST(BlocksInMemory, ManyAtOnceAndATypeThatIsFreedMeanwhile) {
  OneHost(kProcesses).run([](int rank) {
    constexpr int kMany = 8;
    std::vector<std::vector<int>> vectors;
    std::vector<MPI_Request> requests(kMany);
    const Data lasts(1);
    {
      const Data data(1);
      for (int i = 0; i < kMany; ++i) {
        vectors.push_back(rank == i % kProcesses ? data.filled(1, i) : data.room(1));
        MPI_Ibcast(vectors.back().data(), kBlock, data.type, i % kProcesses, MPI_COMM_WORLD,
                   &requests[static_cast<std::size_t>(i)]);
      }
    }
    if (rank == 1) MPI_Barrier(MPI_COMM_WORLD);
    for (int i = kMany; i-- > 0;) {
      MPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
      lasts.expect(vectors[static_cast<std::size_t>(i)], 0, i);
    }
    if (rank != 1) MPI_Barrier(MPI_COMM_WORLD);
  });
}

}  // namespace
}  // namespace stretto::intercept::accelerate
