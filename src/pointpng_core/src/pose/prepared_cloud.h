#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "embed/embedder.h"
#include "pointpng/registration.h"
#include "pose/nearest_field.h"
#include "pose/range_image.h"

namespace pointpng {

/// What a `PreparedCloud` holds. Points are relative to `centre`, in the cloud's unit.
struct PreparedCloudData {
  std::string name;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< centroid of the points
  float radius = 0.0F;
  float spacing = 0.0F;             ///< median distance of a point to its few nearest neighbours
  Cloud points;                     ///< downsampled evenly, outliers removed
  Cloud normals;                    ///< unit length, signs have no meaning
  std::vector<float> weights;       ///< in the score, 1 on average: see `normal_weights`
  std::vector<std::int64_t> order;  ///< of all rows: the first of them are a draw by weight
  NearestField field;               ///< over `points`
  Cloud detail;  ///< the finite points at full resolution, at most `detail_points`
  /// Rows of some nearest neighbours of each point, nearest first.
  Eigen::Matrix<std::int32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> neighbours;
  std::optional<Eigen::Vector3d> viewpoint, up;  ///< see `CloudOptions`; in the cloud's own frame
  bool holds_copies = false;  ///< of the other cloud: a pose elsewhere is no competitor
  std::shared_ptr<const RangeImage> range_image;  ///< from the viewpoint, where that is known
  std::vector<std::string> notes;                 ///< what the user should know
  std::shared_ptr<const Embedder> embedder;

  /// z; computed by the first caller, in any thread.
  const Eigen::VectorXf& embedding() const;
  bool is_embedded() const { return is_embedded_; }
  /// z that was computed elsewhere; the first one stays.
  void set_embedding(Eigen::VectorXf z) const;

  /// The same cloud at a finer resolution, about this spacing; itself where it is as fine or has no
  /// more detail. Computed by the first caller, in any thread.
  const PreparedCloudData& at_spacing(float spacing) const;

  /// Where the sensor was, relative to `centre`; only where that is known.
  Eigen::Vector3f centred_viewpoint() const { return (*viewpoint - centre).cast<float>(); }

  /// What the sensor saw of a place, in the frame of `points`: unknown where its own place is.
  RangeImage::Place look_at(const Eigen::Vector3f& place, float margin) const {
    if (!range_image) return RangeImage::Place::kUnknown;
    return range_image->at(place - centred_viewpoint(), margin);
  }

  /// Milliseconds that the preparation took, for the first alignment that asks; 0 after that.
  double take_prepare_ms() const { return prepare_ms.exchange(0.0); }

  mutable std::atomic<double> prepare_ms = 0.0;

 private:
  mutable std::once_flag embedded_;
  mutable std::atomic<bool> is_embedded_ = false;
  mutable Eigen::VectorXf embedding_;
  mutable std::mutex levels_mutex_;
  mutable std::map<int, std::shared_ptr<const PreparedCloudData>> levels_;
};

/// Cleans a cloud and downsamples it to `num_points`. Throws `InputError` where it has no pose.
std::shared_ptr<PreparedCloudData> prepare_cloud(const Cloud& cloud, std::int64_t num_points,
                                                 std::string_view name,
                                                 const CloudOptions& options = {});

/// Embeds those clouds that are not embedded yet, in one call. All are of one embedder.
void embed_together(std::span<const PreparedCloudData* const> clouds);

/// The stride with which some `points` of a cloud are visited.
inline Eigen::Index stride(const PreparedCloudData& cloud, std::int64_t points) {
  return std::max<Eigen::Index>(1, cloud.points.rows() / std::max<std::int64_t>(1, points));
}

/// Row of the point nearest to a place, -1 where none is within the field's reach. Looks into the
/// field several times and at the neighbours: one answer in a hundred may be the second nearest.
int nearest_row(const PreparedCloudData& cloud, const Eigen::Vector3f& place);

}  // namespace pointpng
