#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <Eigen/Geometry>

#include "pointpng/cloud.h"
#include "pose/estimator.h"

namespace pointpng {

/// How a sequence is followed.
struct TrackerConfig {
  /// A frame that fits less than this share of what its keyframe fitted at first is searched anew.
  double lost_below = 0.5;
  /// Frame to frame: a new keyframe once less than this share of the cloud overlaps the last one.
  double keyframe_overlap = 0.6;
  /// With a fixed reference: of so many followed clouds one is searched as well, so that a wrong
  /// pose is not followed for ever. 0: never.
  std::int64_t second_look = 10;
  bool keyframes = true;  ///< false: everything is aligned to the first cloud or the reference
};

/// What became of one cloud of a sequence.
struct TrackedFrame {
  enum class State {
    kReference,  ///< it became the first keyframe
    kTracked,    ///< settled from the last pose
    kSearched,  ///< found by a search: at the start, after a loss, or better than what was followed
    kLost,      ///< no acceptable pose; the last one is still the guess for the next
  };
  State state = State::kLost;
  Eigen::Isometry3d reference_from_cloud = Eigen::Isometry3d::Identity();
  Alignment alignment;        ///< to the keyframe
  bool new_keyframe = false;  ///< it, or the cloud before it, is the keyframe from now on
};

const char* to_string(TrackedFrame::State state);

/// Follows the pose of clouds relative to a reference: warm start from the last pose, search where
/// that does not fit, keyframes where the view has moved on.
class Tracker {
 public:
  Tracker(std::shared_ptr<const PoseEstimator> estimator, TrackerConfig config = {});

  /// A model that all clouds are aligned to; without it the first usable cloud is the reference.
  void set_reference(const Cloud& reference, std::string_view name);

  /// Throws `InputError` for a cloud without points to align; the track is not touched then.
  TrackedFrame add(const Cloud& cloud, std::string_view name);

  /// A second look at the last cloud where one is due; to be called once its pose is on its way. A
  /// pose that was found to be wrong is another one from the next cloud on.
  void look_again();

  /// Forgets the pose, not the reference: after a jump in time.
  void forget();

  bool has_reference() const { return keyframe_.scan != nullptr; }

 private:
  /// A cloud whose pose is known.
  struct Placed {
    std::shared_ptr<Scan> scan;
    Eigen::Isometry3d reference_from_scan = Eigen::Isometry3d::Identity();
  };

  bool takes_keyframes() const { return config_.keyframes && !fixed_reference_; }
  Alignment follow(Scan& scan);
  Alignment search(Scan& scan, const std::optional<Eigen::Isometry3d>& guess);
  void take_keyframe(Placed placed);

  std::shared_ptr<const PoseEstimator> estimator_;
  TrackerConfig config_;
  bool fixed_reference_ = false;
  Placed keyframe_;
  Placed before_;                          ///< the last cloud that was followed, unless a keyframe
  std::optional<Eigen::Isometry3d> last_;  ///< keyframe_from_cloud
  double first_fit_ = 0.0;                 ///< score of the first frame after the keyframe
  std::int64_t followed_ = 0;              ///< clouds since the last search
  double last_fit_ = 0.0;                  ///< score of the last frame
  bool corrected_ = false;                 ///< `last_` is what a second look found
  std::optional<Eigen::Quaterniond> doubt_;  ///< turn to what the last look found to fit better
};

/// One line of a trajectory as TUM's tools read it: time x y z qx qy qz qw.
std::string tum_line(double seconds, const Eigen::Isometry3d& pose);

}  // namespace pointpng
