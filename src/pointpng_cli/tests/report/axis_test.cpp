#include "report/axis.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pointpng {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> all;
  for (const double tick : axis.ticks) all.push_back(axis.label(tick));
  return all;
}

TEST(Axis, TicksAreRoundAndLabelledWithTheDigitsTheyNeed) {
  EXPECT_THAT(labels(make_axis(0.0, 1.0, Scale::kLinear, 5)),
              ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels(make_axis(-1.3, 2.1, Scale::kLinear, 4)), ElementsAre("-1", "0", "1", "2"));
  EXPECT_THAT(labels(make_axis(0, 40'000, Scale::kLinear, 4)),
              ElementsAre("0", "10k", "20k", "30k", "40k"));
  EXPECT_THAT(labels(make_axis(0, 1e-3, Scale::kLinear, 2)), ElementsAre("0", "5e-4", "1e-3"));
}

TEST(Axis, LogarithmicTicksArePowersOfTen) {
  EXPECT_THAT(labels(make_axis(1e-4, 10.0, Scale::kLogarithmic, 6)),
              ElementsAre("1e-4", "1e-3", "0.01", "0.1", "1", "10"));
}

TEST(Axis, PositionRunsFromZeroToOne) {
  const Axis linear = make_axis(2.0, 6.0, Scale::kLinear, 4);
  EXPECT_DOUBLE_EQ(linear.position(2.0), 0.0);
  EXPECT_DOUBLE_EQ(linear.position(5.0), 0.75);
  const Axis logarithmic = make_axis(1.0, 100.0, Scale::kLogarithmic, 4);
  EXPECT_DOUBLE_EQ(logarithmic.position(10.0), 0.5);
  EXPECT_DOUBLE_EQ(logarithmic.position(-3.0), 0.0);
}

TEST(Axis, AConstantCurveHasAnAxisToo) {
  for (const double value : {0.0, 5.0, -1e-12, 1e300}) {
    const Axis axis = make_axis(value, value, Scale::kLinear, 5);
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
    EXPECT_GE(axis.ticks.size(), 2u);
    EXPECT_LE(axis.ticks.size(), 12u);
  }
}

}  // namespace
}  // namespace pointpng
