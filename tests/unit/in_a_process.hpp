// Tests of what is a process's for good: each runs in one of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace stretto {

// What has failed until now, on stderr, as the process of a death test prints nothing itself.
inline bool say_failures() {
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.failed()) {
      std::fprintf(stderr, "%s:%d: %s\n", part.file_name(), part.line_number(), part.message());
    }
  }
  return result.Failed();
}

// To be called once, in a test whose suite's name ends in DeathTest. Fails where anything in `body`
// does.
inline void expect_in_a_process(const std::function<void()>& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        std::exit(say_failures() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace stretto
