#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "alignment_messages.h"
#include "pointpng/cloud.h"
#include "pose/estimator.h"
#include "pose_config.h"

namespace pointpng_ros {

/// A sensor's cloud, ready to be aligned.
struct Observation {
  pointpng::Cloud points;
  std::string frame;
  std::int64_t stamp_ns = 0;
  Eigen::Isometry3d base_from_cloud = Eigen::Isometry3d::Identity();
};

/// An answer with what people want to look at.
struct Outcome {
  Answer answer;
  pointpng::Cloud aligned;  ///< the source where the answer puts it, in `answer.frame`
  pointpng::Cloud target;   ///< a target that is new; else empty
};

/// What a reference is and where it came from.
struct Reference {
  pointpng::Cloud points;
  std::string name;
  std::int64_t stamp_ns = 0;  ///< 0: from a file
};

/// One way to use the estimator: a mode of the node. One thread at a time.
class Aligner {
 public:
  virtual ~Aligner() = default;

  /// `target` is the other cloud of a pair, null in all other modes. Throws `InputError` for clouds
  /// that have no pose to find.
  virtual Outcome align(const Observation& cloud, const Observation* target) = 0;

  /// What may wait until the answer is on its way.
  virtual void look_again() {}

  /// There was a pause: the last pose is no guess any more. `again`: time went back, and what is
  /// played begins anew.
  virtual void forget(bool again) = 0;
};

/// Modes pair and sequence.
std::unique_ptr<Aligner> make_aligner(const PoseNodeConfig& config,
                                      std::shared_ptr<const pointpng::PoseEstimator> estimator);

/// Mode reference. Throws `InputError` for a reference that has no pose to find.
std::unique_ptr<Aligner> make_aligner(const PoseNodeConfig& config,
                                      std::shared_ptr<const pointpng::PoseEstimator> estimator,
                                      const Reference& reference);

}  // namespace pointpng_ros
