// What a rank tells `stretto run` of its end.

#include "intercept/accelerate/lifeline.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

namespace stretto::intercept::accelerate {
namespace {

std::string all_from(int line) {
  std::string text;
  std::array<char, 64> some{};
  for (ssize_t length = 0; (length = ::recv(line, some.data(), some.size(), 0)) > 0;) {
    text.append(some.data(), static_cast<std::size_t>(length));
  }
  return text;
}

TEST(Lifeline, TellsOfAnAbortAndOfTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  lifeline::open(ends[0]);
  lifeline::abort(7);
  lifeline::close();
  lifeline::close();  // there is none any more
  lifeline::abort(8);
  EXPECT_EQ(all_from(ends[1]), "aborts 7\ndone\n");
  ::close(ends[1]);
}

TEST(Lifeline, MayBeNone) {
  lifeline::open(-1);
  lifeline::abort(1);
  lifeline::close();
}

}  // namespace
}  // namespace stretto::intercept::accelerate
