#include "pointpng/alignment.h"

#include <gtest/gtest.h>

#include "pose/test_objects.h"

namespace pointpng {
namespace {

/// exp(w) about the origin of the target, applied after a pose, and a shift of the source's origin.
Eigen::Isometry3d perturbed(const Eigen::Isometry3d& pose, const Eigen::Matrix<double, 6, 1>& by) {
  Eigen::Isometry3d result = pose;
  const double angle = by.tail<3>().norm();
  result.linear() =
      Eigen::AngleAxisd(angle, by.tail<3>() / angle).toRotationMatrix() * pose.linear();
  result.translation() += by.head<3>();
  return result;
}

/// What a perturbation of `from` is when seen in another frame.
Eigen::Matrix<double, 6, 1> difference(const Eigen::Isometry3d& from, const Eigen::Isometry3d& to) {
  Eigen::Matrix<double, 6, 1> by;
  const Eigen::AngleAxisd turn(to.linear() * from.linear().transpose());
  by << to.translation() - from.translation(), turn.angle() * turn.axis();
  return by;
}

class AlignmentTest : public ::testing::Test {
 protected:
  AlignmentTest() {
    Random random({4});
    alignment_.target_from_source = random_motion(random, 2.0);
    alignment_.hypotheses = {{alignment_.target_from_source}, {random_motion(random)}};
    alignment_.hypotheses.front().source_overlap = 0.9;
    alignment_.hypotheses.front().target_overlap = 0.4;
    alignment_.evidence.source_overlap = 0.9;
    alignment_.evidence.target_overlap = 0.4;
    PoseCovariance root;
    for (Eigen::Index i = 0; i < root.size(); ++i) root.data()[i] = random.normal();
    alignment_.covariance = root * root.transpose();
    frame_ = random_motion(random, 2.0);
  }

  /// The covariance must transform like small perturbations of the pose.
  template <typename Change>
  void expect_carried(Change change, const Alignment& changed) {
    constexpr double kStep = 1e-6;
    PoseCovariance jacobian;
    for (int column = 0; column < 6; ++column) {
      const Eigen::Matrix<double, 6, 1> by = kStep * Eigen::Matrix<double, 6, 1>::Unit(column) +
                                             1e-12 * Eigen::Matrix<double, 6, 1>::Ones();
      jacobian.col(column) = difference(change(alignment_.target_from_source),
                                        change(perturbed(alignment_.target_from_source, by))) /
                             kStep;
    }
    const PoseCovariance expected = jacobian * alignment_.covariance * jacobian.transpose();
    EXPECT_TRUE(changed.covariance.isApprox(expected, 1e-3));
    for (std::size_t k = 0; k < alignment_.hypotheses.size(); ++k)
      EXPECT_TRUE(changed.hypotheses[k].target_from_source.isApprox(
          change(alignment_.hypotheses[k].target_from_source), 1e-9));
    EXPECT_TRUE(
        changed.target_from_source.isApprox(changed.hypotheses.front().target_from_source, 1e-9));
  }

  Alignment alignment_;
  Eigen::Isometry3d frame_;
};

TEST_F(AlignmentTest, TheInverseCarriesCovarianceHypothesesAndOverlaps) {
  const Alignment back = alignment_.inverse();
  expect_carried([](const Eigen::Isometry3d& pose) { return pose.inverse(); }, back);
  EXPECT_EQ(back.evidence.source_overlap, 0.4);
  EXPECT_EQ(back.hypotheses.front().target_overlap, 0.9);
  EXPECT_TRUE(back.inverse().covariance.isApprox(alignment_.covariance, 1e-9));
}

TEST_F(AlignmentTest, AnotherTargetFrameCarriesEverything) {
  expect_carried([&](const Eigen::Isometry3d& pose) { return frame_ * pose; },
                 alignment_.in_frame(frame_));
}

TEST_F(AlignmentTest, AnotherChildFrameCarriesEverything) {
  expect_carried([&](const Eigen::Isometry3d& pose) { return pose * frame_; },
                 alignment_.for_child(frame_));
}

}  // namespace
}  // namespace pointpng
