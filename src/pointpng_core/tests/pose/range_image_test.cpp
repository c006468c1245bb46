#include "pose/range_image.h"

#include <gtest/gtest.h>

#include "pose/test_scenes.h"

namespace pointpng {
namespace {

using Place = RangeImage::Place;

/// A wall 2 m in front of the sensor, 2 m wide, and a door in its middle that is missing.
Cloud wall_with_a_hole(float unit) {
  Random random({1});
  Cloud rays(8000, 3);
  for (Eigen::Index i = 0; i < rays.rows();) {
    const Eigen::Vector3f place(random.uniform(-1.0F, 1.0F), random.uniform(-1.0F, 1.0F), 2.0F);
    if (place.head<2>().cwiseAbs().maxCoeff() < 0.3F) continue;
    rays.row(i++) = unit * place.transpose();
  }
  return rays;
}

TEST(RangeImageTest, TellsFreeSpaceFromSurfaceAndShadow) {
  for (const float unit : {1.0F, 1000.0F, 1e-3F}) {
    const RangeImage image(wall_with_a_hole(unit));
    // Places that are `share` of the way from the sensor to the wall, beside the hole.
    const auto count = [&](float share, Place place) {
      int found = 0;
      for (int i = 0; i < 100; ++i) {
        const Eigen::Vector3f on_wall(0.35F + 0.006F * static_cast<float>(i), -0.5F, 2.0F);
        found += image.at(share * unit * on_wall, 0.05F * unit) == place ? 1 : 0;
      }
      return found;
    };
    EXPECT_GT(count(0.5F, Place::kFree), 75);
    EXPECT_GT(count(0.99F, Place::kSurface), 75);
    EXPECT_GT(count(2.5F, Place::kHidden), 75);
  }
}

TEST(RangeImageTest, WhatWasNotSeenIsUnknown) {
  const RangeImage image(wall_with_a_hole(1.0F));
  EXPECT_EQ(image.at({0.0F, 0.0F, 1.0F}, 0.05F), Place::kUnknown) << "in front of the hole";
  EXPECT_EQ(image.at({0.0F, 0.0F, 3.0F}, 0.05F), Place::kUnknown) << "behind it";
  EXPECT_EQ(image.at({3.0F, 0.0F, 2.0F}, 0.05F), Place::kUnknown) << "beside the wall";
  EXPECT_EQ(image.at({0.5F, 0.5F, -1.0F}, 0.05F), Place::kUnknown) << "behind the sensor";
  EXPECT_EQ(image.at(Eigen::Vector3f::Zero(), 0.05F), Place::kUnknown) << "the sensor itself";
}

TEST(RangeImageTest, ASlantedFloorIsNotInFrontOfItself) {
  const std::vector<Body> floor = {{{{{-20.0F, -20.0F, -0.1F}, {20.0F, 20.0F, 0.0F}}}}};
  const Eigen::Vector3f viewpoint(0.0F, 0.0F, 1.5F);
  const Cloud first = scan(floor, viewpoint, {0.0F, 0.0F, 1.5F}, 180.0F, 30000, 1),
              second = scan(floor, viewpoint, {0.0F, 0.0F, 1.5F}, 180.0F, 2000, 2);
  const RangeImage image(first.rowwise() - viewpoint.transpose());
  int wrong = 0;
  for (Eigen::Index i = 0; i < second.rows(); ++i)
    wrong += image.at(second.row(i).transpose() - viewpoint, 0.02F) == Place::kFree ? 1 : 0;
  EXPECT_LT(wrong, second.rows() / 50);
}

}  // namespace
}  // namespace pointpng
