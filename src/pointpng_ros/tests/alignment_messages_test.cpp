#include "alignment_messages.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "base/random.h"

namespace pointpng_ros {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using pointpng::Alignment;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Isometry3d any_motion(pointpng::Random& random) {
  const Eigen::Vector4f q = random.quaternion();
  Isometry3d motion = Isometry3d::Identity();
  motion.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  motion.translation() << random.normal(), random.normal(), random.normal();
  return motion;
}

/// What the covariance speaks of: a shift of the origin and a small turn about the target's axes.
Isometry3d disturbed(const Isometry3d& motion, const Vector6& by) {
  Isometry3d result = motion;
  const Vector3d turn = by.tail<3>();
  result.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()) * motion.linear();
  result.translation() += by.head<3>();
  return result;
}

Vector6 difference(const Isometry3d& from, const Isometry3d& to) {
  const Eigen::AngleAxisd turn(to.linear() * from.linear().transpose());
  Vector6 result;
  result << to.translation() - from.translation(), turn.angle() * turn.axis();
  return result;
}

/// The covariance that samples of the changed motion have.
template <class Change>
pointpng::PoseCovariance sampled(const Alignment& alignment, const Change& change) {
  pointpng::Random random({5});
  const pointpng::PoseCovariance root = alignment.covariance.llt().matrixL();
  const Isometry3d centre = change(alignment.target_from_source);
  pointpng::PoseCovariance sum = pointpng::PoseCovariance::Zero();
  constexpr int kSamples = 20000;
  for (int i = 0; i < kSamples; ++i) {
    Vector6 normal;
    for (double& value : normal) value = random.normal();
    const Vector6 off =
        difference(centre, change(disturbed(alignment.target_from_source, root * normal)));
    sum += off * off.transpose();
  }
  return sum / kSamples;
}

Alignment any_alignment(std::uint64_t seed) {
  pointpng::Random random({seed});
  Alignment alignment;
  alignment.target_from_source = any_motion(random);
  Eigen::Matrix<double, 6, 6> root;
  for (int i = 0; i < 36; ++i) root(i / 6, i % 6) = 1e-3 * random.normal();
  alignment.covariance = root * root.transpose();
  return alignment;
}

void expect_near(const pointpng::PoseCovariance& a, const pointpng::PoseCovariance& b) {
  EXPECT_LT((a - b).norm(), 0.05 * b.norm()) << a << "\n\n" << b;
}

TEST(Inverted, MovesBackWithTheCovarianceOfTheWayBack) {
  const Alignment alignment = any_alignment(1), back = inverted(alignment);
  EXPECT_TRUE((back.target_from_source * alignment.target_from_source)
                  .isApprox(Isometry3d::Identity(), 1e-9));
  expect_near(back.covariance, sampled(alignment, [](const Isometry3d& m) { return m.inverse(); }));
}

TEST(Inverted, TwiceIsTheSame) {
  const Alignment alignment = any_alignment(2);
  EXPECT_TRUE(inverted(inverted(alignment)).covariance.isApprox(alignment.covariance, 1e-9));
}

TEST(Moved, TurnsTheCovarianceWithTheFrame) {
  pointpng::Random random({9});
  const Isometry3d frame = any_motion(random);
  const Alignment alignment = any_alignment(3);
  expect_near(moved(frame, alignment).covariance,
              sampled(alignment, [&](const Isometry3d& m) { return frame * m; }));
}

TEST(Reattached, AddsTheLeverToTheCovariance) {
  pointpng::Random random({10});
  const Isometry3d other = any_motion(random);
  const Alignment alignment = any_alignment(4);
  expect_near(reattached(alignment, other).covariance,
              sampled(alignment, [&](const Isometry3d& m) { return m * other; }));
}

TEST(Markers, ARejectedAnswerHasNoAxes) {
  Answer answer;
  answer.alignment.reason = "it does not fit";
  const auto message = to_markers(answer, 1.0);
  EXPECT_EQ(message.markers.at(0).action, visualization_msgs::msg::Marker::DELETE);
  EXPECT_NE(message.markers.at(1).text.find("it does not fit"), std::string::npos);
}

}  // namespace
}  // namespace pointpng_ros
