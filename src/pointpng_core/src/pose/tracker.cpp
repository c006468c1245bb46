#include "pose/tracker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pointpng {

const char* to_string(TrackedFrame::State state) {
  switch (state) {
    case TrackedFrame::State::kReference:
      return "reference";
    case TrackedFrame::State::kTracked:
      return "tracked";
    case TrackedFrame::State::kSearched:
      return "searched";
    case TrackedFrame::State::kLost:
      return "lost";
  }
  return "";
}

Tracker::Tracker(std::shared_ptr<const PoseEstimator> estimator, TrackerConfig config)
    : estimator_(std::move(estimator)), config_(config) {}

void Tracker::set_reference(const Cloud& reference, std::string_view name) {
  take_keyframe({estimator_->clean(reference, name), Eigen::Isometry3d::Identity()});
  estimator_->embed(*keyframe_.scan);
  fixed_reference_ = true;
  forget();
}

void Tracker::forget() {
  last_.reset();
  before_ = {};
  first_fit_ = 0.0;
  followed_ = 0;
  doubt_.reset();
  corrected_ = false;
}

void Tracker::take_keyframe(Placed placed) {
  keyframe_ = std::move(placed);
  last_ = Eigen::Isometry3d::Identity();
  before_ = {};
  first_fit_ = 0.0;
}

Alignment Tracker::search(Scan& scan, const std::optional<Eigen::Isometry3d>& guess) {
  estimator_->embed(*keyframe_.scan);
  estimator_->embed(scan);
  return estimator_->align(scan, *keyframe_.scan, guess);
}

/// From the last pose where that still fits: to the keyframe, or else to the cloud before, which
/// then takes its place. Else by a search.
Alignment Tracker::follow(Scan& scan) {
  if (last_) {
    Alignment near = estimator_->align_near(scan, *keyframe_.scan, *last_);
    if (near.accepted && near.fitness >= config_.lost_below * first_fit_) return near;
    if (takes_keyframes() && before_.scan) {
      near = estimator_->align_near(scan, *before_.scan, Eigen::Isometry3d::Identity());
      if (near.accepted) {
        take_keyframe(before_);
        return near;
      }
    }
  }
  return search(scan, last_);
}

TrackedFrame Tracker::add(const Cloud& cloud, std::string_view name) {
  TrackedFrame frame;
  std::shared_ptr<Scan> scan = estimator_->clean(cloud, name);
  if (!has_reference()) {
    take_keyframe({std::move(scan), Eigen::Isometry3d::Identity()});
    frame.state = TrackedFrame::State::kReference;
    frame.new_keyframe = true;
    return frame;
  }
  const std::shared_ptr<Scan> keyframe = keyframe_.scan;
  frame.alignment = follow(*scan);
  frame.alignment.times_ms.prepare = scan->prepare_ms;
  frame.alignment.times_ms.embed = scan->embed_ms;
  frame.alignment.times_ms.total += scan->prepare_ms + scan->embed_ms;
  if (!frame.alignment.accepted) return frame;
  const Hypothesis& best = frame.alignment.hypotheses.front();
  const bool is_followed = best.origin == "guess" && !corrected_;
  frame.state = is_followed ? TrackedFrame::State::kTracked : TrackedFrame::State::kSearched;
  followed_ = is_followed ? followed_ + 1 : 0;
  corrected_ = false;
  last_ = frame.alignment.target_from_source;
  last_fit_ = frame.alignment.fitness;
  frame.reference_from_cloud = keyframe_.reference_from_scan * *last_;
  if (first_fit_ == 0.0) first_fit_ = frame.alignment.fitness;
  before_ = {std::move(scan), frame.reference_from_cloud};
  const bool moved_on =
      std::min(best.source_overlap, best.target_overlap) < config_.keyframe_overlap;
  if (takes_keyframes() && moved_on) take_keyframe(before_);
  frame.new_keyframe = keyframe_.scan != keyframe;
  return frame;
}

/// One better answer is a doubt, and the next cloud is searched as well; if that says the same, it
/// replaces the pose.
void Tracker::look_again() {
  constexpr double kClearlyBetter = 1.15;  // times as good a fit; a symmetry is not
  constexpr double kSameTurn = 0.17;       // radians
  const bool is_due = doubt_ ? followed_ > 0 : followed_ >= config_.second_look;
  if (!fixed_reference_ || config_.second_look == 0 || !is_due) return;
  followed_ = 0;
  const Alignment found = search(*before_.scan, last_);
  const Eigen::Quaterniond correction(
      (found.target_from_source.linear() * last_->linear().transpose()).eval());
  const bool is_better = found.accepted && found.hypotheses.front().origin != "guess" &&
                         found.fitness > kClearlyBetter * last_fit_;
  if (is_better && doubt_ && doubt_->angularDistance(correction) < kSameTurn) {
    forget();
    last_ = found.target_from_source;
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
