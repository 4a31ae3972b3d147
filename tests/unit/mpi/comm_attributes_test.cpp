#include "mpi/comm_attributes.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "fake_mpi/job.hpp"

namespace stretto {
namespace {

std::atomic<void*> freed{nullptr};
void remember(void* value) { freed = value; }

int first = 1;
int second = 2;

MPI_Comm copy_of_self() {
  MPI_Comm copy{};
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  return copy;
}

TEST(CommAttributes, AreFoundByTheirCommunicator) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    CommAttributes attributes(remember);
    EXPECT_EQ(attributes.find(MPI_COMM_SELF), nullptr);
    attributes.set(MPI_COMM_SELF, &first);
    attributes.set(MPI_COMM_WORLD, &second);
    EXPECT_EQ(attributes.find(MPI_COMM_SELF), &first);
    EXPECT_EQ(attributes.find(MPI_COMM_WORLD), &second);
    EXPECT_EQ(attributes.find(MPI_COMM_NULL), nullptr);
    attributes.close();
    EXPECT_EQ(attributes.find(MPI_COMM_SELF), nullptr);
  });
}

TEST(CommAttributes, TheMpiIsAskedOnceForCallsOnOneCommunicator) {
  fake_mpi::Job job(1);
  job.run([&](int /*rank*/) {
    CommAttributes attributes(remember);
    attributes.set(MPI_COMM_SELF, &first);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(attributes.find(MPI_COMM_SELF), &first);
    EXPECT_EQ(job.calls(0, "Comm_get_attr"), 1);
    attributes.close();
  });
}

// An MPI gives a handle again at once.
TEST(CommAttributes, AHandleThatIsAnotherCommunicatorsByNowHasNone) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    CommAttributes attributes(remember);
    MPI_Comm comm = copy_of_self();
    const MPI_Comm handle = comm;
    attributes.set(comm, &first);
    EXPECT_EQ(attributes.find(comm), &first);
    freed = nullptr;
    MPI_Comm_free(&comm);
    EXPECT_EQ(freed, &first);
    comm = copy_of_self();
    ASSERT_EQ(comm, handle);
    EXPECT_EQ(attributes.find(comm), nullptr);
    MPI_Comm_free(&comm);
    attributes.close();
  });
}

TEST(CommAttributes, CopiesOfACommunicatorHaveNone) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    CommAttributes attributes(remember);
    attributes.set(MPI_COMM_SELF, &first);
    MPI_Comm copy = copy_of_self();
    EXPECT_EQ(attributes.find(copy), nullptr);
    MPI_Comm_free(&copy);
    attributes.close();
  });
}

// Two of Stretto's, or of two ranks, whose thread is one.
TEST(CommAttributes, InstancesDoNotFindEachOthers) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    CommAttributes one(remember);
    CommAttributes other(remember);
    one.set(MPI_COMM_SELF, &first);
    other.set(MPI_COMM_SELF, &second);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(one.find(MPI_COMM_SELF), &first);
      EXPECT_EQ(other.find(MPI_COMM_SELF), &second);
    }
    one.close();
    EXPECT_EQ(one.find(MPI_COMM_SELF), nullptr);
    EXPECT_EQ(other.find(MPI_COMM_SELF), &second);
    other.close();
  });
}

TEST(CommAttributes, ThoseThatAreLeftWhenItClosesAreStillTold) {
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    CommAttributes attributes(remember);
    MPI_Comm comm = copy_of_self();
    attributes.set(comm, &second);
    attributes.close();
    freed = nullptr;
    MPI_Comm_free(&comm);
    EXPECT_EQ(freed, &second);
  });
}

}  // namespace
}  // namespace stretto
