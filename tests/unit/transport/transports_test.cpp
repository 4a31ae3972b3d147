// What every transport promises, of each that there is.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "fake_mpi/job.hpp"
#include "mpi/element.hpp"
#include "transport/fake_transport.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/shm/shm_transport.hpp"
#include "transport/test_group.hpp"

namespace stretto {
namespace {

shm::Packing packing() {
  return {.copy = copy, .packed = opaque(MPI_PACKED), .truncated = MPI_ERR_TRUNCATE};
}

using Make = std::function<std::unique_ptr<Transport>()>;
struct Tenant {
  const char* name;
  Make (*make)();  // for one job
};

const Tenant kTenants[] = {
    {"Mpi", [] { return Make([] { return std::make_unique<MpiTransport>(); }); }},
    {"Fake",
     [] {
       return Make([network = std::make_shared<FakeNetwork>()] {
         return std::make_unique<FakeTransport>(network, [](int, int) { return true; });
       });
     }},
    {"Shm", [] { return Make([] { return std::make_unique<shm::ShmTransport>(packing()); }); }},
};

class TransportTest : public testing::TestWithParam<Tenant> {
 protected:
  struct Here {
    int rank;
    Transport& transport;
    Opaque group;

    // Polls until so many have completed; in the order in which they did.
    [[nodiscard]] std::vector<Transport::Completed> complete(std::size_t number) const {
      std::vector<Transport::Completed> all;
      fake_mpi::eventually([&] {
        const auto& some = transport.poll();
        all.insert(all.end(), some.begin(), some.end());
        return all.size() >= number;
      });
      return all;
    }
    int send(int to, int tag, const Piece& data, Transport::Token token = {}) const {
      return transport.post_send(data, {group, to, tag}, token);
    }
    int receive(int from, int tag, const Piece& data, Transport::Token token = {}) const {
      return transport.post_recv(data, {group, from, tag}, token);
    }
  };

  template <class Body>
  void run(int ranks, const Body& body) {
    fake_mpi::Job job(ranks);
    const Make make = GetParam().make();
    job.run([&](int rank) {
      const std::unique_ptr<Transport> transport = make();
      const TestGroup group(rank, ranks);
      const Transport::Joined joined = transport->join(group);
      body(Here{rank, *transport, joined.group});
      EXPECT_TRUE(transport->idle());
      transport->leave(joined.group);
    });
  }
};

TEST_P(TransportTest, AMessageArrivesAndBothEndsAreTold) {
  run(2, [](const auto& here) {
    int owner = 0;
    int value = here.rank == 0 ? 42 : 0;
    if (here.rank == 0) {
      EXPECT_EQ(here.send(1, 5, plain(value), {&owner, 3}), 0);
    } else {
      EXPECT_EQ(here.receive(0, 5, plain(value), {&owner, 3}), 0);
    }
    const auto completed = here.complete(1);
    ASSERT_EQ(completed.size(), 1U);
    EXPECT_EQ(completed[0].token.owner, &owner);
    EXPECT_EQ(completed[0].token.step, 3);
    EXPECT_EQ(completed[0].error, 0);
    EXPECT_EQ(value, 42);
  });
}

TEST_P(TransportTest, WhoIsDoneWithAMessageMaySendOtherDataFromTheSamePlace) {
  run(3, [](const auto& here) {
    constexpr int kTurns = 20;
    std::vector<int> data(10'000);
    for (int turn = 0; turn < kTurns; ++turn) {
      if (here.rank == 0) {
        data.assign(data.size(), turn);
        const Piece sent = plain(data.data(), data.size() * sizeof(int));
        for (const int to : {1, 2}) here.transport.post_send(sent, {here.group, to, 0, true}, {});
        static_cast<void>(here.complete(2));
        continue;
      }
      EXPECT_EQ(here.receive(0, 0, plain(data.data(), data.size() * sizeof(int))), 0);
      static_cast<void>(here.complete(1));
      ASSERT_EQ(data, std::vector<int>(data.size(), turn));
    }
  });
}

TEST_P(TransportTest, MessagesOfOneTagKeepTheirOrderAndTagsAreApart) {
  run(2, [](const auto& here) {
    constexpr int kTags = 3;
    constexpr int kMessages = 4;
    std::array<std::array<int, kMessages>, kTags> values{};
    std::int32_t step = 0;
    for (int i = 0; i < kMessages; ++i) {
      for (int tag = 0; tag < kTags; ++tag) {
        int& value = values[static_cast<std::size_t>(tag)][static_cast<std::size_t>(i)];
        if (here.rank == 0) {
          value = 10 * tag + i;
          here.send(1, tag, plain(value), {nullptr, step++});
        } else {
          here.receive(0, kTags - 1 - tag, plain(value), {nullptr, step++});
        }
      }
    }
    static_cast<void>(here.complete(kTags * kMessages));
    for (int i = 0; i < kMessages && here.rank == 1; ++i) {
      for (int tag = 0; tag < kTags; ++tag) {
        EXPECT_EQ(values[static_cast<std::size_t>(tag)][static_cast<std::size_t>(i)],
                  10 * (kTags - 1 - tag) + i);
      }
    }
  });
}

TEST_P(TransportTest, EveryPairOfRanksIsApart) {
  run(4, [](const auto& here) {
    std::array<int, 4> sent{};
    std::array<int, 4> received{};
    for (int other = 0; other < 4; ++other) {
      const auto place = static_cast<std::size_t>(other);
      sent[place] = 10 * here.rank + other;
      here.receive(other, 0, plain(received[place]), {nullptr, other});
      here.send(other, 0, plain(sent[place]), {nullptr, 4 + other});
    }
    static_cast<void>(here.complete(8));
    for (int other = 0; other < 4; ++other) {
      EXPECT_EQ(received[static_cast<std::size_t>(other)], 10 * other + here.rank);
    }
  });
}

TEST_P(TransportTest, LongMessagesAndEmptyOnes) {
  run(2, [](const auto& here) {
    std::vector<std::uint32_t> data(100'000, here.rank == 0 ? 7 : 0);
    const Piece all = plain(data.data(), data.size() * 4);
    if (here.rank == 0) {
      here.send(1, 0, plain(nullptr, 0), {nullptr, 0});
      here.send(1, 0, all, {nullptr, 1});
    } else {
      here.receive(0, 0, plain(nullptr, 0), {nullptr, 0});
      here.receive(0, 0, all, {nullptr, 1});
    }
    static_cast<void>(here.complete(2));
    EXPECT_EQ(data.back(), 7U);
  });
}

// Of those that let ranks wake each other: who listens, and is waited for.
TEST_P(TransportTest, RingsThoseThatListenAndThatItExchangesMessagesWith) {
  run(3, [](const auto& here) {
    Doorbell* const doorbell = here.transport.doorbell();
    if (doorbell == nullptr) return;
    doorbell->listen(true);
    MPI_Barrier(MPI_COMM_WORLD);
    int value = 0;
    if (here.rank == 0) {
      EXPECT_EQ(here.receive(1, 0, plain(value)), 0);
      here.transport.ring_others();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(doorbell->rings(), here.rank == 1 ? 1U : 0U);
    if (here.rank == 1) {
      EXPECT_EQ(here.send(0, 0, plain(value)), 0);
    }
    if (here.rank < 2) static_cast<void>(here.complete(1));
    doorbell->listen(true);
    MPI_Barrier(MPI_COMM_WORLD);
    here.transport.ring_others();  // nobody any more
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(doorbell->rings(), here.rank == 1 ? 1U : 0U);
  });
}

// By the doorbell of one group nobody wakes whom only another one knows.
TEST_P(TransportTest, HasNoDoorbellWhereOthersKnowAnother) {
  run(2, [](const auto& here) {
    Doorbell* const doorbell = here.transport.doorbell();
    if (doorbell == nullptr) return;
    const TestGroup group(here.rank, 2);
    const Transport::Joined another = here.transport.join(group);
    EXPECT_EQ(here.transport.doorbell(), nullptr);
    here.transport.leave(another.group);
    EXPECT_EQ(here.transport.doorbell(), doorbell);
  });
}

TEST_P(TransportTest, KnowsWhatIsInFlight) {
  run(2, [](const auto& here) {
    if (here.rank == 1) return;
    EXPECT_TRUE(here.transport.idle());
    int owner = 0;
    int value = 0;
    here.receive(0, 0, plain(value), {&owner, 9});
    EXPECT_FALSE(here.transport.idle());
    ASSERT_EQ(here.transport.in_flight().size(), 1U);
    EXPECT_EQ(here.transport.in_flight()[0].step, 9);
    int one = 1;
    here.send(0, 0, plain(one), {&owner, 10});
    static_cast<void>(here.complete(2));
    EXPECT_TRUE(here.transport.in_flight().empty());
    EXPECT_TRUE(here.transport.poll().empty());
  });
}

TEST_P(TransportTest, GivesUpAnOwnersReceivesAndNoOthers) {
  run(2, [](const auto& here) {
    if (here.rank == 1) return;
    int mine = 0;
    int other = 0;
    std::array<int, 3> values{};
    here.receive(0, 0, plain(values[0]), {&mine, 0});
    here.receive(0, 1, plain(values[1]), {&mine, 1});
    here.receive(0, 2, plain(values[2]), {&other, 2});
    here.transport.cancel_receives(&mine);
    for (const auto& completed : here.complete(2)) EXPECT_EQ(completed.token.owner, &mine);
    EXPECT_EQ(here.transport.in_flight().size(), 1U);
    int value = 6;
    here.send(0, 2, plain(value), {&other, 3});
    static_cast<void>(here.complete(2));
    EXPECT_EQ(values[2], 6);
  });
}

INSTANTIATE_TEST_SUITE_P(Each, TransportTest, testing::ValuesIn(kTenants),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stretto
