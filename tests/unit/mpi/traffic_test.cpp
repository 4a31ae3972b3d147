#include "mpi/traffic.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

char message[8];

// `of` on each of three ranks.
template <class Of>
void on_three_ranks(const Of& of) {
  fake_mpi::Job job(3);
  job.run(of);
}

// In two groups: ranks 0 and 1, and rank 2.
template <class Of>
void between_groups(const Of& of) {
  fake_mpi::Job job(2, {.others = 1});
  job.run([&](int rank) {
    MPI_Comm comm = fake_mpi::connect_worlds();
    of(rank, comm);
    MPI_Comm_free(&comm);
  });
}

std::int64_t bytes(const Call& call) { return traffic_of(call).bytes; }

TEST(Traffic, BytesOfElements) {
  on_three_ranks([](int /*rank*/) {
    EXPECT_EQ(bytes_of(3, MPI_DOUBLE), 24);
    EXPECT_EQ(bytes_of(0, MPI_DOUBLE), 0);
    EXPECT_EQ(bytes_of(-1, MPI_DOUBLE), 0);
    EXPECT_EQ(bytes_of(3, MPI_DATATYPE_NULL), 0);
  });
}

TEST(Traffic, AVectorCountsOnce) {
  on_three_ranks([](int /*rank*/) {
    for (const Collective collective :
         {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::scan,
          Collective::exscan}) {
      EXPECT_EQ(bytes({.collective = collective,
                       .recvcount = 5,
                       .recvtype = MPI_INT,
                       .comm = MPI_COMM_WORLD}),
                20);
    }
    EXPECT_EQ(bytes({.collective = Collective::barrier, .comm = MPI_COMM_WORLD}), 0);
    EXPECT_EQ(bytes({.collective = Collective::bcast,
                     .recvcount = 5,
                     .recvtype = MPI_INT,
                     .comm = MPI_COMM_NULL}),
              0);
  });
}

TEST(Traffic, TheRootIsNamed) {
  on_three_ranks([](int /*rank*/) {
    Call call{.collective = Collective::bcast, .recvtype = MPI_INT, .root = 2};
    call.comm = MPI_COMM_WORLD;
    EXPECT_EQ(traffic_of(call).root, 2);
    call.collective = Collective::allreduce;
    EXPECT_EQ(traffic_of(call).root, -1);
  });
}

TEST(Traffic, OfBlocksARanksOwnCounts) {
  on_three_ranks([](int rank) {
    const std::array<int, 3> counts{1, 2, 3};
    const std::array<int, 3> displs{0, 0, 0};
    Call call{.collective = Collective::gather, .sendbuf = message, .sendcount = 4};
    call.sendtype = MPI_INT;
    call.recvcount = 5;
    call.recvtype = MPI_INT;
    call.comm = MPI_COMM_WORLD;
    EXPECT_EQ(bytes(call), 16);
    call.sendbuf = MPI_IN_PLACE;
    EXPECT_EQ(bytes(call), 20);
    call.recvcounts = counts.data();
    call.recvdispls = displs.data();
    EXPECT_EQ(bytes(call), 4 * (rank + 1));

    Call scatter{.collective = Collective::scatter, .sendcount = 4, .sendtype = MPI_INT};
    scatter.recvbuf = message;
    scatter.recvcount = 5;
    scatter.recvtype = MPI_INT;
    scatter.comm = MPI_COMM_WORLD;
    EXPECT_EQ(bytes(scatter), 20);
    scatter.recvbuf = MPI_IN_PLACE;
    EXPECT_EQ(bytes(scatter), 16);
    scatter.sendcounts = counts.data();
    EXPECT_EQ(bytes(scatter), 4 * (rank + 1));
  });
}

TEST(Traffic, OfAnAlltoallAllThatIsSent) {
  on_three_ranks([](int /*rank*/) {
    const std::array<int, 3> counts{1, 2, 3};
    const std::array<MPI_Datatype, 3> types{MPI_CHAR, MPI_INT, MPI_DOUBLE};
    Call call{.collective = Collective::alltoall, .sendbuf = message, .sendcount = 2};
    call.sendtype = call.recvtype = MPI_INT;
    call.recvcount = 7;
    call.comm = MPI_COMM_WORLD;
    EXPECT_EQ(bytes(call), 3 * 8);
    call.sendcounts = counts.data();
    EXPECT_EQ(bytes(call), 4 * 6);
    call.sendtypes = types.data();
    EXPECT_EQ(bytes(call), 1 + 8 + 24);
    call.sendbuf = MPI_IN_PLACE;
    EXPECT_EQ(bytes(call), 3 * 28);
    call.recvcounts = counts.data();
    EXPECT_EQ(bytes(call), 4 * 6);
    call.recvtypes = types.data();
    EXPECT_EQ(bytes(call), 1 + 8 + 24);
  });
}

TEST(Traffic, OfAReduceScatterAllThatIsReduced) {
  on_three_ranks([](int /*rank*/) {
    const std::array<int, 3> counts{1, 2, 3};
    Call call{.collective = Collective::reduce_scatter, .recvcount = 4, .recvtype = MPI_INT};
    call.comm = MPI_COMM_WORLD;
    EXPECT_EQ(bytes(call), 3 * 16);
    call.recvcounts = counts.data();
    EXPECT_EQ(bytes(call), 24);
  });
}

TEST(Traffic, OfNeighborsWhatGoesToEach) {
  on_three_ranks([](int rank) {
    MPI_Comm comm{};
    const int size = 3;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
    Call call{.collective = Collective::neighbor_alltoall, .sendcount = 2, .sendtype = MPI_INT};
    call.comm = comm;
    EXPECT_EQ(bytes(call), 2 * 8);
    call.collective = Collective::neighbor_allgather;
    EXPECT_EQ(bytes(call), 8);
    MPI_Comm_free(&comm);

    const std::array<int, 3> index{2, 3, 4};
    const std::array<int, 4> edges{1, 2, 0, 0};
    MPI_Graph_create(MPI_COMM_WORLD, 3, index.data(), edges.data(), 0, &comm);
    call.collective = Collective::neighbor_alltoall;
    call.comm = comm;
    EXPECT_EQ(bytes(call), rank == 0 ? 16 : 8);
    MPI_Comm_free(&comm);

    const int to = 0;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_UNWEIGHTED, 1, &to,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    call.comm = comm;
    EXPECT_EQ(bytes(call), 8);
    MPI_Comm_free(&comm);

    call.comm = MPI_COMM_WORLD;  // has none
    EXPECT_EQ(bytes(call), 0);
  });
}

TEST(Traffic, BetweenGroupsBlocksGoToTheOther) {
  between_groups([](int rank, MPI_Comm comm) {
    const int others = rank == 2 ? 2 : 1;
    Call call{.collective = Collective::alltoall, .sendcount = 1, .sendtype = MPI_INT};
    call.comm = comm;
    EXPECT_EQ(bytes(call), 4 * others);
    call.collective = Collective::reduce_scatter;
    call.recvcount = 1;
    call.recvtype = MPI_INT;
    EXPECT_EQ(bytes(call), rank == 2 ? 4 : 8);  // its own group's blocks
  });
}

TEST(Traffic, BetweenGroupsTheRootHasNoBlockOfItsOwnAndItsGroupNothing) {
  between_groups([](int rank, MPI_Comm comm) {
    Call call{.collective = Collective::gather, .sendcount = 1, .sendtype = MPI_INT};
    call.recvcount = 2;
    call.recvtype = MPI_INT;
    call.comm = comm;
    call.root = rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0;
    EXPECT_EQ(bytes(call), rank == 0 ? 8 : rank == 1 ? 0 : 4);
    EXPECT_EQ(traffic_of(call).root, -1);
    call.collective = Collective::scatter;
    EXPECT_EQ(bytes(call), rank == 0 ? 4 : rank == 1 ? 0 : 8);
  });
}

}  // namespace
}  // namespace stretto
