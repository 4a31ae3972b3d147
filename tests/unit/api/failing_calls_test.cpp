// Each of the MPI's functions that may fail for want of memory, contexts or a network does so in
// turn, in a program that calls much of stretto.h: nothing hangs or is misused, what succeeds is
// right, and of what does not a handler of the program's hears.
//
// A rank that fails sends no more, and others may wait for it: here each operation is one exchange
// of short messages, so that both ranks are through whatever becomes of them.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "fake_mpi/with_stretto.hpp"

namespace stretto {
namespace {

using fake_mpi::Job;

constexpr int kRanks = 2;
constexpr int kInts = 7;

void multiply(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] *= static_cast<const int*>(in)[i];
}

std::atomic<int> heard{0};
void hear(MPI_Comm* /*comm*/, int* /*error*/, ...) { ++heard; }

// One rank's part.
class Program {
 public:
  explicit Program(int rank) : rank_(rank) {}

  void run() {
    MPI_Errhandler handler{};
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Type_vector(kInts, 1, 2, MPI_INT, &gapped_);
    MPI_Op_create(multiply, 0, &op_);
    static_cast<void>(stretto_attach(MPI_COMM_SELF));
    for (void (Program::*part)() :
         {&Program::blocking, &Program::nonblocking, &Program::persistent, &Program::uneven,
          &Program::neighbors, &Program::between_groups}) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
      fails_ = false;
      (this->*part)();
      MPI_Comm_free(&comm_);
    }
    MPI_Op_free(&op_);
    MPI_Type_free(&gapped_);
    stretto_finalize();
    MPI_Errhandler_free(&handler);
  }
  int failed = 0;
  std::string wrong;  // what succeeded and has another result

 private:
  // A communicator on which a call has failed is no good any more.
  void check(const char* what, int error, bool is_right) {
    if (error != MPI_SUCCESS) {
      ++failed;
      fails_ = true;
    } else if (!fails_) {
      if (!is_right) wrong += std::string(wrong.empty() ? "" : ", ") + what;
    }
  }

  void blocking() {
    int error = MPI_SUCCESS;
    int sum = 0;
    error = stretto_allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, comm_);
    check("allreduce", error, sum == 1);
    const int two = 2;
    int product = 0;
    error = stretto_allreduce(&two, &product, 1, MPI_INT, op_, comm_);
    check("by an operation", error, product == 4);
    error = stretto_allreduce(&two, &product, 1, MPI_INT, op_, MPI_COMM_SELF);
    check("alone", error, product == 2);
  }

  void nonblocking() {
    std::vector<int> data(2 * kInts, rank_ == 0 ? 3 : 0);
    std::vector<int> all(kRanks * kInts);
    std::array<stretto_request, 2> requests{};
    const int first = stretto_ibcast(data.data(), 1, gapped_, 0, comm_, &requests[0]);
    const int second = stretto_iallgather(data.data(), 1, gapped_, all.data(), kInts, MPI_INT,
                                          MPI_COMM_SELF, &requests[1]);
    const int waited = stretto_waitall(2, requests.data());
    const bool well = first == MPI_SUCCESS && second == MPI_SUCCESS;
    check("nonblocking", well ? waited : MPI_ERR_OTHER, data[2 * kInts - 2] == 3);
  }

  void persistent() {
    std::vector<int> in(kInts, rank_ + 1);
    std::vector<int> out(kInts);
    stretto_request request = STRETTO_REQUEST_NULL;
    int error = stretto_allreduce_init(in.data(), out.data(), kInts, MPI_INT, MPI_SUM, comm_,
                                       MPI_INFO_NULL, &request);
    if (error != MPI_SUCCESS) return check("init", error, true);
    for (int i = 0; i < 2; ++i) {
      error = stretto_start(&request);
      if (error == MPI_SUCCESS) error = stretto_wait(&request);
      check("persistent", error, out[kInts - 1] == 3);
    }
    error = stretto_request_free(&request);
    check("free", error, true);
  }

  void uneven() {
    int error = MPI_SUCCESS;
    const std::array<int, kRanks> counts{kInts, 1};
    const std::array<int, kRanks> displs{0, kInts};
    std::vector<int> in(kInts, rank_ + 5);
    std::vector<int> out(kInts + 1);
    const int mine = counts[static_cast<std::size_t>(rank_)];
    error = stretto_allgatherv(in.data(), mine, MPI_INT, out.data(), counts.data(), displs.data(),
                               MPI_INT, comm_);
    check("allgatherv", error, out[0] == 5 && out[kInts] == 6);
    error =
        stretto_reduce_scatter(MPI_IN_PLACE, out.data(), counts.data(), MPI_INT, MPI_SUM, comm_);
    check("reduce_scatter", error, true);
  }

  void neighbors() {
    int error = MPI_SUCCESS;
    MPI_Comm ring{};
    const int size = kRanks;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    if (ring == MPI_COMM_NULL) return;
    std::array<int, 2> got{};
    error = stretto_neighbor_allgather(&rank_, 1, MPI_INT, got.data(), 1, MPI_INT, ring);
    check("neighbors", error, got[0] == 1 - rank_ && got[1] == 1 - rank_);
    MPI_Comm_free(&ring);
  }

  void between_groups() {
    int error = MPI_SUCCESS;
    MPI_Comm inter{};
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank_, 3, &inter);
    if (inter == MPI_COMM_NULL) return;
    int other = -1;
    error = stretto_allreduce(&rank_, &other, 1, MPI_INT, MPI_SUM, inter);
    check("between groups", error, other == 1 - rank_);
    MPI_Comm_free(&inter);
  }

  int rank_;
  MPI_Comm comm_{};
  MPI_Datatype gapped_{};
  MPI_Op op_{};
  bool fails_ = false;
};

constexpr const char* kFunctions[] = {"Allgather",
                                      "Allreduce",
                                      "Comm_create",
                                      "Comm_create_keyval",
                                      "Group_translate_ranks",
                                      "Irecv",
                                      "Isend",
                                      "Reduce_local",
                                      "Request_free",
                                      "Sendrecv",
                                      "Test",
                                      "Type_commit",
                                      "Type_contiguous",
                                      "Unpack"};
constexpr int kMostCalls = 8;

bool is_collective(const std::string& function) {
  return function == "Allgather" || function == "Allreduce" || function == "Comm_create";
}

class FailingCalls : public testing::TestWithParam<const char*> {};

TEST_P(FailingCalls, NothingHangsAndAHandlerHears) {
  const fake_mpi::NeverNative never_native;
  const std::string function = GetParam();
  // What the MPI is asked once a process it is not asked when something fails.
  Job(kRanks).run([](int rank) {
    Program program(rank);
    program.run();
    EXPECT_EQ(program.wrong, "");
    EXPECT_EQ(program.failed, 0);
  });
  for (int nth = 1; nth <= kMostCalls; ++nth) {
    Job job(kRanks);
    job.may_leave_objects();
    // One that all ranks call fails on all, or they would not agree on what comes next.
    for (int rank = 0; rank < (is_collective(function) ? kRanks : 1); ++rank) {
      job.fail(rank, function, nth);
    }
    heard = 0;
    std::array<int, kRanks> failed{};
    job.run([&](int rank) {
      Program program(rank);
      program.run();
      EXPECT_EQ(program.wrong, "") << function << " " << nth;
      failed[static_cast<std::size_t>(rank)] = program.failed;
    });
    const int all = failed[0] + failed[1];
    if (all > 0) {
      EXPECT_GT(heard, 0) << function << " " << nth;
    }
    if (job.calls(0, function) < nth) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, FailingCalls, testing::ValuesIn(kFunctions),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace stretto
