#include "engine/channel.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/with_stretto.hpp"
#include "settings.hpp"
#include "transport/fake_transport.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace stretto {
namespace {

TEST(Channel, HasACommunicatorOfItsOwnThatReturnsErrors) {
  fake_mpi::Job job(2);
  job.run([&](int rank) {
    const Transports transports = fake_mpi::by_the_mpi();
    const auto channel = Channel::make(MPI_COMM_WORLD, transports);
    ASSERT_NE(channel, nullptr);
    EXPECT_NE(channel->comm, MPI_COMM_WORLD);
    MPI_Comm_call_errhandler(channel->comm, MPI_ERR_OTHER);
    EXPECT_EQ(job.take_reports(rank).front().handler, MPI_ERRORS_RETURN);
    EXPECT_EQ(channel->carriers.size(), 1U);
    channel->free();
    channel->free();  // a second time does nothing
    EXPECT_EQ(channel->comm, MPI_COMM_NULL);
  });
}

TEST(Channel, IsNoneWhereTheMpiHasNoContextLeft) {
  fake_mpi::Job job(2, {.contexts = 0});
  job.run([](int /*rank*/) {
    EXPECT_EQ(Channel::make(MPI_COMM_WORLD, fake_mpi::by_the_mpi()), nullptr);
  });
}

TEST(Channel, ItsTagsAreThoseOfTheMpi) {
  fake_mpi::Job job(1, {.highest_tag = 32767});
  job.run([](int /*rank*/) {
    const Transports transports = fake_mpi::by_the_mpi();
    const auto channel = Channel::make(MPI_COMM_WORLD, transports);
    const TagLayout& tags = channel->tags;
    EXPECT_LE(tags.slot_tag(tags.ids() - 1, tags.width() - 1), 32767);
    channel->free();
  });
}

TEST(Channel, FewerTagsCanBeAskedFor) {
  const Setting few("STRETTO_TAG_BITS", "16");
  fake_mpi::Job job(1);
  job.run([](int /*rank*/) {
    const Transports transports = fake_mpi::by_the_mpi();
    const auto channel = Channel::make(MPI_COMM_WORLD, transports);
    const TagLayout& tags = channel->tags;
    EXPECT_EQ(tags.slot_tag(tags.ids() - 1, tags.width() - 1), (1 << 16) - 1);
    channel->free();
  });
}

// In the order in which they are preferred, and each says whom it reaches.
TEST(Channel, AllTransportsJoinAndLeave) {
  const auto network = std::make_shared<FakeNetwork>();
  fake_mpi::Job job(4);
  job.run([&](int rank) {
    Transports transports;
    auto near = std::make_unique<FakeTransport>(
        network, [](int one, int other) { return one / 2 == other / 2; });
    FakeTransport& fake = *near;
    transports.push_back(std::move(near));
    transports.push_back(std::make_unique<MpiTransport>());
    const auto channel = Channel::make(MPI_COMM_WORLD, transports);
    ASSERT_EQ(channel->carriers.size(), 2U);
    EXPECT_EQ(channel->carriers[0].transport, transports[0].get());
    const int first = rank / 2 * 2;
    EXPECT_EQ(channel->carriers[0].joined.reached, (std::vector<int>{first, first + 1}));
    EXPECT_EQ(fake.groups(), 1U);
    channel->free();
    EXPECT_EQ(fake.groups(), 0U);
  });
}

}  // namespace
}  // namespace stretto
