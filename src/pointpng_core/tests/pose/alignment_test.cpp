#include "pointpng/alignment.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace pointpng {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Isometry3d random_transform(Random& random) {
  const Eigen::Vector4f q = random.quaternion();
  Isometry3d transform = Isometry3d::Identity();
  transform.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  transform.translation() << random.normal(), random.normal(), random.normal();
  return transform;
}

/// As the covariance defines an error: a shift of the origin and a small rotation about the
/// target's axes.
Isometry3d disturbed(const Isometry3d& transform, const Vector6& error) {
  Isometry3d result = transform;
  const Vector3d turn = error.tail<3>();
  result.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()) * transform.linear();
  result.translation() += error.head<3>();
  return result;
}

Vector6 error_of(const Isometry3d& truth, const Isometry3d& found) {
  const Eigen::AngleAxisd turn(found.linear() * truth.linear().transpose());
  Vector6 result;
  result << found.translation() - truth.translation(), turn.angle() * turn.axis();
  return result;
}

/// The sample covariance of `change(transform)` where the transform has the alignment's covariance.
template <class Change>
PoseCovariance sampled(const Alignment& alignment, const Change& change) {
  Random random({5});
  const PoseCovariance root = alignment.covariance.llt().matrixL();
  const Isometry3d centre = change(alignment.target_from_source);
  PoseCovariance sum = PoseCovariance::Zero();
  constexpr int kSamples = 20000;
  for (int i = 0; i < kSamples; ++i) {
    Vector6 normal;
    for (double& value : normal) value = random.normal();
    const Vector6 error =
        error_of(centre, change(disturbed(alignment.target_from_source, root * normal)));
    sum += error * error.transpose();
  }
  return sum / kSamples;
}

Alignment random_alignment(std::uint64_t seed) {
  Random random({seed});
  Alignment alignment;
  alignment.target_from_source = random_transform(random);
  PoseCovariance root;
  for (int i = 0; i < 36; ++i) root(i / 6, i % 6) = 1e-3 * random.normal();
  alignment.covariance = root * root.transpose();
  alignment.hypotheses.resize(2);
  alignment.hypotheses[0].target_from_source = alignment.target_from_source;
  alignment.hypotheses[1].target_from_source = random_transform(random);
  alignment.hypotheses[0].source_overlap = 0.9;
  alignment.hypotheses[0].target_overlap = 0.4;
  return alignment;
}

/// Transform, hypotheses and covariance all follow the change.
template <class Change>
void expect_changed(const Alignment& before, const Alignment& after, const Change& change) {
  EXPECT_TRUE(after.target_from_source.isApprox(change(before.target_from_source), 1e-9));
  ASSERT_EQ(after.hypotheses.size(), before.hypotheses.size());
  for (std::size_t i = 0; i < after.hypotheses.size(); ++i)
    EXPECT_TRUE(after.hypotheses[i].target_from_source.isApprox(
        change(before.hypotheses[i].target_from_source), 1e-9));
  const PoseCovariance expected = sampled(before, change);
  EXPECT_LT((after.covariance - expected).norm(), 0.05 * expected.norm());
}

TEST(Alignment, InverseExchangesSourceAndTarget) {
  const Alignment alignment = random_alignment(1), back = alignment.inverse();
  expect_changed(alignment, back, [](const Isometry3d& t) { return t.inverse(); });
  EXPECT_EQ(back.hypotheses[0].source_overlap, 0.4);
  EXPECT_EQ(back.hypotheses[0].target_overlap, 0.9);
}

TEST(Alignment, InverseTwiceIsTheSame) {
  const Alignment alignment = random_alignment(2);
  EXPECT_TRUE(alignment.inverse().inverse().covariance.isApprox(alignment.covariance, 1e-9));
}

TEST(Alignment, InFrameRotatesTheCovariance) {
  Random random({9});
  const Isometry3d frame = random_transform(random);
  const Alignment alignment = random_alignment(3);
  expect_changed(alignment, alignment.in_frame(frame),
                 [&](const Isometry3d& t) { return frame * t; });
}

TEST(Alignment, ForChildAddsTheLeverArm) {
  Random random({10});
  const Isometry3d child = random_transform(random);
  const Alignment alignment = random_alignment(4);
  expect_changed(alignment, alignment.for_child(child),
                 [&](const Isometry3d& t) { return t * child; });
}

}  // namespace
}  // namespace pointpng
