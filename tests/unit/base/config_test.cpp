#include "base/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace stretto {
namespace {

TEST(Config, WhatIsTakenFromTheEnvironmentIsKnownToThisProcessAlone) {
  setenv("STRETTO_TEST_TAKEN", "3", 1);
  take_from_environment("STRETTO_TEST_TAKEN");
  EXPECT_EQ(std::getenv("STRETTO_TEST_TAKEN"), nullptr);
  EXPECT_EQ(setting("STRETTO_TEST_TAKEN"), "3");
  EXPECT_EQ(number_setting("STRETTO_TEST_TAKEN", 0), 3);
}

TEST(Config, WhatIsUnsetCannotBeTaken) {
  unsetenv("STRETTO_TEST_UNSET");
  take_from_environment("STRETTO_TEST_UNSET");
  EXPECT_EQ(setting("STRETTO_TEST_UNSET"), std::nullopt);
  setenv("STRETTO_TEST_UNSET", "later", 1);
  EXPECT_EQ(setting("STRETTO_TEST_UNSET"), "later");
}

}  // namespace
}  // namespace stretto
