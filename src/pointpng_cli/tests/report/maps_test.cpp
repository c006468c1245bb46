// Drawings made of marks: scatter plots, maps of the sphere, trajectories.

#include <cmath>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/scatter.h"
#include "report/sphere_map.h"
#include "report/way_picture.h"
#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Scatter scatter_of(std::size_t groups) {
  Scatter scatter;
  for (std::size_t g = 0; g < groups; ++g) {
    scatter.groups.push_back("class " + std::to_string(g));
    scatter.points.push_back({static_cast<double>(g), static_cast<double>(g % 3), g, false, "tip"});
  }
  return scatter;
}

/// Whether all coordinates of circles and letters lie inside the drawing.
void expect_inside(const Picture& picture) {
  const std::string svg = picture.svg();
  const std::regex place(R"re( (?:cx|x)="([-\d.]+)" (?:cy|y)="([-\d.]+)")re");
  int found = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), place), end; at != end; ++at, ++found) {
    EXPECT_GE(std::stod((*at)[1]), 0.0);
    EXPECT_LE(std::stod((*at)[1]), picture.width());
    EXPECT_GE(std::stod((*at)[2]), 0.0);
    EXPECT_LE(std::stod((*at)[2]), picture.height());
  }
  EXPECT_GT(found, 0);
}

TEST(ScatterTest, EveryPointAndEveryGroupIsDrawn) {
  const Picture picture = scatter_picture(scatter_of(10));
  const std::string svg = picture.svg();
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of(svg, "data-tip=\"tip\""), 10);
  EXPECT_EQ(count_of(svg, "data-legend=\"7\""), 2);  // a dot and its name
  expect_inside(picture);
}

TEST(ScatterTest, ManyClassesGetMoreColumnsAndVeryManyAreCut) {
  const Picture forty = scatter_picture(scatter_of(40)), many = scatter_picture(scatter_of(177));
  expect_inside(forty);
  expect_inside(many);
  EXPECT_GT(forty.width(), scatter_picture(scatter_of(10)).width());
  EXPECT_THAT(forty.svg(), Not(HasSubstr("more")));
  EXPECT_THAT(many.svg(), HasSubstr("and 109 more"));
}

TEST(ScatterTest, OneUnitIsAsLongInBothDirections) {
  Scatter scatter = scatter_of(1);
  scatter.points = {{0, 0, 0, false, "a"}, {3, 0, 0, false, "b"}, {0, 1, 0, false, "c"}};
  const std::string svg = scatter_picture(scatter).svg();
  const std::regex place(R"re(data-at="([\d.]+) ([\d.]+)")re");
  std::vector<std::pair<double, double>> at;
  for (std::sregex_iterator found(svg.begin(), svg.end(), place), end; found != end; ++found)
    at.emplace_back(std::stod((*found)[1]), std::stod((*found)[2]));
  ASSERT_EQ(at.size(), 3U);
  EXPECT_NEAR(at[1].first - at[0].first, 3.0 * (at[0].second - at[2].second), 0.5);
}

TEST(ScatterTest, CrossesAreExplained) {
  Scatter scatter = scatter_of(2);
  scatter.points[1].cross = true;
  scatter.dot_name = "as it is";
  scatter.cross_name = "turned";
  const std::string svg = scatter_picture(scatter).svg();
  EXPECT_THAT(svg, HasSubstr(">as it is<"));
  EXPECT_THAT(svg, HasSubstr(">turned<"));
}

TEST(MollweideTest, KeepsAreasAndEnds) {
  EXPECT_NEAR(mollweide(180, 0).x, 2.0, 1e-9);
  EXPECT_NEAR(mollweide(0, 90).y, 1.0, 1e-6);
  EXPECT_NEAR(mollweide(-120, -90).x, 0.0, 1e-4);
  // The band below a latitude has the share sin φ of a hemisphere's area.
  for (const double latitude : {10.0, 35.0, 60.0, 85.0}) {
    const double y = mollweide(0, latitude).y;
    const double below = (std::asin(y) + y * std::sqrt(1.0 - y * y)) / (M_PI / 2.0);
    EXPECT_NEAR(below, std::sin(latitude * M_PI / 180.0), 1e-6);
  }
}

SphereMaps maps_of(std::size_t panels) {
  SphereMaps maps;
  for (std::size_t i = 0; i < panels; ++i) {
    SpherePanel panel{"panel " + std::to_string(i), 4, 8, std::vector<float>(32), {}};
    for (std::size_t k = 0; k < 32; ++k) panel.values[k] = static_cast<float>(k) / 31.0F;
    panel.marks = {{30, 20, "1", false, "found"}, {30, 20, "", true, "truth"}};
    maps.panels.push_back(std::move(panel));
  }
  maps.columns = 3;
  maps.value_name = "loss";
  maps.mark_names = {"truth", "found"};
  return maps;
}

TEST(SphereMapTest, HasACellAValueAndItsMarks) {
  const Picture picture = sphere_maps_picture(maps_of(1));
  const std::string svg = picture.svg();
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of(svg, "data-tip=\"axis at"), 32);
  EXPECT_EQ(count_of(svg, "data-tip=\"truth\""), 1);
  EXPECT_THAT(svg, HasSubstr(css(sequence_colour(0.0))));
  EXPECT_THAT(svg, HasSubstr(css(sequence_colour(1.0))));
  expect_inside(picture);
}

TEST(SphereMapTest, PanelsStandInRows) {
  SphereMaps maps = maps_of(5);
  maps.tips = false;
  const Picture five = sphere_maps_picture(maps);
  EXPECT_EQ(count_of(five.svg(), "data-tip=\"axis at"), 0);
  EXPECT_EQ(count_of(five.svg(), ">panel "), 5);
  expect_inside(five);
  maps.panels.resize(3);
  EXPECT_LT(sphere_maps_picture(maps).height(), five.height());
}

TEST(WayPictureTest, EveryWayHasAPanel) {
  std::vector<Way> ways;
  for (int w = 0; w < 4; ++w) {
    Way way{"shape " + std::to_string(w), "note", {}, {}, {}};
    for (int i = 0; i <= 12; ++i) {
      way.angle_deg.push_back(30.0 * i);
      way.places.push_back({std::cos(0.5 * i), std::sin(0.5 * i)});
      way.predicted.push_back({1.1 * std::cos(0.5 * i), std::sin(0.5 * i)});
    }
    ways.push_back(std::move(way));
  }
  const Picture picture = way_picture(ways, "");
  EXPECT_EQ(xml_fault(picture.svg()), "");
  EXPECT_EQ(count_of(picture.svg(), "rotated by 90°"), 4);
  EXPECT_EQ(count_of(picture.svg(), "stroke-dasharray"), 5);  // the trajectories and the legend
  expect_inside(picture);
}

}  // namespace
}  // namespace pointpng
