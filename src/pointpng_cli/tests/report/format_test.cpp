#include "report/format.h"

#include <cmath>

#include <gtest/gtest.h>

namespace pointpng {
namespace {

TEST(FormatNumber, KeepsAboutFourDigits) {
  EXPECT_EQ(format_number(1.23456), "1.235");
  EXPECT_EQ(format_number(-12.3456), "-12.35");
  EXPECT_EQ(format_number(0.94127), "0.941");
  EXPECT_EQ(format_number(0.01234), "0.0123");
  EXPECT_EQ(format_number(5.0), "5");
  EXPECT_EQ(format_number(0.0), "0");
}

TEST(FormatNumber, SetsThousandsApart) {
  EXPECT_EQ(format_number(12345.6), "12\u202F346");
  EXPECT_EQ(format_count(1234567), "1\u202F234\u202F567");
  EXPECT_EQ(format_count(-4000), "-4000");
}

TEST(FormatNumber, VerySmallAndVeryLargeAreScientific) {
  EXPECT_EQ(format_number(3.2e-5), "3.2e-5");
  EXPECT_EQ(format_number(1e12), "1e12");
}

TEST(FormatNumber, NamesWhatIsNoNumber) {
  EXPECT_EQ(format_number(std::nan("")), "NaN");
  EXPECT_EQ(format_number(-INFINITY), "-∞");
}

TEST(FormatDuration, GrowsItsUnits) {
  EXPECT_EQ(format_duration(0.84), "0.8 s");
  EXPECT_EQ(format_duration(59.7), "1 min 0 s");
  EXPECT_EQ(format_duration(185), "3 min 5 s");
  EXPECT_EQ(format_duration(7800), "2 h 10 min");
  EXPECT_EQ(format_duration(4 * 86400 + 3 * 3600), "4 d 3 h");
  EXPECT_EQ(format_duration(-1), "unknown");
}

TEST(FormatFixedTest, RoundsAndGivesZeroNoSign) {
  EXPECT_EQ(format_fixed(0.12345, 3), "0.123");
  EXPECT_EQ(format_fixed(-1.5, 1), "-1.5");
  EXPECT_EQ(format_fixed(-0.0002, 3), "0.000");
  EXPECT_EQ(format_fixed(-0.0, 0), "0");
}

TEST(FormatPercent, OneDecimalWhereItSaysSomething) {
  EXPECT_EQ(format_percent(1.0), "100\u202F%");
  EXPECT_EQ(format_percent(0.985), "98.5\u202F%");
}

TEST(FormatBytes, GrowsItsUnits) {
  EXPECT_EQ(format_bytes(812), "812 bytes");
  EXPECT_EQ(format_bytes(5'000'000), "4.8 MiB");
  EXPECT_EQ(format_bytes(1024ULL * 1024 - 1), "1.0 MiB");
}

}  // namespace
}  // namespace pointpng
