#include "mpi/neighbors.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

std::vector<std::pair<Rank, int>> ends(const std::vector<Edge>& edges) {
  std::vector<std::pair<Rank, int>> all;
  for (const Edge& edge : edges) all.emplace_back(edge.peer, edge.label);
  return all;
}
using Ends = std::vector<std::pair<Rank, int>>;

// What `make` makes, on each rank of a job.
template <class Make, class Check>
void on_ranks(int ranks, const Make& make, const Check& check) {
  fake_mpi::Job job(ranks);
  job.run([&](int rank) {
    MPI_Comm comm{};
    make(rank, &comm);
    const auto graph = own_neighbors(comm, rank);
    ASSERT_NE(graph, nullptr);
    ASSERT_EQ(graph->size(), 1U);
    check(rank, graph->at(rank));
    MPI_Comm_free(&comm);
  });
}

TEST(Neighbors, WithoutATopologyThereAreNone) {
  fake_mpi::Job job(2);
  job.run([](int rank) { EXPECT_EQ(own_neighbors(MPI_COMM_WORLD, rank), nullptr); });
}

// What leaves in one direction arrives from the opposite one.
TEST(Neighbors, OfAGridAreLabelledByDirection) {
  on_ranks(
      3,
      [](int /*rank*/, MPI_Comm* comm) {
        const std::array<int, 2> dims{3, 1};
        const std::array<int, 2> periods{0, 1};
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, comm);
      },
      [](int rank, const Neighbors& mine) {
        const Rank before = rank == 0 ? Edge::kNobody : rank - 1;
        const Rank behind = rank == 2 ? Edge::kNobody : rank + 1;
        EXPECT_EQ(ends(mine.destinations), (Ends{{before, 0}, {behind, 1}, {rank, 2}, {rank, 3}}));
        EXPECT_EQ(ends(mine.sources), (Ends{{before, 1}, {behind, 0}, {rank, 3}, {rank, 2}}));
      });
}

TEST(Neighbors, OfAGraphAreTheSameBothWays) {
  on_ranks(
      3,
      [](int /*rank*/, MPI_Comm* comm) {
        const std::array<int, 3> index{2, 3, 4};
        const std::array<int, 4> edges{1, 2, 0, 0};
        MPI_Graph_create(MPI_COMM_WORLD, 3, index.data(), edges.data(), 0, comm);
      },
      [](int rank, const Neighbors& mine) {
        const Ends expected = rank == 0 ? Ends{{1, 0}, {2, 0}} : Ends{{0, 0}};
        EXPECT_EQ(ends(mine.sources), expected);
        EXPECT_EQ(ends(mine.destinations), expected);
      });
}

TEST(Neighbors, OfADistributedGraphHaveADirection) {
  on_ranks(
      2,
      [](int rank, MPI_Comm* comm) {
        const std::array<int, 2> zeros{0, 0};
        // Rank 0 sends to rank 1 twice and to nobody, which sends nothing.
        if (rank == 0) {
          const std::array<int, 3> to{1, 1, MPI_PROC_NULL};
          MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_UNWEIGHTED, 3, to.data(),
                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, comm);
        } else {
          MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, zeros.data(), MPI_UNWEIGHTED, 0,
                                         nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, comm);
        }
      },
      [](int rank, const Neighbors& mine) {
        if (rank == 0) {
          EXPECT_EQ(ends(mine.destinations), (Ends{{1, 0}, {1, 0}, {Edge::kNobody, 0}}));
          EXPECT_TRUE(mine.sources.empty());
        } else {
          EXPECT_EQ(ends(mine.sources), (Ends{{0, 0}, {0, 0}}));
          EXPECT_TRUE(mine.destinations.empty());
        }
      });
}

}  // namespace
}  // namespace stretto
