#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include <pcl/features/fpfh_omp.h>
#include <pcl/point_types.h>
#include <pcl/registration/gicp.h>
#include <pcl/registration/ia_ransac.h>
#include <pcl/registration/icp.h>
#include <pcl/registration/sample_consensus_prerejective.h>
#include <pcl/search/kdtree.h>

#include "cloud/normalise.h"
#include "cloud/normals.h"
#include "eval/distances.h"
#include "pointpng/cloud.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

using Point = pcl::PointXYZ;
using Points = pcl::PointCloud<Point>;
using Normals = pcl::PointCloud<pcl::Normal>;
using Features = pcl::PointCloud<pcl::FPFHSignature33>;

/// Larger clouds are downsampled first, as is common: FPFH is quadratic in the density.
constexpr Eigen::Index kMostPoints = 2500;

Cloud manageable(const Cloud& cloud) {
  Cloud smaller = cloud;
  for (float size = 0.02F * measure(cloud).scale; smaller.rows() > kMostPoints; size *= 1.25F)
    smaller = voxel_filter(cloud, size);
  return smaller;
}

Points::Ptr to_pcl(const Cloud& cloud) {
  auto points = std::make_shared<Points>();
  points->reserve(static_cast<std::size_t>(cloud.rows()));
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    points->emplace_back(cloud(i, 0), cloud(i, 1), cloud(i, 2));
  return points;
}

/// A cloud as the other methods take it.
struct Prepared {
  Cloud cloud;
  Points::Ptr points;
  double spacing = 0.0;
  double radius = 0.0;
};

Prepared prepared(const Cloud& cloud) {
  Prepared made;
  made.cloud = manageable(cloud);
  made.points = to_pcl(made.cloud);
  made.spacing = mean_spacing(made.cloud);
  made.radius = measure(made.cloud).scale;
  return made;
}

Features::Ptr features_of(const Prepared& cloud, double radius, int threads) {
  const Cloud found = outward_normals(cloud.cloud);
  auto normals = std::make_shared<Normals>();
  for (Eigen::Index i = 0; i < found.rows(); ++i)
    normals->emplace_back(found(i, 0), found(i, 1), found(i, 2));
  pcl::FPFHEstimationOMP<Point, pcl::Normal, pcl::FPFHSignature33> estimation(
      static_cast<unsigned int>(threads));
  estimation.setInputCloud(cloud.points);
  estimation.setInputNormals(normals);
  estimation.setSearchMethod(std::make_shared<pcl::search::KdTree<Point>>());
  estimation.setRadiusSearch(radius);
  auto features = std::make_shared<Features>();
  estimation.compute(*features);
  return features;
}

Eigen::Matrix4f centroids_together(const Prepared& source, const Prepared& target) {
  Eigen::Matrix4f guess = Eigen::Matrix4f::Identity();
  guess.topRightCorner<3, 1>() =
      (target.cloud.colwise().mean() - source.cloud.colwise().mean()).transpose();
  return guess;
}

Alignment accepted(const Eigen::Matrix4f& found) {
  Alignment alignment;
  alignment.accepted = true;
  const Eigen::Matrix3d rotation = found.topLeftCorner<3, 3>().cast<double>();
  alignment.target_from_source = Eigen::Isometry3d(Eigen::Quaterniond(rotation).normalized());
  alignment.target_from_source.translation() = found.topRightCorner<3, 1>().cast<double>();
  return alignment;
}

/// PCL's ICP, GICP or similar from an initial guess.
template <class Method>
Eigen::Matrix4f refined(Method method, const Prepared& source, const Prepared& target, double reach,
                        const Eigen::Matrix4f& guess) {
  method.setInputSource(source.points);
  method.setInputTarget(target.points);
  method.setMaxCorrespondenceDistance(reach);
  method.setMaximumIterations(50);
  method.setTransformationEpsilon(1e-8);
  Points ignored;
  method.align(ignored, guess);
  return method.getFinalTransformation();
}

/// ICP in two passes with decreasing match distance, for partial overlap.
Eigen::Matrix4f after_icp(const Prepared& source, const Prepared& target, double spacing,
                          const Eigen::Matrix4f& guess) {
  using Icp = pcl::IterativeClosestPoint<Point, Point>;
  const Eigen::Matrix4f coarse = refined(Icp(), source, target, 6.0 * spacing, guess);
  return refined(Icp(), source, target, 3.0 * spacing, coarse);
}

/// What both sample consensus methods need.
struct Matched {
  Prepared source, target;
  Features::Ptr source_features, target_features;
  double spacing;
};

Matched matched(const PosePair& pair, int threads) {
  Matched made{prepared(pair.source), prepared(pair.target), nullptr, nullptr, 0.0};
  made.spacing = std::max(made.source.spacing, made.target.spacing);
  const double radius = 9.0 * made.spacing;  // about a quarter of an object's radius
  made.source_features = features_of(made.source, radius, threads);
  made.target_features = features_of(made.target, radius, threads);
  return made;
}

template <class Method>
Eigen::Matrix4f consensus(Method& method, const Matched& clouds) {
  std::srand(1);  // PCL draws with rand(): makes results repeatable
  method.setInputSource(clouds.source.points);
  method.setInputTarget(clouds.target.points);
  method.setSourceFeatures(clouds.source_features);
  method.setTargetFeatures(clouds.target_features);
  method.setNumberOfSamples(3);
  Points ignored;
  method.align(ignored);
  return method.getFinalTransformation();
}

/// PCL scores each sample on all points of the source: a subset of them, with the features of the
/// whole cloud, is as good and several times faster.
Matched with_fewer_source_points(const Matched& clouds) {
  constexpr std::size_t kKept = 256;
  const std::size_t count = clouds.source.points->size(), kept = std::min(kKept, count);
  Matched fewer = clouds;
  fewer.source.points = std::make_shared<Points>();
  fewer.source_features = std::make_shared<Features>();
  for (std::size_t i = 0; i < kept; ++i) {
    fewer.source.points->push_back((*clouds.source.points)[i * count / kept]);
    fewer.source_features->push_back((*clouds.source_features)[i * count / kept]);
  }
  return fewer;
}

Alignment sac_ia(const PosePair& pair, int threads) {
  const Matched clouds = matched(pair, threads);
  pcl::SampleConsensusInitialAlignment<Point, Point, pcl::FPFHSignature33> method;
  method.setMinSampleDistance(static_cast<float>(0.25 * clouds.source.radius));
  method.setCorrespondenceRandomness(2);
  method.setMaximumIterations(1000);
  // PCL compares it with squared distances.
  method.setMaxCorrespondenceDistance(4.0 * clouds.spacing * clouds.spacing);
  const Eigen::Matrix4f found = consensus(method, with_fewer_source_points(clouds));
  return accepted(after_icp(clouds.source, clouds.target, clouds.spacing, found));
}

Alignment prerejective(const PosePair& pair, int threads) {
  const Matched clouds = matched(pair, threads);
  pcl::SampleConsensusPrerejective<Point, Point, pcl::FPFHSignature33> method;
  method.setCorrespondenceRandomness(2);
  method.setSimilarityThreshold(0.9F);
  method.setInlierFraction(0.1F);
  method.setMaximumIterations(10000);
  method.setMaxCorrespondenceDistance(2.5 * clouds.spacing);
  const Eigen::Matrix4f found = consensus(method, with_fewer_source_points(clouds));
  return accepted(after_icp(clouds.source, clouds.target, clouds.spacing, found));
}

template <class Method>
Alignment from_identity(const PosePair& pair) {
  const Prepared source = prepared(pair.source), target = prepared(pair.target);
  const double reach = 0.5 * std::max(source.radius, target.radius);
  return accepted(refined(Method(), source, target, reach, centroids_together(source, target)));
}

}  // namespace

std::vector<Peer> pcl_peers(int threads) {
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);  // our table shows failures
  return {
      {"PCL SAC-IA + ICP", [=](const PosePair& pair) { return sac_ia(pair, threads); }},
      {"PCL prerejective + ICP", [=](const PosePair& pair) { return prerejective(pair, threads); }},
      {"PCL ICP from identity", from_identity<pcl::IterativeClosestPoint<Point, Point>>},
      {"PCL GICP from identity",
       from_identity<pcl::GeneralizedIterativeClosestPoint<Point, Point>>},
  };
}

}  // namespace pointpng
