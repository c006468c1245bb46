#include "pose/prepared_cloud.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/rows.h"
#include "base/stopwatch.h"
#include "cloud/normalise.h"
#include "cloud/normals.h"
#include "cloud/sampling.h"
#include "cloud/voxel_index.h"
#include "pointpng/error.h"
#include "pose/normal_weights.h"
#include "pose/parameters.h"

namespace pointpng {
namespace {

constexpr std::uint64_t kSamplingKey = 0x5ca1;  // the same points are drawn at every call

constexpr std::int64_t kFew = 6;  // neighbours that are kept

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

/// The nearest of the neighbours, as rows.
FewNeighbours nearest_few(const Neighbours& neighbours) {
  FewNeighbours few(neighbours.rows(), std::min<std::int64_t>(kFew, neighbours.cols()));
  for (Eigen::Index i = 0; i < few.rows(); ++i)
    for (Eigen::Index k = 0; k < few.cols(); ++k)
      few(i, k) = static_cast<std::int32_t>(neighbours(i, k));
  return few;
}

/// What the neighbours of a point of a level say about it.
struct Surroundings {
  float spacing = -1.0F;  ///< -1: too few neighbours for a surface
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();
  std::array<std::int32_t, kFew> nearest;
};

using NearRows = std::vector<std::pair<float, std::int32_t>>;  // squared distance and row

Surroundings surroundings_of(const Cloud& points, const VoxelIndex& index, float reach,
                             Eigen::Index self, NearRows& near) {
  Surroundings result;
  const Eigen::Vector3f place = points.row(self).transpose();
  near.clear();
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  Eigen::Matrix3f squares = Eigen::Matrix3f::Zero();
  index.for_each_within(place, reach, [&](Eigen::Index row, float square) {
    if (row == self) return;
    near.emplace_back(square, static_cast<std::int32_t>(row));
    const Eigen::Vector3f offset = points.row(row).transpose() - place;
    sum += offset;
    squares += offset * offset.transpose();
  });
  if (std::ssize(near) < kPreparation.spacing_rank) return result;
  const auto few = std::min<std::ptrdiff_t>(kFew, std::ssize(near));
  std::partial_sort(near.begin(), near.begin() + few, near.end());
  result.spacing = std::sqrt(near[static_cast<std::size_t>(kPreparation.spacing_rank) - 1].first);
  for (std::ptrdiff_t k = 0; k < std::ssize(result.nearest); ++k)
    result.nearest[static_cast<std::size_t>(k)] =
        k < few ? near[static_cast<std::size_t>(k)].second : static_cast<std::int32_t>(self);
  const auto total = static_cast<float>(near.size() + 1);
  const Eigen::Vector3f mean = sum / total;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
  solver.computeDirect(squares / total - mean * mean.transpose());
  result.normal = solver.eigenvectors().col(0);
  if (!result.normal.allFinite()) result.spacing = -1.0F;
  return result;
}

/// Of every point; where the cloud is sparse within twice the reach.
std::vector<Surroundings> all_surroundings(const Cloud& points, float reach) {
  std::vector<Surroundings> all(static_cast<std::size_t>(points.rows()));
  for (const float wider : {1.0F, kPreparation.sparse_reach}) {
    const VoxelIndex index(points, wider * reach);
    constexpr std::int64_t kBlock = 512;
    parallel_for(0, (points.rows() + kBlock - 1) / kBlock, [&](std::int64_t block) {
      NearRows near;
      const std::int64_t end = std::min<std::int64_t>(points.rows(), (block + 1) * kBlock);
      for (std::int64_t i = block * kBlock; i < end; ++i)
        if (Surroundings& one = all[static_cast<std::size_t>(i)]; one.spacing < 0.0F)
          one = surroundings_of(points, index, wider * reach, i, near);
    });
  }
  return all;
}

/// The cloud at another resolution; null where nothing of it is a surface.
std::shared_ptr<const PreparedCloudData> resampled(const PreparedCloudData& cloud, float voxel) {
  const Cloud means = voxel_filter(cloud.detail, voxel);
  const std::vector<Surroundings> around =
      all_surroundings(means, kPreparation.level_reach * voxel);
  std::vector<std::int32_t> new_row(around.size(), -1);
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < around.size(); ++i)
    if (around[i].spacing >= 0.0F) {
      new_row[i] = static_cast<std::int32_t>(kept.size());
      kept.push_back(static_cast<std::int64_t>(i));
    }
  if (kept.empty()) return nullptr;
  auto result = std::make_shared<PreparedCloudData>();
  PreparedCloudData& level = *result;
  level.name = cloud.name;
  level.centre = cloud.centre;
  level.radius = cloud.radius;
  level.embedder = cloud.embedder;
  level.viewpoint = cloud.viewpoint;
  level.up = cloud.up;
  level.range_image = cloud.range_image;
  level.holds_copies = cloud.holds_copies;
  level.points = rows_at(means, kept);
  level.normals.resize(level.points.rows(), 3);
  level.neighbours.resize(level.points.rows(), kFew);
  std::vector<float> spacings;
  for (Eigen::Index i = 0; i < level.points.rows(); ++i) {
    const Surroundings& one = around[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])];
    level.normals.row(i) = one.normal.transpose();
    for (Eigen::Index k = 0; k < kFew; ++k) {
      const auto near = static_cast<std::size_t>(one.nearest[static_cast<std::size_t>(k)]);
      level.neighbours(i, k) = new_row[near] < 0 ? static_cast<std::int32_t>(i) : new_row[near];
    }
    spacings.push_back(one.spacing);
  }
  level.weights = normal_weights(level.normals);
  level.order = order_by_weight(level.weights);
  level.spacing = quantile(spacings, 0.5);
  level.field =
      NearestField(level.points, level.spacing, kPreparation.level_field_reach * level.spacing);
  return result;
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
  std::call_once(embedded_, [this] {
    embedding_ = embedder->embed(points, name);
    is_embedded_ = true;
  });
  return embedding_;
}

void PreparedCloudData::set_embedding(Eigen::VectorXf z) const {
  std::call_once(embedded_, [&] {
    embedding_ = std::move(z);
    is_embedded_ = true;
  });
}

void embed_together(std::span<const PreparedCloudData* const> clouds) {
  std::vector<const PreparedCloudData*> left;
  for (const PreparedCloudData* cloud : clouds)
    if (!cloud->is_embedded() && std::ranges::find(left, cloud) == left.end())
      left.push_back(cloud);
  if (left.empty()) return;
  std::vector<NamedCloud> named;
  for (const PreparedCloudData* cloud : left) named.push_back({cloud->points, cloud->name});
  std::vector<Eigen::VectorXf> embedded = left.front()->embedder->embed(named);
  for (std::size_t i = 0; i < left.size(); ++i) left[i]->set_embedding(std::move(embedded[i]));
}

const PreparedCloudData& PreparedCloudData::at_spacing(float wanted) const {
  // Steps of a quarter octave bound the number of levels.
  const int step = static_cast<int>(std::lround(4.0F * std::log2(wanted / spacing)));
  if (step >= -1 || detail.rows() < kPreparation.least_detail * points.rows()) return *this;
  const std::scoped_lock lock(levels_mutex_);
  const auto [place, is_new] = levels_.try_emplace(step);
  if (is_new) {
    place->second = resampled(*this, spacing * std::exp2(0.25F * static_cast<float>(step)));
    if (place->second && place->second->points.rows() <= points.rows()) place->second = nullptr;
  }
  return place->second ? *place->second : *this;
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
  prepared.weights = normal_weights(prepared.normals);
  prepared.order = order_by_weight(prepared.weights);
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
