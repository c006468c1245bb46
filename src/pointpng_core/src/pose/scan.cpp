#include "pose/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <torch/types.h>

#include "base/random.h"
#include "base/rows.h"
#include "cloud/normalise.h"
#include "model/batch.h"
#include "model/sampling.h"

namespace pointpng {
namespace {

constexpr std::int64_t kSmallest = 8;     // points: below it nothing can be told about a surface
constexpr std::uint64_t kDraw = 0x5ca1;   // the same points are drawn at every call
constexpr std::int64_t kLookedAt = 2048;  // points of a large cloud that are cleaned
constexpr std::int64_t kNeighbours = 12;  // of a point, for its normal and its spacing
constexpr std::int64_t kSpacingRank = 4;  // the neighbour whose distance counts as spacing
constexpr float kStray = 3.0F;            // a point this many spacings from its neighbours is one
constexpr float kReachOfField = 0.4F;     // of the radius

Eigen::Index count_finite(const Cloud& cloud) {
  Eigen::Index count = 0;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) count += cloud.row(i).allFinite() ? 1 : 0;
  return count;
}

/// Of the finite points, of which there are so many, `most` at random; the cloud is not copied.
Cloud drawn_points(const Cloud& cloud, Eigen::Index finite, Eigen::Index most) {
  Random random({static_cast<std::uint64_t>(finite), kDraw});
  Cloud drawn(std::min(finite, most), 3);
  Eigen::Index taken = 0;
  // Selection sampling: each point is taken with (still needed) / (still to come).
  for (Eigen::Index i = 0; taken < drawn.rows(); ++i)
    if (cloud.row(i).allFinite() && random.below(finite--) < drawn.rows() - taken)
      drawn.row(taken++) = cloud.row(i);
  return drawn;
}

/// The nearest neighbours of every point, without itself: [N, k].
torch::Tensor neighbours_of(const Cloud& cloud, std::int64_t count) {
  const torch::Tensor points = as_batch(cloud);
  const std::int64_t k = std::min<std::int64_t>(count + 1, cloud.rows());
  return sampler_for(torch::kCPU).nearest(points, points, k).squeeze(0).narrow(1, 1, k - 1);
}

/// The neighbours of the `kept` rows among themselves, where `usable` holds them: most are as
/// before.
torch::Tensor neighbours_left(const Cloud& usable, const std::vector<std::int64_t>& kept,
                              const torch::Tensor& before) {
  const auto old_index = before.accessor<std::int64_t, 2>();
  const auto rows = static_cast<std::int64_t>(kept.size()), k = before.size(1);
  if (rows <= k) return neighbours_of(usable, k);
  std::vector<std::int64_t> new_row(static_cast<std::size_t>(before.size(0)), -1);
  for (std::int64_t i = 0; i < rows; ++i) new_row[kept[i]] = i;
  torch::Tensor left = torch::empty({rows, k}, torch::kLong);
  auto index = left.accessor<std::int64_t, 2>();
  std::vector<std::int64_t> bereft;  // have lost a neighbour
  for (std::int64_t i = 0; i < rows; ++i) {
    bool complete = true;
    for (std::int64_t n = 0; n < k; ++n) {
      index[i][n] = new_row[old_index[kept[i]][n]];
      complete = complete && index[i][n] >= 0;
    }
    if (!complete) bereft.push_back(i);
  }
  if (bereft.empty()) return left;
  const torch::Tensor found =
      sampler_for(torch::kCPU)
          .nearest(as_batch(usable), as_batch(rows_at(usable, bereft)), k + 1)
          .squeeze(0);
  left.index_copy_(0, torch::tensor(bereft), found.narrow(1, 1, k));
  return left;
}

/// Distance of every point to its neighbour of rank `kSpacingRank`.
std::vector<float> spacings(const Cloud& cloud, const torch::Tensor& neighbours) {
  const auto index = neighbours.accessor<std::int64_t, 2>();
  const std::int64_t rank = std::min(kSpacingRank, neighbours.size(1)) - 1;
  std::vector<float> distances(static_cast<std::size_t>(cloud.rows()));
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    distances[static_cast<std::size_t>(i)] = (cloud.row(index[i][rank]) - cloud.row(i)).norm();
  return distances;
}

float quantile(std::vector<float> values, double share) {
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// Rows of the points that do not hang in the air, far from any other.
std::vector<std::int64_t> without_strays(const Cloud& cloud, const torch::Tensor& neighbours) {
  const std::vector<float> distances = spacings(cloud, neighbours);
  const float limit = kStray * quantile(distances, 0.5);
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (distances[i] <= limit) kept.push_back(static_cast<std::int64_t>(i));
  return kept;
}

/// Farthest point sampling: the density of what is left does not depend on the sensor's.
Cloud spread(const Cloud& cloud, std::int64_t count) {
  const torch::Tensor points = as_batch(cloud);
  const torch::Tensor rows = sampler_for(torch::kCPU)
                                 .farthest_points(points, count, farthest_from_centroid(points))
                                 .squeeze(0)
                                 .contiguous();
  return rows_at(cloud, {rows.data_ptr<std::int64_t>(), static_cast<std::size_t>(count)});
}

/// Normals of the planes through each point's neighbours.
Cloud fitted_normals(const Cloud& cloud, const torch::Tensor& neighbours) {
  const auto index = neighbours.accessor<std::int64_t, 2>();
  Cloud normals(cloud.rows(), 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    Eigen::Vector3f mean = cloud.row(i).transpose();
    for (std::int64_t k = 0; k < neighbours.size(1); ++k)
      mean += cloud.row(index[i][k]).transpose();
    mean /= static_cast<float>(neighbours.size(1) + 1);
    Eigen::Matrix3f scatter = Eigen::Matrix3f::Zero();
    const auto add = [&](Eigen::Index row) {
      const Eigen::Vector3f offset = cloud.row(row).transpose() - mean;
      scatter += offset * offset.transpose();
    };
    add(i);
    for (std::int64_t k = 0; k < neighbours.size(1); ++k) add(index[i][k]);
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
    solver.computeDirect(scatter);
    normals.row(i) = solver.eigenvectors().col(0).transpose();
  }
  return normals;
}

/// The nearest of the neighbours, as rows.
decltype(Scan::neighbours) nearest_few(const torch::Tensor& neighbours) {
  constexpr std::int64_t kFew = 6;
  const auto index = neighbours.accessor<std::int64_t, 2>();
  decltype(Scan::neighbours) few(neighbours.size(0), std::min(kFew, neighbours.size(1)));
  for (Eigen::Index i = 0; i < few.rows(); ++i)
    for (Eigen::Index k = 0; k < few.cols(); ++k)
      few(i, k) = static_cast<std::int32_t>(index[i][k]);
  return few;
}

}  // namespace

int nearest_row(const Scan& scan, const Eigen::Vector3f& place) {
  int nearest = -1;
  float least = std::numeric_limits<float>::infinity();
  const auto consider = [&](int row) {
    const float square = (scan.points.row(row).transpose() - place).squaredNorm();
    if (square >= least) return;
    nearest = row;
    least = square;
  };
  const float aside = 0.5F * scan.spacing;
  for (const float x : {-aside, aside})
    for (const float y : {-aside, aside})
      for (const float z : {-aside, aside})
        if (const int row = scan.field.nearest(place + Eigen::Vector3f(x, y, z)); row >= 0)
          consider(row);
  if (nearest < 0) return nearest;
  for (const int row : scan.neighbours.row(nearest)) consider(row);
  return nearest;
}

Scan clean_scan(const Cloud& cloud, std::int64_t points, std::string_view name) {
  Scan scan;
  scan.name = name;
  const Eigen::Index finite = count_finite(cloud);
  if (finite < cloud.rows())
    scan.notes.push_back(fmt::format("{}: {} points that are not finite were left out", name,
                                     cloud.rows() - finite));
  Cloud usable = drawn_points(cloud, finite, std::max(points, kLookedAt));
  require_usable(usable, name, kSmallest);
  scan.centre = usable.cast<double>().colwise().mean().transpose();
  usable = (usable.cast<double>().rowwise() - scan.centre.transpose()).cast<float>();
  torch::Tensor neighbours = neighbours_of(usable, kNeighbours);
  const std::vector<std::int64_t> kept = without_strays(usable, neighbours);
  const auto left = static_cast<std::int64_t>(kept.size());
  const bool cleaned = left >= kSmallest && left < usable.rows();
  if (cleaned) usable = rows_at(usable, kept);
  const bool thinned = usable.rows() > points;
  if (thinned) {
    usable = spread(usable, points);
    scan.notes.push_back(
        fmt::format("{}: {} of {} points are aligned, evenly spread", name, points, cloud.rows()));
  }
  const Eigen::RowVector3f shift = usable.colwise().mean();
  scan.centre += shift.transpose().cast<double>();
  scan.points = usable.rowwise() - shift;
  if (thinned)
    neighbours = neighbours_of(scan.points, kNeighbours);
  else if (cleaned)
    neighbours = neighbours_left(scan.points, kept, neighbours);
  scan.spacing = quantile(spacings(scan.points, neighbours), 0.5);
  const Eigen::VectorXf distances = scan.points.rowwise().norm();
  scan.radius = quantile({distances.begin(), distances.end()}, 0.95);
  scan.normals = fitted_normals(scan.points, neighbours);
  scan.neighbours = nearest_few(neighbours);
  scan.field = NearestField(scan.points, scan.spacing, kReachOfField * scan.radius);
  return scan;
}

}  // namespace pointpng
