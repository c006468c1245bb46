#include <numbers>

#include <Eigen/Geometry>

#include "io/solid.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

/// Mean distance from the points of one cloud to the nearest of the other.
float distance(const Cloud& from, const Cloud& to) {
  float sum = 0;
  for (Eigen::Index i = 0; i < from.rows(); ++i)
    sum += (to.rowwise() - from.row(i)).rowwise().norm().minCoeff();
  return sum / static_cast<float>(from.rows());
}

TEST(Procedural, FillsTheUnitSphere) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Cloud points = procedural_shape(1, i, 500).points;
    ASSERT_EQ(points.rows(), 500);
    EXPECT_NEAR(points.rowwise().norm().maxCoeff(), 1, 1e-5);
    EXPECT_LT(points.colwise().mean().norm(), 1e-5);
  }
}

TEST(Procedural, FollowsFromSeedAndIndexAlone) {
  const Shape shape = procedural_shape(3, 14, 100);
  EXPECT_EQ(shape.points, procedural_shape(3, 14, 100).points);
  EXPECT_NE(shape.points, procedural_shape(4, 14, 100).points);
  const ShapeSet set = procedural_shapes(20, 100, 3);
  EXPECT_EQ(set.shapes[14].points, shape.points);
  EXPECT_EQ(set.class_names[static_cast<std::size_t>(shape.label)], "mug");
}

TEST(Procedural, ShapesOfOneFamilyDiffer) {
  const std::uint64_t families = procedural_families().size();
  for (std::uint64_t i = 0; i < families; ++i)
    EXPECT_GT(
        distance(procedural_shape(1, i, 300).points, procedural_shape(1, i + families, 300).points),
        distance(procedural_shape(1, i, 300).points, procedural_shape(1, i, 600).points));
}

TEST(Procedural, NoTurnMapsAShapeOntoItself) {
  Random random({7});
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Cloud points = procedural_shape(2, i, 400).points;
    const float same = distance(points, procedural_shape(2, i, 800).points);
    // Rotations about the axes, where such objects may be symmetric, and some others.
    for (int turn = 0; turn < 12; ++turn) {
      const Eigen::Vector3f axis = turn < 9 ? Eigen::Vector3f::Unit(turn % 3) : random.direction();
      const float angle = std::numbers::pi_v<float> * (turn < 3   ? 1.0F
                                                       : turn < 6 ? 0.5F
                                                                  : 2.0F / 3);
      const Eigen::Matrix3f rotation = Eigen::AngleAxisf(angle, axis).toRotationMatrix();
      const Cloud turned = points * rotation.transpose();
      EXPECT_GT(distance(turned, points), 1.5F * same)
          << procedural_shape(2, i, 1).name << " turn " << turn;
    }
  }
}

TEST(Solid, PointsInsideOtherPartsAreHidden) {
  std::vector<Solid> parts(2);
  parts[1].pose.translation() << 1, 0, 0;
  Random random({1});
  const Cloud points = sample_union(parts, 2000, random);
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    for (const Solid& part : parts) EXPECT_FALSE(part.contains(points.row(i).transpose()));
  // The union is a box of 3 x 2 x 2: each end has 4 of its 32 units of area.
  EXPECT_NEAR((points.col(0).array() < -0.9999F).count(), 250, 50);
}

TEST(Solid, SurfacesAreSampledEvenly) {
  Random random({2});
  Solid cone{Solid::Kind::kFrustum, {1, 0, 0.5F}, Eigen::Isometry3f::Identity()};
  Solid ring{Solid::Kind::kTorus, {2, 1, 0}, Eigen::Isometry3f::Identity()};
  Solid egg{Solid::Kind::kEllipsoid, {1, 1, 3}, Eigen::Isometry3f::Identity()};
  int low = 0, outer = 0, middle = 0;
  for (int i = 0; i < 8000; ++i) {
    low += cone.sample(random)[2] > 0;  // the upper half of the side: a quarter of it
    outer += ring.sample(random).head<2>().norm() > 2;
    middle += std::abs(egg.sample(random)[2]) < 1.5F;
  }
  const double side = std::numbers::pi * std::sqrt(2.0), base = std::numbers::pi;
  EXPECT_NEAR(low / 8000.0, 0.25 * side / (side + base), 0.02);
  EXPECT_NEAR(outer / 8000.0, 0.5 + 1 / (2 * std::numbers::pi) * 2 * 0.5, 0.02);
  EXPECT_NEAR(middle / 8000.0, 0.608, 0.02);
}

}  // namespace
}  // namespace pointpng
