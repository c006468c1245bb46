#include "report/series.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace pointpng {
namespace {

Series straight_line(int count) {
  Series series;
  for (int i = 0; i < count; ++i) series.push_back({1.0 * i, 1.0 * i});
  return series;
}

TEST(MovingAverage, LeavesAStraightLineStraight) {
  const Series series = straight_line(100), smooth = moving_average(series, 7);
  ASSERT_EQ(smooth.size(), series.size());
  for (std::size_t i = 3; i < 97; ++i) EXPECT_DOUBLE_EQ(smooth[i].y, series[i].y);
}

TEST(MovingAverage, DampsNoise) {
  Series series;
  for (int i = 0; i < 100; ++i) series.push_back({1.0 * i, i % 2 == 0 ? 1.0 : -1.0});
  for (const SeriesPoint& point : moving_average(series, 21)) EXPECT_LT(std::abs(point.y), 0.1);
}

TEST(MovingAverage, AGapStaysAGapAndSpoilsNothing) {
  Series series = straight_line(11);
  series[5].y = std::nan("");
  const Series smooth = moving_average(series, 3);
  EXPECT_TRUE(std::isnan(smooth[5].y));
  EXPECT_DOUBLE_EQ(smooth[4].y, 3.5);
  EXPECT_DOUBLE_EQ(smooth[9].y, 9.0);
}

TEST(Thinning, AShortCurveIsUntouched) {
  EXPECT_EQ(thin_keeping_extremes(straight_line(50), 50).size(), 50u);
}

TEST(Thinning, ALongCurveKeepsItsEndsItsSpikeAndItsGap) {
  Series series = straight_line(100'000);
  series[54'321].y = 1e9;
  series[70'000].y = std::nan("");
  const Series thin = thin_keeping_extremes(series, 600);
  EXPECT_LE(thin.size(), 601u);
  EXPECT_GE(thin.size(), 500u);
  EXPECT_EQ(thin.front().x, 0.0);
  EXPECT_EQ(thin.back().x, 99'999.0);
  EXPECT_TRUE(std::any_of(thin.begin(), thin.end(), [](auto p) { return p.y == 1e9; }));
  EXPECT_TRUE(std::any_of(thin.begin(), thin.end(), [](auto p) { return std::isnan(p.y); }));
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(), [](auto a, auto b) { return a.x < b.x; }));
}

TEST(FinalValue, AveragesTheLastTwentieth) {
  EXPECT_DOUBLE_EQ(final_value(straight_line(100)), 97.0);   // 95 … 99
  EXPECT_DOUBLE_EQ(initial_value(straight_line(100)), 2.0);  // 0 … 4
  EXPECT_DOUBLE_EQ(final_value(straight_line(3)), 2.0);
}

TEST(FinalValue, IsNoNumberWhereTheRunEndedSo) {
  Series series = straight_line(100);
  series.back().y = std::nan("");
  EXPECT_TRUE(std::isnan(final_value(series)));
  EXPECT_TRUE(std::isnan(final_value({})));
}

}  // namespace
}  // namespace pointpng
