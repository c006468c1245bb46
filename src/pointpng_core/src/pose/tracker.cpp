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
  take_keyframe(estimator_->clean(reference, name), Eigen::Isometry3d::Identity());
  fixed_reference_ = true;
  last_.reset();
}

void Tracker::forget() {
  last_.reset();
  first_fit_ = 0.0;
}

void Tracker::take_keyframe(std::shared_ptr<Scan> scan, const Eigen::Isometry3d& pose) {
  estimator_->embed(*scan);
  keyframe_ = std::move(scan);
  reference_from_keyframe_ = pose;
  last_ = Eigen::Isometry3d::Identity();
  first_fit_ = 0.0;
}

/// From the last pose where that still fits, else by a search, which needs the embedding.
Alignment Tracker::follow(Scan& scan) const {
  if (last_) {
    const Alignment near = estimator_->align_near(scan, *keyframe_, *last_);
    if (near.accepted && near.fitness >= config_.lost_below * first_fit_) return near;
  }
  estimator_->embed(scan);
  return estimator_->align(scan, *keyframe_, last_);
}

TrackedFrame Tracker::add(const Cloud& cloud, std::string_view name) {
  TrackedFrame frame;
  std::shared_ptr<Scan> scan = estimator_->clean(cloud, name);
  if (!keyframe_) {
    take_keyframe(std::move(scan), Eigen::Isometry3d::Identity());
    frame.state = TrackedFrame::State::kReference;
    frame.became_keyframe = true;
    return frame;
  }
  frame.alignment = follow(*scan);
  frame.alignment.times_ms.prepare = scan->prepare_ms;
  frame.alignment.times_ms.embed = scan->embed_ms;
  frame.alignment.times_ms.total += scan->prepare_ms + scan->embed_ms;
  if (!frame.alignment.accepted) return frame;
  const Hypothesis& best = frame.alignment.hypotheses.front();
  frame.state =
      best.origin == "guess" ? TrackedFrame::State::kTracked : TrackedFrame::State::kSearched;
  last_ = frame.alignment.target_from_source;
  frame.reference_from_cloud = reference_from_keyframe_ * *last_;
  if (first_fit_ == 0.0) first_fit_ = frame.alignment.fitness;
  const bool moved_on =
      std::min(best.source_overlap, best.target_overlap) < config_.keyframe_overlap;
  if (config_.keyframes && !fixed_reference_ && moved_on) {
    take_keyframe(std::move(scan), frame.reference_from_cloud);
    frame.became_keyframe = true;
  }
  return frame;
}

std::string tum_line(double seconds, const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond q(pose.linear());
  const Eigen::Vector3d t = pose.translation();
  return fmt::format("{:.9f} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", seconds, t.x(),
                     t.y(), t.z(), q.x(), q.y(), q.z(), q.w());
}

}  // namespace pointpng
