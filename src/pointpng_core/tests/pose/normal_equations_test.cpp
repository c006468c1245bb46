#include "pose/normal_equations.h"

#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "base/random.h"

namespace pointpng {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

/// Reference: the same sums, row by row.
struct PlainSums {
  Matrix6 h = Matrix6::Zero();
  Vector6 b = Vector6::Zero();

  void add_row(const Match& match, const Eigen::Vector3d& direction) {
    const Eigen::Vector3d moved = match.moved.cast<double>();
    const Eigen::Vector3d offset = moved - match.partner.cast<double>();
    Vector6 row;
    row << moved.cross(direction), direction;
    h += match.weight * row * row.transpose();
    b -= match.weight * row * direction.dot(offset);
  }
};

std::vector<Match> random_matches(int count) {
  Random random({static_cast<std::uint64_t>(count)});
  std::vector<Match> matches;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3f moved = 2.0F * random.direction();
    const Eigen::Vector3f partner = moved + 0.3F * random.direction();
    matches.push_back({moved, partner, random.direction(), random.uniform()});
  }
  return matches;
}

class MatchSumsTest : public testing::TestWithParam<int> {};

TEST_P(MatchSumsTest, AreThoseOfRowsAddedOneByOne) {
  MatchSums sums;
  PlainSums plane, point;
  double weight = 0.0;
  for (const Match& match : random_matches(GetParam())) {
    sums.add(match);
    plane.add_row(match, match.normal.cast<double>());
    for (int axis = 0; axis < 3; ++axis) point.add_row(match, Eigen::Vector3d::Unit(axis));
    weight += match.weight;
  }
  sums.flush();
  const double tolerance = 1e-4 * (1.0 + weight);
  const NormalEquations to_plane = sums.point_to_plane(), to_point = sums.point_to_point();
  EXPECT_LT((to_plane.h.cast<double>() - plane.h).norm(), tolerance);
  EXPECT_LT((to_plane.b.cast<double>() - plane.b).norm(), tolerance);
  EXPECT_LT((to_point.h.cast<double>() - point.h).norm(), tolerance);
  EXPECT_LT((to_point.b.cast<double>() - point.b).norm(), tolerance);
  EXPECT_NEAR(sums.weight(), weight, tolerance);
}

INSTANTIATE_TEST_SUITE_P(BelowAtAndAboveABlock, MatchSumsTest,
                         testing::Values(0, 1, 7, 8, 63, 64, 65, 1000));

}  // namespace
}  // namespace pointpng
