#include "pose/prepared_cloud.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "base/random.h"
#include "base/rows.h"
#include "base/stopwatch.h"
#include "cloud/normalise.h"
#include "cloud/sampling.h"
#include "pointpng/error.h"
#include "pose/parameters.h"

namespace pointpng {
namespace {

constexpr std::uint64_t kSamplingKey = 0x5ca1;  // the same points are drawn at every call

using FewNeighbours = decltype(PreparedCloudData::neighbours);

Eigen::Index count_finite(const Cloud& cloud) {
  Eigen::Index count = 0;
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) count += cloud.row(i).allFinite() ? 1 : 0;
  return count;
}

/// Of the finite points, of which there are so many, `most` at random; the cloud is not copied.
Cloud drawn_points(const Cloud& cloud, Eigen::Index finite, Eigen::Index most) {
  Random random({static_cast<std::uint64_t>(finite), kSamplingKey});
  Cloud drawn(std::min(finite, most), 3);
  Eigen::Index taken = 0;
  // Selection sampling: each point is taken with (still needed) / (still to come).
  for (Eigen::Index i = 0; taken < drawn.rows(); ++i)
    if (cloud.row(i).allFinite() && random.below(finite--) < drawn.rows() - taken)
      drawn.row(taken++) = cloud.row(i);
  return drawn;
}

/// The nearest neighbours of every point, without itself: [N, k].
Neighbours neighbours_of(const Cloud& cloud, std::int64_t count) {
  const std::int64_t k = std::min<std::int64_t>(count + 1, cloud.rows());
  return nearest_neighbours(cloud, cloud, k).rightCols(k - 1);
}

/// The neighbours of the `kept` rows among themselves, where `usable` holds them: most are as
/// before.
Neighbours neighbours_left(const Cloud& usable, const std::vector<std::int64_t>& kept,
                           const Neighbours& before) {
  const auto rows = static_cast<std::int64_t>(kept.size()), k = before.cols();
  if (rows <= k) return neighbours_of(usable, k);
  std::vector<std::int64_t> new_row(static_cast<std::size_t>(before.rows()), -1);
  for (std::int64_t i = 0; i < rows; ++i) new_row[static_cast<std::size_t>(kept[i])] = i;
  Neighbours left(rows, k);
  std::vector<std::int64_t> incomplete;  // have lost a neighbour
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t n = 0; n < k; ++n)
      left(i, n) = new_row[static_cast<std::size_t>(before(kept[i], n))];
    if (left.row(i).minCoeff() < 0) incomplete.push_back(i);
  }
  if (incomplete.empty()) return left;
  const Neighbours found = nearest_neighbours(usable, rows_at(usable, incomplete), k + 1);
  for (std::size_t i = 0; i < incomplete.size(); ++i)
    left.row(incomplete[i]) = found.row(static_cast<Eigen::Index>(i)).rightCols(k);
  return left;
}

/// Distance of every point to its neighbour of rank `spacing_rank`.
std::vector<float> spacings(const Cloud& cloud, const Neighbours& neighbours) {
  const std::int64_t rank =
      std::min<std::int64_t>(kPreparation.spacing_rank, neighbours.cols()) - 1;
  std::vector<float> distances(static_cast<std::size_t>(cloud.rows()));
  for (Eigen::Index i = 0; i < cloud.rows(); ++i)
    distances[static_cast<std::size_t>(i)] = (cloud.row(neighbours(i, rank)) - cloud.row(i)).norm();
  return distances;
}

float quantile(std::vector<float> values, double share) {
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// Rows of the points that are not outliers, far from any other.
std::vector<std::int64_t> inlier_rows(const Cloud& cloud, const Neighbours& neighbours) {
  const std::vector<float> distances = spacings(cloud, neighbours);
  const float limit = kPreparation.outlier_distance * quantile(distances, 0.5);
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (distances[i] <= limit) kept.push_back(static_cast<std::int64_t>(i));
  return kept;
}

/// Farthest point sampling: the density of what is left does not depend on the sensor's.
Cloud downsampled(const Cloud& cloud, std::int64_t count) {
  return rows_at(cloud, farthest_point_sample(cloud, count, farthest_from_centroid(cloud)));
}

/// Normals of the planes through each point's neighbours.
Cloud fitted_normals(const Cloud& cloud, const Neighbours& neighbours) {
  Cloud normals(cloud.rows(), 3);
  for (Eigen::Index i = 0; i < cloud.rows(); ++i) {
    Eigen::Vector3f mean = cloud.row(i).transpose();
    for (std::int64_t k = 0; k < neighbours.cols(); ++k)
      mean += cloud.row(neighbours(i, k)).transpose();
    mean /= static_cast<float>(neighbours.cols() + 1);
    Eigen::Matrix3f scatter = Eigen::Matrix3f::Zero();
    const auto add = [&](Eigen::Index row) {
      const Eigen::Vector3f offset = cloud.row(row).transpose() - mean;
      scatter += offset * offset.transpose();
    };
    add(i);
    for (std::int64_t k = 0; k < neighbours.cols(); ++k) add(neighbours(i, k));
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
    solver.computeDirect(scatter);
    normals.row(i) = solver.eigenvectors().col(0).transpose();
  }
  return normals;
}

/// The nearest of the neighbours, as rows.
FewNeighbours nearest_few(const Neighbours& neighbours) {
  constexpr std::int64_t kFew = 6;
  FewNeighbours few(neighbours.rows(), std::min<std::int64_t>(kFew, neighbours.cols()));
  for (Eigen::Index i = 0; i < few.rows(); ++i)
    for (Eigen::Index k = 0; k < few.cols(); ++k)
      few(i, k) = static_cast<std::int32_t>(neighbours(i, k));
  return few;
}

Cloud relative_to(const Eigen::Vector3d& centre, const Cloud& cloud) {
  return (cloud.cast<double>().rowwise() - centre.transpose()).cast<float>();
}

void take_options(const CloudOptions& options, PreparedCloudData& prepared) {
  if (options.viewpoint && !options.viewpoint->allFinite())
    throw InputError(fmt::format("{}: the viewpoint is not finite", prepared.name));
  if (options.up && !(options.up->allFinite() && options.up->norm() > 0.0))
    throw InputError(
        fmt::format("{}: the up direction must be a vector other than 0, as 0 0 1", prepared.name));
  prepared.viewpoint = options.viewpoint;
  if (options.up) prepared.up = options.up->normalized();
}

}  // namespace

const Eigen::VectorXf& PreparedCloudData::embedding() const {
  std::call_once(embedded_, [this] { embedding_ = embedder->embed(points, name); });
  return embedding_;
}

int nearest_row(const PreparedCloudData& cloud, const Eigen::Vector3f& place) {
  int nearest = -1;
  float least = std::numeric_limits<float>::infinity();
  const auto consider = [&](int row) {
    const float square = (cloud.points.row(row).transpose() - place).squaredNorm();
    if (square >= least) return;
    nearest = row;
    least = square;
  };
  const float aside = 0.5F * cloud.spacing;
  for (const float x : {-aside, aside})
    for (const float y : {-aside, aside})
      for (const float z : {-aside, aside})
        if (const int row = cloud.field.nearest(place + Eigen::Vector3f(x, y, z)); row >= 0)
          consider(row);
  if (nearest < 0) return nearest;
  for (const int row : cloud.neighbours.row(nearest)) consider(row);
  return nearest;
}

std::shared_ptr<PreparedCloudData> prepare_cloud(const Cloud& cloud, std::int64_t num_points,
                                                 std::string_view name,
                                                 const CloudOptions& options) {
  Stopwatch watch;
  auto result = std::make_shared<PreparedCloudData>();
  PreparedCloudData& prepared = *result;
  prepared.name = name;
  take_options(options, prepared);
  const Eigen::Index finite = count_finite(cloud);
  if (finite < cloud.rows())
    prepared.notes.push_back(
        fmt::format("{}: {} points are not finite, ignored", name, cloud.rows() - finite));
  Cloud usable = drawn_points(cloud, finite, std::max(num_points, kPreparation.cleaned_points));
  require_usable(usable, name, kPreparation.min_points);
  prepared.centre = usable.cast<double>().colwise().mean().transpose();
  usable = relative_to(prepared.centre, usable);
  Neighbours neighbours = neighbours_of(usable, kPreparation.neighbours);
  const std::vector<std::int64_t> kept = inlier_rows(usable, neighbours);
  const auto left = static_cast<std::int64_t>(kept.size());
  const bool cleaned = left >= kPreparation.min_points && left < usable.rows();
  if (cleaned) usable = rows_at(usable, kept);
  const bool thinned = usable.rows() > num_points;
  if (thinned) {
    usable = downsampled(usable, num_points);
    prepared.notes.push_back(
        fmt::format("{}: downsampled from {} to {} points", name, cloud.rows(), num_points));
  }
  const Eigen::RowVector3f shift = usable.colwise().mean();
  prepared.centre += shift.transpose().cast<double>();
  prepared.points = usable.rowwise() - shift;
  if (thinned)
    neighbours = neighbours_of(prepared.points, kPreparation.neighbours);
  else if (cleaned)
    neighbours = neighbours_left(prepared.points, kept, neighbours);
  prepared.spacing = quantile(spacings(prepared.points, neighbours), 0.5);
  const Eigen::VectorXf distances = prepared.points.rowwise().norm();
  prepared.radius =
      quantile({distances.begin(), distances.end()}, double{kPreparation.radius_quantile});
  prepared.normals = fitted_normals(prepared.points, neighbours);
  prepared.neighbours = nearest_few(neighbours);
  prepared.field =
      NearestField(prepared.points, prepared.spacing, kPreparation.field_reach * prepared.radius);
  prepared.detail =
      relative_to(prepared.centre, drawn_points(cloud, finite, kPreparation.detail_points));
  if (prepared.viewpoint)
    prepared.range_image = std::make_shared<RangeImage>(prepared.detail.rowwise() -
                                                        prepared.centred_viewpoint().transpose());
  prepared.prepare_ms = watch.lap_ms();
  return result;
}

// The public handle
// -------------------------------------------------------------------------------------------

const std::string& PreparedCloud::name() const { return data_->name; }
Eigen::Vector3d PreparedCloud::centroid() const { return data_->centre; }
double PreparedCloud::radius() const { return data_->radius; }
double PreparedCloud::scale() const { return data_->points.rowwise().norm().maxCoeff(); }
const Eigen::VectorXf& PreparedCloud::embedding() const { return data_->embedding(); }

}  // namespace pointpng
