#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pointpng/registration.h"

namespace pointpng {

/// How a sequence of clouds is tracked.
struct TrackerConfig {
  /// Registered globally again where the score falls below this share of the keyframe's first one.
  double lost_below = 0.5;
  /// Frame to frame: a new keyframe where less than this share of the cloud overlaps the last one.
  double keyframe_overlap = 0.6;
  /// With a fixed reference: every n-th tracked cloud is also registered globally, so that a wrong
  /// pose is not tracked forever. 0: never.
  int second_look = 10;
  bool keyframes = true;  ///< false: every cloud is aligned to the first one or the reference

  bool operator==(const TrackerConfig&) const = default;
};

/// The result for one cloud of a sequence.
struct TrackedFrame {
  enum class State {
    kReference,  ///< it became the first keyframe
    kTracked,    ///< refined from the last pose
    kSearched,   ///< found by global registration: at the start, or after a loss
    kLost,       ///< no acceptable pose; the last one is still the guess for the next cloud
  };
  State state = State::kLost;
  Eigen::Isometry3d reference_from_cloud = Eigen::Isometry3d::Identity();
  Alignment alignment;        ///< to the keyframe
  bool new_keyframe = false;  ///< this cloud, or the one before, is the keyframe from now on
};

const std::string& to_string(TrackedFrame::State state);

/// Tracks the pose of clouds relative to a reference: local registration from the last pose, global
/// registration where that does not fit, new keyframes as the view moves on.
class Tracker {
 public:
  explicit Tracker(Registration registration, TrackerConfig config = {});

  /// A model that all clouds are aligned to; without it the first usable cloud is the reference.
  void set_reference(const Cloud& reference, std::string_view name,
                     const CloudOptions& options = {});

  /// Throws `InputError` for a cloud that can't be aligned; the track stays as it was.
  TrackedFrame add(const Cloud& cloud, std::string_view name, const CloudOptions& options = {});

  /// The second look at the last cloud where one is due; call it once its pose is published. A pose
  /// found to be wrong is replaced from the next cloud on.
  void look_again();

  /// Forgets the pose, not the reference: after a jump in time.
  void forget();

  bool has_reference() const { return keyframe_.has_value(); }

 private:
  /// A cloud whose pose is known.
  struct Placed {
    PreparedCloud cloud;
    Eigen::Isometry3d reference_from_cloud = Eigen::Isometry3d::Identity();
  };

  bool takes_keyframes() const { return config_.keyframes && !fixed_reference_; }
  Alignment follow(const PreparedCloud& cloud);
  void take_keyframe(const Placed& placed);

  Registration registration_;
  TrackerConfig config_;
  bool fixed_reference_ = false;
  std::optional<Placed> keyframe_;
  std::optional<Placed> last_cloud_;            ///< tracked last, unless it is the keyframe
  std::optional<Eigen::Isometry3d> last_pose_;  ///< keyframe_from_cloud
  double first_score_ = 0.0;                    ///< of the first cloud after the keyframe
  double last_score_ = 0.0;
  int num_followed_ = 0;                     ///< clouds since the last global registration
  bool corrected_ = false;                   ///< `last_pose_` is what a second look found
  std::optional<Eigen::Quaterniond> doubt_;  ///< rotation to the better pose of the last look
};

/// One line of a trajectory in TUM's format: time x y z qx qy qz qw.
std::string tum_line(double seconds, const Eigen::Isometry3d& pose);

}  // namespace pointpng
