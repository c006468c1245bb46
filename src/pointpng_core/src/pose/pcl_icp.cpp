#include "pose/pcl_icp.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include <pcl/point_types.h>
#include <pcl/registration/gicp.h>
#include <pcl/registration/icp.h>

#include "pose/parameters.h"

namespace pointpng {
namespace {

void set_normal(pcl::PointXYZ&, const PreparedCloudData&, Eigen::Index) {}
void set_normal(pcl::PointNormal& point, const PreparedCloudData& cloud, Eigen::Index row) {
  point.getNormalVector3fMap() = cloud.normals.row(row).transpose();
}

template <typename Point>
pcl::PointCloud<Point>::Ptr to_pcl(const PreparedCloudData& cloud, std::int64_t most) {
  auto converted = std::make_shared<pcl::PointCloud<Point>>();
  for (Eigen::Index i = 0; i < cloud.points.rows(); i += stride(cloud, most)) {
    Point point;
    point.getVector3fMap() = cloud.points.row(i).transpose();
    set_normal(point, cloud, i);
    converted->push_back(point);
  }
  return converted;
}

/// Correspondences by the target's nearest-point field instead of a tree, which would have to be
/// built first; trimmed to the nearest `overlap` share of them (trimmed ICP, Chetverikov 2002).
template <typename Point>
class FieldCorrespondence : public pcl::registration::CorrespondenceEstimationBase<Point, Point> {
  using Base = pcl::registration::CorrespondenceEstimationBase<Point, Point>;

 public:
  explicit FieldCorrespondence(const PreparedCloudData& target) : cloud_(target) {
    this->corr_name_ = "FieldCorrespondence";
  }

  void determineCorrespondences(pcl::Correspondences& found, double longest) override {
    found.clear();
    const auto limit = static_cast<float>(longest * longest);
    for (std::size_t i = 0; i < this->input_->size(); ++i) {
      const Eigen::Vector3f place = (*this->input_)[i].getVector3fMap();
      const int row = nearest_row(cloud_, place);
      if (row < 0) continue;
      const float square = (cloud_.points.row(row).transpose() - place).squaredNorm();
      if (square <= limit) found.emplace_back(static_cast<int>(i), row, square);
    }
    const auto kept = static_cast<std::ptrdiff_t>(overlap_ * static_cast<float>(found.size()));
    if (kept == std::ssize(found)) return;
    std::nth_element(found.begin(), found.begin() + kept, found.end(),
                     [](const auto& a, const auto& b) { return a.distance < b.distance; });
    found.resize(static_cast<std::size_t>(kept));
  }

  void set_overlap(float overlap) { overlap_ = overlap; }

  void determineReciprocalCorrespondences(pcl::Correspondences&, double) override {
    throw std::logic_error("reciprocal correspondences would need a field of the moving source");
  }

  Base::Ptr clone() const override { return std::make_shared<FieldCorrespondence>(*this); }

 private:
  const PreparedCloudData& cloud_;
  float overlap_ = 1.0F;
};

}  // namespace

class PclIcp::Method {
 public:
  virtual ~Method() = default;
  virtual RigidTransform refine(const RigidTransform& pose, float source_overlap) = 0;
};

template <typename Icp, typename Point>
class PclIcp::MethodOf : public PclIcp::Method {
 public:
  explicit MethodOf(const RegistrationProblem& problem) {
    const PreparedCloudData& target = problem.target;
    icp_.setInputSource(to_pcl<Point>(problem.source, kPclIcp.source_points));
    icp_.setInputTarget(to_pcl<Point>(target, target.points.rows()));
    icp_.setMaxCorrespondenceDistance(kPclIcp.match_limit * problem.spacing);
    icp_.setMaximumIterations(kPclIcp.iterations);
    icp_.setTransformationEpsilon(1e-8);
    if constexpr (!kIsGeneralised) {
      field_ = std::make_shared<FieldCorrespondence<Point>>(target);
      icp_.setCorrespondenceEstimation(field_);
      constexpr bool kNeverBuild = true;
      icp_.setSearchMethodTarget(std::make_shared<pcl::search::KdTree<Point>>(), kNeverBuild);
    }
  }

  RigidTransform refine(const RigidTransform& pose, float source_overlap) override {
    if (field_) field_->set_overlap(std::clamp(source_overlap, kPclIcp.least_overlap, 1.0F));
    Eigen::Matrix4f guess = Eigen::Matrix4f::Identity();
    guess.topLeftCorner<3, 3>() = pose.rotation;
    guess.topRightCorner<3, 1>() = pose.translation;
    pcl::PointCloud<Point> moved;
    icp_.align(moved, guess);
    const Eigen::Matrix4f found = icp_.getFinalTransformation();
    if (!icp_.hasConverged() || !found.allFinite()) return pose;
    const Eigen::Matrix3f rotation = found.topLeftCorner<3, 3>();
    return {Eigen::Quaternionf(rotation).normalized().toRotationMatrix(),
            found.topRightCorner<3, 1>()};
  }

 private:
  /// GICP finds neighbours by its own tree and does not trim.
  static constexpr bool kIsGeneralised =
      std::is_base_of_v<pcl::GeneralizedIterativeClosestPoint<Point, Point>, Icp>;

  Icp icp_;
  std::shared_ptr<FieldCorrespondence<Point>> field_;
};

PclIcp::PclIcp(Refinement refinement, const RegistrationProblem& problem) {
  using pcl::PointNormal;
  using pcl::PointXYZ;
  switch (refinement) {
    case Refinement::kNone:
      break;
    case Refinement::kPointToPoint:
      method_ =
          std::make_unique<MethodOf<pcl::IterativeClosestPoint<PointXYZ, PointXYZ>, PointXYZ>>(
              problem);
      break;
    case Refinement::kPointToPlane:
      method_ = std::make_unique<
          MethodOf<pcl::IterativeClosestPointWithNormals<PointNormal, PointNormal>, PointNormal>>(
          problem);
      break;
    case Refinement::kGicp:
      method_ = std::make_unique<
          MethodOf<pcl::GeneralizedIterativeClosestPoint<PointXYZ, PointXYZ>, PointXYZ>>(problem);
      break;
  }
}

PclIcp::~PclIcp() = default;

RigidTransform PclIcp::operator()(const RigidTransform& pose, float source_overlap) const {
  if (!method_ || !pose.is_finite()) return pose;  // PCL aborts on what is not finite
  return method_->refine(pose, source_overlap);
}

}  // namespace pointpng
