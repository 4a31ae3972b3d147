#include "schedule/ordinals.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace stretto {
namespace {

TEST(Ordinals, CountTheMessagesOfEachPeer) {
  for (const int peers : {1, 20, 32, 33, 64, 500}) {
    std::mt19937 random(20261122);
    Ordinals ordinals;
    std::map<Rank, std::int32_t> expected;
    for (int i = 0; i < 10 * peers; ++i) {
      // Far apart, as ranks across a hypercube are, so that some fall into one place.
      const auto peer = static_cast<Rank>(random() % static_cast<unsigned>(peers)) * 4096;
      ASSERT_EQ(ordinals.next(peer), expected[peer]++) << peers << " peers";
    }
  }
}

}  // namespace
}  // namespace stretto
