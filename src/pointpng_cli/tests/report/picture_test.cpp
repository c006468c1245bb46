#include "report/picture.h"

#include <cmath>
#include <png.h>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEvil = "<script>alert(1)</script>\"'&";

Paint filled(const Colour& colour) {
  Paint paint;
  paint.fill = colour;
  return paint;
}

/// The pixels of a PNG as libpng reads them.
struct Pixels {
  png_image image{};
  std::vector<unsigned char> rgb;

  explicit Pixels(const std::string& bytes) {
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return;
    image.format = PNG_FORMAT_RGB;
    rgb.resize(PNG_IMAGE_SIZE(image));
    png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr);
  }
  std::string at(unsigned x, unsigned y) const {
    const unsigned char* p = rgb.data() + 3 * (std::size_t{y} * image.width + x);
    return css({"", p[0], p[1], p[2]});
  }
};

double luminance(const Colour& colour) {
  const auto linear = [](double value) {
    value /= 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

double contrast(const Colour& a, const Colour& b) {
  const double first = luminance(a) + 0.05, second = luminance(b) + 0.05;
  return std::max(first, second) / std::min(first, second);
}

TEST(ColourTest, CategoriesDifferAndAreSeenOnBothGrounds) {
  const Colour white{"", 255, 255, 255}, dark{"", 0x17, 0x1e, 0x27};
  for (const std::size_t count : {1U, 10U, 40U}) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < count; ++i) {
      const Colour colour = category_colour(i, count);
      seen.insert(css(colour));
      EXPECT_GT(contrast(colour, white), 2.0) << i << " of " << count;
      EXPECT_GT(contrast(colour, dark), 3.0) << i << " of " << count;
    }
    EXPECT_EQ(seen.size(), count);
  }
}

TEST(ColourTest, ASequenceGetsLighterAndACycleCloses) {
  for (int i = 1; i <= 20; ++i)
    EXPECT_GT(luminance(sequence_colour(i / 20.0)), luminance(sequence_colour((i - 1) / 20.0)));
  EXPECT_EQ(css(cycle_colour(0.0)), css(cycle_colour(1.0)));
  EXPECT_NE(css(cycle_colour(0.0)), css(cycle_colour(0.5)));
}

TEST(PictureTest, BothSvgsAreWellFormedAndNothingInThemIsMarkup) {
  Picture picture(100, 50);
  picture.set_description(kEvil);
  picture.circle({10, 10}, 3, filled(category_colour(0, 3)), {kEvil, 1, false});
  picture.cross({20, 10}, 3, filled(Colour::none()));
  picture.line({{1, 2}, {3, 4}}, filled(Colour::none()));
  picture.star({30, 30}, 5, filled(Colour::of_theme("ink")), {kEvil});
  picture.text({5, 40}, kEvil, 12, TextAnchor::kMiddle, Colour::of_theme("ink"), true,
               {"", 1, true});
  EXPECT_EQ(xml_fault(picture.svg()), "");
  const std::string file = picture.svg_file();
  EXPECT_EQ(xml_fault(file.substr(file.find("<svg"))), "");
  EXPECT_THAT(file, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(file, HasSubstr("width=\"100\" height=\"50\""));
  EXPECT_THAT(picture.svg(), Not(HasSubstr("<script")));
  EXPECT_EQ(count_of(picture.svg(), "data-tip"), 2);
  EXPECT_EQ(count_of(picture.svg(), "data-legend=\"1\""), 1);
}

TEST(PictureTest, PixelsShowTheMarksWhereTheyAre) {
  Picture picture(40, 20);
  picture.polygon({{0, 0}, {20, 0}, {20, 20}, {0, 20}}, filled({"", 255, 0, 0}), {}, true);
  picture.circle({30, 10}, 5, filled({"", 0, 0, 255}));
  const Pixels pixels(picture.png(3.0));
  ASSERT_EQ(pixels.image.width, 120U);
  ASSERT_EQ(pixels.image.height, 60U);
  EXPECT_EQ(pixels.at(10, 30), "#ff0000");
  EXPECT_EQ(pixels.at(90, 30), "#0000ff");
  EXPECT_EQ(pixels.at(64, 3), "#ffffff");
}

TEST(PictureTest, PixelsHaveLettersAndSurviveBytesThatAreNoText) {
  Picture empty(80, 20), written(80, 20), broken(80, 20);
  written.text({2, 15}, "Hello", 14, TextAnchor::kStart, Colour::of_theme("ink"));
  broken.text({2, 15}, "\xff\xfe", 14, TextAnchor::kStart);
  EXPECT_NE(written.png(), empty.png());
  EXPECT_EQ(written.png(), written.png());
  EXPECT_FALSE(Pixels(broken.png()).rgb.empty());
}

TEST(PictureTest, AFigureHasItsWordsAndTheDrawing) {
  Picture picture(10, 10);
  picture.circle({1, 1}, 1, {});
  const std::string html = picture_figure(kEvil, kEvil, picture).markup;
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_EQ(count_of(html, "&lt;script&gt;"), 2);
}

}  // namespace
}  // namespace pointpng
