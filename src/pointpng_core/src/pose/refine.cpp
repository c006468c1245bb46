#include "pose/refine.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include <pcl/point_types.h>
#include <pcl/registration/correspondence_rejection_trimmed.h>
#include <pcl/registration/gicp.h>
#include <pcl/registration/icp.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr int kIterations = 3;               // the placement has settled already
constexpr Eigen::Index kSourcePoints = 512;  // whose partners are looked for
constexpr float kReach = 2.5F;               // longest match, in spacings
constexpr float kSmallestShare = 0.3F;       // of the source that is never trimmed away

void set_normal(pcl::PointXYZ&, const Scan&, Eigen::Index) {}
void set_normal(pcl::PointNormal& point, const Scan& scan, Eigen::Index row) {
  point.getNormalVector3fMap() = scan.normals.row(row).transpose();
}

template <typename Point>
pcl::PointCloud<Point>::Ptr to_pcl(const Scan& scan, Eigen::Index most) {
  auto cloud = std::make_shared<pcl::PointCloud<Point>>();
  const Eigen::Index stride = std::max<Eigen::Index>(1, scan.points.rows() / most);
  for (Eigen::Index i = 0; i < scan.points.rows(); i += stride) {
    Point point;
    point.getVector3fMap() = scan.points.row(i).transpose();
    set_normal(point, scan, i);
    cloud->push_back(point);
  }
  return cloud;
}

/// Nearest points by the target's field instead of a tree, which would have to be built first.
template <typename Point>
class FieldCorrespondence : public pcl::registration::CorrespondenceEstimationBase<Point, Point> {
  using Base = pcl::registration::CorrespondenceEstimationBase<Point, Point>;

 public:
  explicit FieldCorrespondence(const Scan& target) : scan_(target) {
    this->corr_name_ = "FieldCorrespondence";
  }

  void determineCorrespondences(pcl::Correspondences& found, double longest) override {
    found.clear();
    const auto limit = static_cast<float>(longest * longest);
    for (std::size_t i = 0; i < this->input_->size(); ++i) {
      const Eigen::Vector3f place = (*this->input_)[i].getVector3fMap();
      const int row = nearest_row(scan_, place);
      if (row < 0) continue;
      const float square = (scan_.points.row(row).transpose() - place).squaredNorm();
      if (square <= limit) found.emplace_back(static_cast<int>(i), row, square);
    }
  }

  void determineReciprocalCorrespondences(pcl::Correspondences&, double) override {
    throw std::logic_error("reciprocal correspondences would need a field of the moving source");
  }

  Base::Ptr clone() const override { return std::make_shared<FieldCorrespondence>(*this); }

 private:
  const Scan& scan_;
};

}  // namespace

class Refiner::Method {
 public:
  virtual ~Method() = default;
  virtual Placement refine(const Placement& placement, float source_overlap) = 0;
};

template <typename Icp, typename Point>
class Refiner::MethodOf : public Refiner::Method {
 public:
  MethodOf(const Scan& source, const Scan& target) : spacing_(common_spacing(source, target)) {
    icp_.setInputSource(to_pcl<Point>(source, kSourcePoints));
    icp_.setInputTarget(to_pcl<Point>(target, target.points.rows()));
    icp_.setMaxCorrespondenceDistance(kReach * spacing_);
    icp_.setMaximumIterations(kIterations);
    icp_.setTransformationEpsilon(1e-8);
    icp_.addCorrespondenceRejector(trimmer_);
    if constexpr (!kIsGeneralised) {
      icp_.setCorrespondenceEstimation(std::make_shared<FieldCorrespondence<Point>>(target));
      constexpr bool kNeverBuild = true;
      icp_.setSearchMethodTarget(std::make_shared<pcl::search::KdTree<Point>>(), kNeverBuild);
    }
  }

  Placement refine(const Placement& placement, float source_overlap) override {
    trimmer_->setOverlapRatio(std::clamp(source_overlap, kSmallestShare, 1.0F));
    Eigen::Matrix4f guess = Eigen::Matrix4f::Identity();
    guess.topLeftCorner<3, 3>() = placement.rotation;
    guess.topRightCorner<3, 1>() = placement.translation;
    pcl::PointCloud<Point> moved;
    icp_.align(moved, guess);
    const Eigen::Matrix4f found = icp_.getFinalTransformation();
    if (!icp_.hasConverged() || !found.allFinite()) return placement;
    const Eigen::Matrix3f rotation = found.topLeftCorner<3, 3>();
    return {Eigen::Quaternionf(rotation).normalized().toRotationMatrix(),
            found.topRightCorner<3, 1>()};
  }

 private:
  /// GICP looks for neighbours by its own tree.
  static constexpr bool kIsGeneralised =
      std::is_base_of_v<pcl::GeneralizedIterativeClosestPoint<Point, Point>, Icp>;

  float spacing_;
  Icp icp_;
  std::shared_ptr<pcl::registration::CorrespondenceRejectorTrimmed> trimmer_ =
      std::make_shared<pcl::registration::CorrespondenceRejectorTrimmed>();
};

Refiner::Refiner(const std::string& method, const Scan& source, const Scan& target) {
  using pcl::PointNormal;
  using pcl::PointXYZ;
  if (method == "icp")
    method_ = std::make_unique<MethodOf<pcl::IterativeClosestPoint<PointXYZ, PointXYZ>, PointXYZ>>(
        source, target);
  else if (method == "plane")
    method_ = std::make_unique<
        MethodOf<pcl::IterativeClosestPointWithNormals<PointNormal, PointNormal>, PointNormal>>(
        source, target);
  else if (method == "gicp")
    method_ = std::make_unique<
        MethodOf<pcl::GeneralizedIterativeClosestPoint<PointXYZ, PointXYZ>, PointXYZ>>(source,
                                                                                       target);
  else if (method != "none")
    throw InputError("the refinement is one of none, icp, gicp, plane; not '" + method + "'");
}

Refiner::~Refiner() = default;

Placement Refiner::operator()(const Placement& placement, float source_overlap) const {
  if (!method_ || !placement.rotation.allFinite() || !placement.translation.allFinite())
    return placement;  // PCL aborts on what is not finite
  return method_->refine(placement, source_overlap);
}

}  // namespace pointpng
