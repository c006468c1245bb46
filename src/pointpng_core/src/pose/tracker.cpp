#include "pointpng/pose/tracker.h"

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
}

void Tracker::take_keyframe(Placed placed) {
  keyframe_ = std::move(placed);
  last_ = Eigen::Isometry3d::Identity();
  before_ = {};
  first_fit_ = 0.0;
}

/// What is followed, or what a search finds, every now and then. One better answer is a doubt, and
/// the next cloud is searched as well; if that says the same, it replaces the pose.
Alignment Tracker::look_elsewhere(Scan& scan, Alignment near) {
  constexpr double kClearlyBetter = 1.15;  // times as good a fit; a symmetry is not
  constexpr double kSameTurn = 0.17;       // radians
  ++followed_;
  const bool is_due = doubt_ || followed_ >= config_.second_look;
  if (!fixed_reference_ || config_.second_look == 0 || !is_due) return near;
  followed_ = 0;
  Alignment found = search(scan, near.target_from_source);
  const Eigen::Quaterniond correction(
      (found.target_from_source.linear() * near.target_from_source.linear().transpose()).eval());
  const bool is_better = found.accepted && found.hypotheses.front().origin != "guess" &&
                         found.fitness > kClearlyBetter * near.fitness;
  if (is_better && doubt_ && doubt_->angularDistance(correction) < kSameTurn) {
    doubt_.reset();
    first_fit_ = 0.0;
    return found;
  }
  doubt_ = is_better ? std::optional(correction) : std::nullopt;
  near.times_ms.search += found.times_ms.total;
  near.times_ms.total += found.times_ms.total;
  return near;
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
    if (near.accepted && near.fitness >= config_.lost_below * first_fit_)
      return look_elsewhere(scan, std::move(near));
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
  frame.state =
      best.origin == "guess" ? TrackedFrame::State::kTracked : TrackedFrame::State::kSearched;
  last_ = frame.alignment.target_from_source;
  frame.reference_from_cloud = keyframe_.reference_from_scan * *last_;
  if (first_fit_ == 0.0) first_fit_ = frame.alignment.fitness;
  before_ = {std::move(scan), frame.reference_from_cloud};
  const bool moved_on =
      std::min(best.source_overlap, best.target_overlap) < config_.keyframe_overlap;
  if (takes_keyframes() && moved_on) take_keyframe(before_);
  frame.new_keyframe = keyframe_.scan != keyframe;
  return frame;
}

std::string tum_line(double seconds, const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond q(pose.linear());
  const Eigen::Vector3d t = pose.translation();
  return fmt::format("{:.9f} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", seconds, t.x(),
                     t.y(), t.z(), q.x(), q.y(), q.z(), q.w());
}

}  // namespace pointpng
