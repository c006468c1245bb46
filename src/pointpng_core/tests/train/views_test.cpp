#include "train/views.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <Eigen/Geometry>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/refusal.h"
#include "model/rotation.h"
#include "train/small_run.h"

namespace pointpng {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// As many patches as points: the centres are all points of a view.
ModelConfig every_point_a_centre() {
  ModelConfig model = smallest_model();
  model.patches = model.points;
  return model;
}

Cloud sphere(Eigen::Index points, std::uint64_t seed) {
  Random random({seed});
  Cloud cloud(points, 3);
  for (Eigen::Index i = 0; i < points; ++i) cloud.row(i) = random.direction().transpose();
  return cloud;
}

bool same_batch(const PairBatch& a, const PairBatch& b) {
  return torch::equal(a.patches.centres, b.patches.centres) &&
         torch::equal(a.patches.points, b.patches.points) && torch::equal(a.rotation, b.rotation);
}

TEST(PairSourceTest, ABatchFollowsFromSeedAndStep) {
  TrainConfig train = short_training(1);
  train.views = {.same_points = false,
                 .jitter = 0.02,
                 .crop_probability = 0.5,
                 .view_probability = 0.3,
                 .outlier_probability = 0.5};
  const PairSource source = small_source(smallest_model(), train);
  const PairBatch batch = source.make(3);
  EXPECT_EQ(batch.patches.centres.sizes(), (std::vector<std::int64_t>{8, 8, 3}));
  EXPECT_EQ(batch.patches.points.sizes(), (std::vector<std::int64_t>{8, 8, 8, 3}));
  EXPECT_EQ(batch.rotation.sizes(), (std::vector<std::int64_t>{4, 4}));

  const PairSource again = small_source(smallest_model(), train);
  again.make(7);
  EXPECT_TRUE(same_batch(again.make(3), batch));
  EXPECT_FALSE(same_batch(source.make(4), batch));
  train.seed += 1;
  EXPECT_FALSE(same_batch(small_source(smallest_model(), train).make(3), batch));
}

TEST(PairSourceTest, TheRotationTakesOneViewToTheOther) {
  const ModelConfig model = every_point_a_centre();
  TrainConfig train = short_training(1);
  train.views.same_points = true;
  const PairBatch batch = small_source(model, train).make(0);
  const auto views = batch.patches.centres.chunk(2);
  const Tensor turned = rotation::rotate(batch.rotation, views[0]);
  const auto farthest_match = [&](const Tensor& from) {
    return std::get<0>(torch::cdist(from, views[1]).min(2)).max().item<double>();
  };
  EXPECT_LT(farthest_match(turned), 1e-3);
  EXPECT_GT(farthest_match(views[0]), 0.1);  // they are rotated by a large angle
}

/// Integer positions of the points of a view on a line, from 0, along a direction.
std::set<std::int64_t> places_along(const Tensor& points, const Tensor& direction) {
  const Tensor along = std::get<0>(points.matmul(direction).sort());
  const Tensor gaps = along.narrow(0, 1, along.size(0) - 1) - along.narrow(0, 0, along.size(0) - 1);
  const Tensor places = ((along - along[0]) / gaps.min()).round().to(torch::kInt64);
  return {places.data_ptr<std::int64_t>(), places.data_ptr<std::int64_t>() + places.numel()};
}

TEST(PairSourceTest, TheTwoViewsShareNoPointWhereThereAreEnough) {
  const ModelConfig model = every_point_a_centre();
  const TrainConfig train = short_training(1);
  Shape line;
  line.name = "a line of 128 points";
  line.points = Cloud::Zero(128, 3);
  for (Eigen::Index i = 0; i < 128; ++i) line.points(i, 0) = static_cast<float>(i);
  const PairBatch batch = PairSource({{line}, {}}, model, train).make(0);
  for (std::int64_t i = 0; i < train.batch; ++i) {
    const Tensor x = batch.patches.centres[i], x_plus = batch.patches.centres[i + train.batch];
    Tensor axis = x[0] - x[1];
    axis = axis / axis.norm();
    const auto some = places_along(x, axis);
    const auto others =
        places_along(x_plus, rotation::rotate(batch.rotation[i], axis.unsqueeze(0)).squeeze(0));
    ASSERT_EQ(some.size(), 64U);
    ASSERT_EQ(others.size(), 64U);
    // With the right shift they fill the line without gaps or overlap.
    int ways = 0;
    for (std::int64_t shift = -64; shift <= 64; ++shift) {
      std::set<std::int64_t> both = some;
      for (const std::int64_t place : others) both.insert(place + shift);
      ways += both.size() == 128 && *both.rbegin() - *both.begin() == 127 ? 1 : 0;
    }
    EXPECT_GE(ways, 1);
  }
}

/// Rotation-invariant and different for each shape.
float signature(const Tensor& unit_points) { return unit_points.norm(2, -1).mean().item<float>(); }

TEST(PairSourceTest, EveryShapeComesOnceAnEpochInAnotherOrder) {
  const ModelConfig model = every_point_a_centre();
  TrainConfig train = short_training(1);
  train.views.same_points = true;
  ShapeSet set = procedural_shapes(10, model.points, 3);
  std::vector<float> known;
  for (const Shape& shape : set.shapes) known.push_back(signature(prepare(shape.points, model)));
  const PairSource source(set, model, train);
  EXPECT_DOUBLE_EQ(source.steps_per_epoch(), 2.5);

  std::vector<std::ptrdiff_t> seen;
  for (std::int64_t step = 0; step < 5; ++step) {
    const PairBatch batch = source.make(step);
    for (std::int64_t i = 0; i < train.batch; ++i) {
      const float found = signature(batch.patches.centres[i]);
      const auto nearest = std::min_element(known.begin(), known.end(), [&](float a, float b) {
        return std::abs(a - found) < std::abs(b - found);
      });
      ASSERT_NEAR(*nearest, found, 1e-5);
      seen.push_back(nearest - known.begin());
    }
  }
  const std::vector<std::ptrdiff_t> first(seen.begin(), seen.begin() + 10),
      second(seen.begin() + 10, seen.end());
  EXPECT_EQ(std::set<std::ptrdiff_t>(first.begin(), first.end()).size(), 10U);
  EXPECT_EQ(std::set<std::ptrdiff_t>(second.begin(), second.end()).size(), 10U);
  EXPECT_NE(first, second);
}

TEST(PairSourceTest, RefusesWhatCanNotBeTrainedOn) {
  const ModelConfig model = smallest_model();
  const TrainConfig train = short_training(1);
  const auto made = [&](const ShapeSet& set) {
    return refusal([&] { PairSource(set, model, train); });
  };
  EXPECT_THAT(made({}), HasSubstr("no shapes"));
  EXPECT_THAT(made({{{sphere(10, 1), -1, "cup.ply"}}, {}}),
              AllOf(HasSubstr("cup.ply"), HasSubstr("10 points"), HasSubstr("16")));
  EXPECT_THAT(made({{{Cloud::Ones(100, 3), -1, "dot.ply"}}, {}}),
              AllOf(HasSubstr("dot.ply"), HasSubstr("one place")));
  Cloud broken = sphere(100, 1);
  broken(50, 1) = std::nanf("");
  EXPECT_THAT(made({{{broken, -1, "nan.ply"}}, {}}), AllOf(HasSubstr("nan.ply"), HasSubstr("NaN")));
  EXPECT_EQ(made({{{sphere(16, 1), -1, "small.ply"}}, {}}), "");
}

TEST(AugmentTest, ChangesNothingUnlessAsked) {
  const Cloud cloud = sphere(200, 1);
  Random random({1});
  EXPECT_EQ(augment(cloud, {}, random), cloud);
}

/// Whether a point is one of the cloud's, bit for bit.
bool holds(const Cloud& cloud, const Eigen::RowVector3f& point) {
  return ((cloud.rowwise() - point).rowwise().squaredNorm().array() == 0.0F).any();
}

TEST(AugmentTest, ACropTakesOneSideAndAtMostItsShare) {
  const Cloud cloud = sphere(1000, 1);
  const ViewConfig config{.crop_probability = 1.0, .crop_largest = 0.3};
  double smallest = 1.0, largest = 0.0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random({seed});
    const Cloud view = augment(cloud, config, random);
    const double share = static_cast<double>(view.rows()) / 1000.0;
    smallest = std::min(smallest, share);
    largest = std::max(largest, share);
    if (share > 0.95) continue;  // too small a cap to measure its direction
    Eigen::RowVector3f lost = cloud.colwise().sum() - view.colwise().sum();
    lost.normalize();
    float lowest_lost = 1.0F;
    for (Eigen::Index i = 0; i < cloud.rows(); ++i)
      if (!holds(view, cloud.row(i))) lowest_lost = std::min(lowest_lost, cloud.row(i).dot(lost));
    EXPECT_GT(lowest_lost, (view * lost.transpose()).maxCoeff() - 0.2F);
  }
  EXPECT_GE(smallest, 0.699);
  EXPECT_LT(smallest, 0.75);
  EXPECT_GT(largest, 0.95);
}

TEST(AugmentTest, JitterIsAsLargeAsItSaysForHalfOfTheViews) {
  const Cloud cloud = 3.0F * sphere(1000, 1);  // lengths are shares of the radius
  int moved = 0;
  double largest = 0.0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random({seed});
    const Cloud shift = augment(cloud, {.jitter = 0.05}, random) - cloud;
    const double sigma = std::sqrt(shift.squaredNorm() / static_cast<double>(shift.size()));
    moved += sigma > 0.0 ? 1 : 0;
    largest = std::max(largest, sigma);
  }
  EXPECT_GT(moved, 70);
  EXPECT_LT(moved, 130);
  EXPECT_LT(largest, 3.0 * 0.05 * 1.1);
  EXPECT_GT(largest, 3.0 * 0.05 * 0.8);
}

TEST(AugmentTest, OutliersReplaceAtMostTheirShareAndStayNear) {
  const Cloud cloud = 2.0F * sphere(1000, 1);
  Eigen::Index most = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random({seed});
    const ViewConfig config{.outlier_probability = 1.0, .outlier_largest = 0.2};
    const Cloud view = augment(cloud, config, random);
    ASSERT_EQ(view.rows(), 1000);
    const Eigen::Index moved = ((view - cloud).rowwise().norm().array() > 0.0F).count();
    EXPECT_LE(moved, 200);
    most = std::max(most, moved);
    EXPECT_LT(view.cwiseAbs().maxCoeff(), 2.0F * 1.15F);  // the cube about the sphere
  }
  EXPECT_GT(most, 120);
}

TEST(AugmentTest, ASingleViewIsOneSided) {
  const Cloud cloud = sphere(4000, 1);
  Random random({4});
  const Cloud view = augment(cloud, {.view_probability = 1.0}, random);
  EXPECT_GT(view.rows(), 1000);  // a third of a sphere is seen from three radii
  EXPECT_LT(view.rows(), 2200);
  EXPECT_GT(view.colwise().mean().norm(), 0.4F);
}

}  // namespace
}  // namespace pointpng
