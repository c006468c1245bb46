#include "pointpng/tracker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pose/parameters.h"

namespace pointpng {

const std::string& to_string(TrackedFrame::State state) {
  static const std::string names[] = {"reference", "tracked", "searched", "lost"};
  return names[static_cast<std::size_t>(state)];
}

Tracker::Tracker(Registration registration, TrackerConfig config)
    : registration_(std::move(registration)), config_(config) {
  require_in_range(range_of("lost_below"), config.lost_below);
  require_in_range(range_of("keyframe_overlap"), config.keyframe_overlap);
  require_in_range(range_of("second_look"), config.second_look);
}

void Tracker::set_reference(const Cloud& reference, std::string_view name,
                            const CloudOptions& options) {
  const PreparedCloud prepared = registration_.prepare(reference, name, options);
  prepared.embedding();  // now, not when the first cloud waits for its pose
  take_keyframe({prepared});
  fixed_reference_ = true;
  forget();
}

void Tracker::forget() {
  last_pose_.reset();
  last_cloud_.reset();
  first_score_ = 0.0;
  num_followed_ = 0;
  doubt_.reset();
  corrected_ = false;
}

void Tracker::take_keyframe(const Placed& placed) {
  keyframe_ = placed;
  last_pose_ = Eigen::Isometry3d::Identity();
  last_cloud_.reset();
  first_score_ = 0.0;
}

/// Local registration from the last pose where that still fits: to the keyframe, or else to the
/// last cloud, which then becomes the keyframe. Else global registration.
Alignment Tracker::follow(const PreparedCloud& cloud) {
  StageTimes spent;
  const auto with_all_times = [&](Alignment alignment) {
    alignment.times_ms += spent;
    return alignment;
  };
  if (last_pose_) {
    const Alignment near = registration_.align_from(cloud, keyframe_->cloud, *last_pose_);
    if (near.accepted && near.score >= config_.lost_below * first_score_) return near;
    spent += near.times_ms;
    if (takes_keyframes() && last_cloud_) {
      const Alignment nearer =
          registration_.align_from(cloud, last_cloud_->cloud, Eigen::Isometry3d::Identity());
      if (nearer.accepted) {
        take_keyframe(Placed(*last_cloud_));
        return with_all_times(nearer);
      }
      spent += nearer.times_ms;
    }
  }
  return with_all_times(registration_.align(cloud, keyframe_->cloud, last_pose_));
}

TrackedFrame Tracker::add(const Cloud& cloud, std::string_view name, const CloudOptions& options) {
  TrackedFrame frame;
  const PreparedCloud prepared = registration_.prepare(cloud, name, options);
  if (!keyframe_) {
    take_keyframe({prepared});
    frame.state = TrackedFrame::State::kReference;
    frame.new_keyframe = true;
    return frame;
  }
  const PreparedCloudData* const keyframe = &keyframe_->cloud.data();
  frame.alignment = follow(prepared);
  if (!frame.alignment.accepted) return frame;
  const Hypothesis& best = frame.alignment.hypotheses.front();
  const bool is_followed = best.origin == Origin::kInitialGuess && !corrected_;
  frame.state = is_followed ? TrackedFrame::State::kTracked : TrackedFrame::State::kSearched;
  num_followed_ = is_followed ? num_followed_ + 1 : 0;
  corrected_ = false;
  last_pose_ = frame.alignment.target_from_source;
  last_score_ = frame.alignment.score;
  frame.reference_from_cloud = keyframe_->reference_from_cloud * *last_pose_;
  if (first_score_ == 0.0) first_score_ = frame.alignment.score;
  last_cloud_ = Placed{prepared, frame.reference_from_cloud};
  const bool moved_on =
      std::min(best.source_overlap, best.target_overlap) < config_.keyframe_overlap;
  if (takes_keyframes() && moved_on) take_keyframe(Placed(*last_cloud_));
  frame.new_keyframe = &keyframe_->cloud.data() != keyframe;
  return frame;
}

/// One better answer is a doubt, and the next cloud is registered globally as well; if that agrees,
/// it replaces the pose.
void Tracker::look_again() {
  const bool is_due = doubt_ ? num_followed_ > 0 : num_followed_ >= config_.second_look;
  if (!fixed_reference_ || config_.second_look == 0 || !is_due || !last_cloud_) return;
  num_followed_ = 0;
  const Alignment found = registration_.align(last_cloud_->cloud, keyframe_->cloud, last_pose_);
  const Eigen::Quaterniond correction(
      (found.target_from_source.linear() * last_pose_->linear().transpose()).eval());
  const bool is_better = found.accepted &&
                         found.hypotheses.front().origin != Origin::kInitialGuess &&
                         found.score > kSecondLook.clearly_better * last_score_;
  if (is_better && doubt_ && doubt_->angularDistance(correction) < kSecondLook.same_rotation) {
    forget();
    last_pose_ = found.target_from_source;
    corrected_ = true;
    return;
  }
  doubt_ = is_better ? std::optional(correction) : std::nullopt;
}

std::string tum_line(double seconds, const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond q(pose.linear());
  const Eigen::Vector3d t = pose.translation();
  return fmt::format("{:.9f} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", seconds, t.x(),
                     t.y(), t.z(), q.x(), q.y(), q.z(), q.w());
}

}  // namespace pointpng
