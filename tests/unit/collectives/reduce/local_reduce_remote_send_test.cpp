#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(ReduceLocalReduceRemoteSend, TheRootGetsOneMessageAndItsGroupHasNoPart) {
  for (const int first_group : {1, 3, 6}) {
    const Shape shape{.collective = Collective::reduce,
                      .size = 7,
                      .count = 4,
                      .root = first_group - 1,
                      .first_group = first_group};
    const Schedules ranks = built("local_reduce_remote_send", shape);
    for (Rank me = 0; me < first_group; ++me) {
      const auto& steps = ranks[static_cast<std::size_t>(me)].steps;
      EXPECT_EQ(steps.size(), me == shape.root ? 1 : 0);
    }
    EXPECT_EQ(cost(ranks).messages, 7 - first_group);
  }
}

}  // namespace
}  // namespace stretto
