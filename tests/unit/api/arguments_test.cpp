#include "api/arguments.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;
using fake_mpi::run_with_stretto;

int memory[16];

// A good call on `comm`, to be made worse.
Call good(Collective collective, MPI_Comm comm = MPI_COMM_WORLD) {
  Call call{.collective = collective};
  call.sendbuf = memory;
  call.recvbuf = memory + 8;
  call.sendcount = call.recvcount = 1;
  call.sendtype = call.recvtype = MPI_INT;
  if (reduces(collective)) call.op = MPI_SUM;
  call.comm = comm;
  return call;
}

int check(const Call& call) { return stretto::check(call, *communicators::find(call.comm)); }

template <class Body>
void on_two_ranks(const Body& body) {
  Job job(2);
  run_with_stretto(job, body);
  for (const int rank : {0, 1}) static_cast<void>(job.take_reports(rank));
}

// Ranks 0 and 1 in one group, 2 in the other.
template <class Body>
void between_groups(const Body& body) {
  Job job(3);
  run_with_stretto(job, [&](int rank) {
    MPI_Comm group{};
    MPI_Comm inter{};
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 3, &inter);
    ASSERT_TRUE(communicators::attach(inter));
    body(rank, inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
  });
}

constexpr Collective kAll[] = {
    Collective::barrier,        Collective::bcast,   Collective::reduce,    Collective::allreduce,
    Collective::gather,         Collective::scatter, Collective::allgather, Collective::alltoall,
    Collective::reduce_scatter, Collective::scan,    Collective::exscan};

TEST(Check, FindsNothingWrongWithAGoodCall) {
  on_two_ranks([](int /*rank*/) {
    for (const Collective collective : kAll) {
      EXPECT_EQ(check(good(collective)), MPI_SUCCESS) << name_of(collective);
    }
  });
}

TEST(Check, CountsAreNotNegativeAndTypesNotNull) {
  on_two_ranks([](int rank) {
    for (const Collective collective : kAll) {
      if (collective == Collective::barrier) continue;
      Call call = good(collective);
      call.sendcount = call.recvcount = -1;
      EXPECT_EQ(check(call), MPI_ERR_COUNT) << name_of(collective);
      call = good(collective);
      call.sendtype = call.recvtype = MPI_DATATYPE_NULL;
      EXPECT_EQ(check(call), MPI_ERR_TYPE) << name_of(collective);
    }
    // What is not significant on a rank is not looked at.
    Call gather = good(Collective::gather);
    gather.recvcount = -1;
    EXPECT_EQ(check(gather), rank == 0 ? MPI_ERR_COUNT : MPI_SUCCESS);
    Call scatter = good(Collective::scatter);
    scatter.sendtype = MPI_DATATYPE_NULL;
    EXPECT_EQ(check(scatter), rank == 0 ? MPI_ERR_TYPE : MPI_SUCCESS);
  });
}

TEST(Check, OfBlocksThatDifferEachCounts) {
  on_two_ranks([](int /*rank*/) {
    std::array<int, 2> counts{1, -1};
    const std::array<int, 2> displs{0, 1};
    std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DATATYPE_NULL};
    Call call = good(Collective::alltoall);
    call.uneven = true;
    call.sendcounts = call.recvcounts = counts.data();
    call.senddispls = call.recvdispls = displs.data();
    EXPECT_EQ(check(call), MPI_ERR_COUNT);
    counts[1] = 1;
    EXPECT_EQ(check(call), MPI_SUCCESS);
    call.sendtype = MPI_DATATYPE_NULL;
    EXPECT_EQ(check(call), MPI_ERR_TYPE);
    call.sendtypes = call.recvtypes = types.data();
    EXPECT_EQ(check(call), MPI_ERR_TYPE);
    counts[1] = 0;  // of an empty block it may be missing
    EXPECT_EQ(check(call), MPI_SUCCESS);
  });
}

TEST(Check, TheRootIsARankOfTheCommunicator) {
  on_two_ranks([](int /*rank*/) {
    for (const Collective collective :
         {Collective::bcast, Collective::reduce, Collective::gather, Collective::scatter}) {
      for (const int root : {-1, 2, MPI_ROOT}) {
        Call call = good(collective);
        call.root = root;
        EXPECT_EQ(check(call), MPI_ERR_ROOT) << name_of(collective) << " " << root;
      }
    }
    Call call = good(Collective::allreduce);
    call.root = 7;  // is none of its arguments
    EXPECT_EQ(check(call), MPI_SUCCESS);
  });
}

TEST(Check, InPlaceStandsWhereItMeansSomething) {
  on_two_ranks([](int rank) {
    const auto with = [](Collective collective, bool in_send) {
      Call call = good(collective);
      (in_send ? const_cast<void*&>(call.sendbuf) : call.recvbuf) = MPI_IN_PLACE;
      return check(call);
    };
    const bool root = rank == 0;
    EXPECT_EQ(with(Collective::allreduce, true), MPI_SUCCESS);
    EXPECT_EQ(with(Collective::allreduce, false), MPI_ERR_BUFFER);
    EXPECT_EQ(with(Collective::bcast, false), MPI_ERR_BUFFER);
    EXPECT_EQ(with(Collective::gather, true), root ? MPI_SUCCESS : MPI_ERR_BUFFER);
    EXPECT_EQ(with(Collective::gather, false), root ? MPI_ERR_BUFFER : MPI_SUCCESS);
    EXPECT_EQ(with(Collective::reduce, true), root ? MPI_SUCCESS : MPI_ERR_BUFFER);
    EXPECT_EQ(with(Collective::scatter, false), root ? MPI_SUCCESS : MPI_ERR_BUFFER);
    EXPECT_EQ(with(Collective::scatter, true), root ? MPI_ERR_BUFFER : MPI_SUCCESS);
  });
}

TEST(Check, TheOperationIsDefinedForTheType) {
  on_two_ranks([](int /*rank*/) {
    Call call = good(Collective::allreduce);
    call.op = MPI_OP_NULL;
    EXPECT_EQ(check(call), MPI_ERR_OP);
    call.op = MPI_BAND;
    call.recvtype = MPI_DOUBLE;
    EXPECT_EQ(check(call), MPI_ERR_OP);
  });
}

TEST(Check, NeighborsNeedATopology) {
  on_two_ranks([](int /*rank*/) {
    EXPECT_EQ(check(good(Collective::neighbor_allgather)), MPI_ERR_TOPOLOGY);
    EXPECT_EQ(check(good(Collective::neighbor_alltoall)), MPI_ERR_TOPOLOGY);
  });
}

TEST(Check, BetweenGroups) {
  between_groups([](int rank, MPI_Comm inter) {
    EXPECT_EQ(check(good(Collective::scan, inter)), MPI_ERR_COMM);
    EXPECT_EQ(check(good(Collective::neighbor_alltoall, inter)), MPI_ERR_COMM);
    Call call = good(Collective::allreduce, inter);
    call.sendbuf = MPI_IN_PLACE;
    EXPECT_EQ(check(call), MPI_ERR_BUFFER);
    Call bcast = good(Collective::bcast, inter);
    bcast.root = rank == 2 ? 1 : 0;  // a rank of the other group
    EXPECT_EQ(check(bcast), MPI_SUCCESS);
    bcast.root = 2;
    EXPECT_EQ(check(bcast), MPI_ERR_ROOT);
    bcast.root = MPI_ROOT;
    EXPECT_EQ(check(bcast), MPI_SUCCESS);
    // A bystander's arguments are nobody's business.
    bcast.root = MPI_PROC_NULL;
    bcast.recvcount = -1;
    bcast.recvtype = MPI_DATATYPE_NULL;
    EXPECT_EQ(check(bcast), MPI_SUCCESS);
  });
}

TEST(Arguments, BuffersThatARankUses) {
  between_groups([](int rank, MPI_Comm inter) {
    const Communicator& known = *communicators::find(inter);
    Call call = good(Collective::gather, inter);
    call.root = rank == 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    const Used used = used_buffers(call, known);
    EXPECT_EQ(used.send, rank == 2);
    EXPECT_EQ(used.recv, rank == 0);
    EXPECT_EQ(is_bystander(call, known), rank == 1);
    EXPECT_EQ(is_root(call, known), rank == 0);
    EXPECT_EQ(blocks(good(Collective::alltoall, inter), known).send, rank == 2 ? 2 : 1);
    EXPECT_EQ(reduced_elements(good(Collective::reduce_scatter, inter), known), rank == 2 ? 1 : 2);
  });
}

}  // namespace
}  // namespace stretto
