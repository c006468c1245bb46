#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pointpng/alignment.h"
#include "pointpng/cloud.h"
#include "pointpng/runtime.h"

namespace pointpng {

/// The last refinement of a hypothesis.
enum class Refinement { kNone, kPointToPoint, kPointToPlane, kGicp };

/// "none", "icp", "gicp", "plane".
const std::vector<std::string>& refinement_names();
Refinement parse_refinement(std::string_view name);  ///< throws `InputError` for other words
const std::string& to_string(Refinement refinement);

/// How much work a registration may do before it gives up. What is clear is answered at once.
enum class Effort { kFast, kNormal, kThorough };

/// "fast", "normal", "thorough".
const std::vector<std::string>& effort_names();
Effort parse_effort(std::string_view name);  ///< throws `InputError` for other words
const std::string& to_string(Effort effort);

/// How two clouds are registered. Nothing here depends on the unit or the size of the clouds.
struct RegistrationConfig {
  Refinement refinement = Refinement::kPointToPlane;
  int num_hypotheses = 4;       ///< rotations taken from the embedding; 1 is the plain paper
  int num_points = 1024;        ///< points per cloud after downsampling
  bool partial_overlap = true;  ///< try point pairs where the whole clouds are not decisive
  Effort effort = Effort::kNormal;
  double min_confidence = 0.9;  ///< results below it are rejected; 99 % of the others are right

  bool operator==(const RegistrationConfig&) const = default;
};

/// The valid range of a number. One table has those of registration and tracking, for validation,
/// command line and ROS parameters alike.
struct Range {
  std::string_view name;  ///< as users write it: "hypotheses"
  double least, most;
  std::string_view meaning;
};
const Range& range_of(std::string_view name);

/// Throws `InputError`: "hypotheses must be in [1, 64], got 70".
void require_in_range(const Range& range, double value);

/// Throws `InputError` for a number out of its range.
void validate(const RegistrationConfig& config);

/// What is known of a cloud besides its points, in the cloud's own frame.
struct CloudOptions {
  /// Where the sensor was: what would stand in front of what it saw is refuted, and what it could
  /// not see is not expected.
  std::optional<Eigen::Vector3d> viewpoint = {};
  /// Against gravity. Where both clouds know it, the source turns about the vertical only.
  std::optional<Eigen::Vector3d> up = {};
};

struct PreparedCloudData;

/// A cloud made ready to be aligned: cleaned, downsampled, with normals and a nearest-point field.
/// It embeds itself when first asked. Cheap to copy; safe to share between threads.
class PreparedCloud {
 public:
  explicit PreparedCloud(std::shared_ptr<const PreparedCloudData> data) : data_(std::move(data)) {}

  const std::string& name() const;
  Eigen::Vector3d centroid() const;
  double radius() const;  ///< 95 % of the points are within it
  double scale() const;   ///< largest distance from the centroid: 1 for the embedding
  const Eigen::VectorXf& embedding() const;  ///< z, on the unit sphere

  const PreparedCloudData& data() const { return *data_; }

 private:
  std::shared_ptr<const PreparedCloudData> data_;
};

/// A pair for `Registration::align_many`.
struct PreparedPair {
  PreparedCloud source, target;
  std::optional<Eigen::Isometry3d> initial_guess = {};
};

class Embedder;

/// The copies of an object in a scene.
struct Instances {
  std::vector<Alignment> found;  ///< accepted ones, best first
  Alignment rejected;            ///< the best pose that is none, and why; empty where none was left
};

/// Global registration of point clouds without an initial guess. Cheap to copy; every method may be
/// called from several threads at once.
class Registration {
 public:
  /// `model`: see `find_model`. Throws `InputError` where it can't be used.
  static Registration load(const std::string& model = "", const RegistrationConfig& config = {},
                           const ComputeOptions& compute = {});

  Registration(std::shared_ptr<const Embedder> embedder, const RegistrationConfig& config);

  /// Once for a cloud that takes part in several alignments. Throws `InputError` with a sentence
  /// that names the cloud where it has no pose to find.
  PreparedCloud prepare(const Cloud& cloud, std::string_view name = "the cloud",
                        const CloudOptions& options = {}) const;

  /// Global registration. An initial guess is one more hypothesis, not a promise.
  Alignment align(const Cloud& source, const Cloud& target, const CloudOptions& of_source = {},
                  const CloudOptions& of_target = {}) const;
  Alignment align(const PreparedCloud& source, const PreparedCloud& target,
                  const std::optional<Eigen::Isometry3d>& initial_guess = std::nullopt) const;

  /// Embeds the clouds that are not embedded yet, in one call: on a GPU many clouds take little
  /// longer than one.
  void embed(std::span<const PreparedCloud> clouds) const;

  /// `align` of every pair: all clouds are embedded in one call, then the pairs are aligned side by
  /// side, a thread each. A cloud may take part in several pairs. The time of the embedding is
  /// divided among the pairs.
  std::vector<Alignment> align_many(std::span<const PreparedPair> pairs) const;

  /// Local registration from a pose near the truth, as tracking does. Rejected where the clouds do
  /// not fit there.
  Alignment align_from(const PreparedCloud& source, const PreparedCloud& target,
                       const Eigen::Isometry3d& initial_guess) const;

  /// All copies of an object (the source) in a scene, at most so many, each verified on its own. No
  /// two of them share a place.
  Instances align_instances(const PreparedCloud& source, const PreparedCloud& target,
                            int max_instances) const;

  /// The same model with another configuration.
  Registration with(const RegistrationConfig& config) const;

  const RegistrationConfig& config() const { return config_; }
  std::string device() const;  ///< that embeds: "cpu" or "cuda:0"

 private:
  std::shared_ptr<const Embedder> embedder_;
  RegistrationConfig config_;
};

}  // namespace pointpng
