#include "base/floating_point.hpp"

#include <gtest/gtest.h>

#include <cfenv>

namespace stretto {
namespace {

class FloatingPoint : public testing::Test {
 protected:
  void SetUp() override { std::fegetenv(&before_); }
  void TearDown() override { std::fesetenv(&before_); }

  static FloatingPointMode upward() {
    std::fesetround(FE_UPWARD);
    const FloatingPointMode mode = FloatingPointMode::current();
    std::fesetround(FE_TONEAREST);
    return mode;
  }
  static void divide_by_zero() {
    volatile double zero = 0;
    volatile double quotient = 1 / zero;
    (void)quotient;
  }

 private:
  std::fenv_t before_{};
};

TEST_F(FloatingPoint, ComputesAsSaidAndThenAsBefore) {
  const FloatingPointMode mode = upward();
  volatile double one = 1;
  {
    const FloatingPointScope scope(mode);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    EXPECT_GT(one + 1e-30, 1.0);
  }
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(one + 1e-30, 1.0);
}

TEST_F(FloatingPoint, WhatIsRaisedMeanwhileStaysRaisedAndWhatWasBeforeToo) {
  const FloatingPointMode mode = upward();
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  {
    const FloatingPointScope scope(mode);
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
    divide_by_zero();
  }
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID), FE_OVERFLOW | FE_DIVBYZERO);
}

TEST_F(FloatingPoint, WhatWasRaisedAsTheModeWasKeptIsNotRaisedAgain) {
  divide_by_zero();
  const FloatingPointMode mode = upward();
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    const FloatingPointScope scope(mode);
  }
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST_F(FloatingPoint, WhoHasMetADenormalNumberComputesAlike) {
  const FloatingPointMode before = FloatingPointMode::current();
  if (!before.is_like(before)) GTEST_SKIP() << "modes of this processor are not compared";
  volatile double denormal = 5e-324;
  volatile double sum = denormal + denormal;
  (void)sum;
  EXPECT_TRUE(FloatingPointMode::current().is_like(before));
}

TEST_F(FloatingPoint, WhatWouldTrapIsNotRaised) {
  const FloatingPointMode mode = upward();
  std::feclearexcept(FE_ALL_EXCEPT);
  if (::feenableexcept(FE_DIVBYZERO) == -1) GTEST_SKIP() << "this processor cannot trap";
  {
    const FloatingPointScope scope(mode);
    divide_by_zero();
  }
  volatile long double one = 1;
  one = one + 1;
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
  EXPECT_EQ(::fegetexcept(), FE_DIVBYZERO);
}

TEST_F(FloatingPoint, NothingChangesWhereNothingIsSaid) {
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    const FloatingPointScope scope(std::nullopt);
    divide_by_zero();
  }
  EXPECT_NE(std::fetestexcept(FE_DIVBYZERO), 0);
}

}  // namespace
}  // namespace stretto
