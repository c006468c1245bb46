#include "aligner.h"

#include <optional>
#include <utility>

#include "base/rows.h"
#include "cloud_messages.h"
#include "pointpng/error.h"
#include "pose/tracker.h"

namespace pointpng_ros {
namespace {

using pointpng::Alignment;
using pointpng::Cloud;
using pointpng::PoseEstimator;
using pointpng::TrackedFrame;
using pointpng::Tracker;
using pointpng::TrackerConfig;
using Estimator = std::shared_ptr<const PoseEstimator>;

constexpr const char* kCloud = "the cloud";

std::uint32_t count(const Cloud& cloud) { return static_cast<std::uint32_t>(cloud.rows()); }

TrackerConfig without_keyframes(TrackerConfig config) {
  config.keyframes = false;
  return config;
}

/// The object is the source, the sensor's cloud the target: the answer is the object's pose.
class ReferenceAligner : public Aligner {
 public:
  ReferenceAligner(const PoseNodeConfig& config, Estimator estimator, const Reference& reference)
      : frame_(config.object_frame),
        points_(reference.points),
        tracker_(std::move(estimator), without_keyframes(config.tracker)) {
    tracker_.set_reference(reference.points, reference.name);
  }

  Outcome align(const Observation& cloud, const Observation* /*target*/) override {
    const TrackedFrame tracked = tracker_.add(cloud.points, kCloud);
    Outcome outcome;
    Answer& answer = outcome.answer;
    answer.alignment = inverted(tracked.alignment);
    answer.stamp = answer.target_stamp = to_stamp(cloud.stamp_ns);
    answer.frame = cloud.frame;
    answer.child_frame = frame_;
    answer.source_points = count(points_);
    answer.target_points = count(cloud.points);
    outcome.aligned = pointpng::transformed(points_, answer.alignment.target_from_source);
    return outcome;
  }

  void look_again() override { tracker_.look_again(); }

  void forget(bool /*again*/) override { tracker_.forget(); }

 private:
  std::string frame_;
  Cloud points_;
  Tracker tracker_;
};

/// One sensor's cloud onto the other's. Sensors seldom move against each other: the last answer is
/// tried first.
class PairAligner : public Aligner {
 public:
  explicit PairAligner(Estimator estimator) : estimator_(std::move(estimator)) {}

  Outcome align(const Observation& cloud, const Observation* target) override {
    if (target == nullptr) throw pointpng::InputError("a pair needs two clouds");
    const auto from = estimator_->clean(cloud.points, kCloud);
    const auto to = estimator_->clean(target->points, "the target cloud");
    Outcome outcome;
    Answer& answer = outcome.answer;
    answer.alignment = align(*from, *to);
    answer.alignment.times_ms.prepare = from->prepare_ms + to->prepare_ms;
    answer.alignment.times_ms.embed = from->embed_ms + to->embed_ms;
    answer.stamp = to_stamp(cloud.stamp_ns);
    answer.target_stamp = to_stamp(target->stamp_ns);
    answer.frame = target->frame;
    answer.child_frame = cloud.frame;
    answer.source_points = count(cloud.points);
    answer.target_points = count(target->points);
    outcome.aligned = pointpng::transformed(cloud.points, answer.alignment.target_from_source);
    outcome.target = target->points;
    return outcome;
  }

  void forget(bool /*again*/) override { last_.reset(); }

 private:
  Alignment align(pointpng::Scan& source, pointpng::Scan& target) {
    Alignment result;
    if (last_) result = estimator_->align_near(source, target, *last_);
    if (!result.accepted) {
      estimator_->embed(source);
      estimator_->embed(target);
      result = estimator_->align(source, target, last_);
    }
    if (result.accepted) last_ = result.target_from_source;
    return result;
  }

  Estimator estimator_;
  std::optional<Eigen::Isometry3d> last_;
};

/// Clouds onto keyframes: the answer is where the sensor, or the robot's base, has gone.
class SequenceAligner : public Aligner {
 public:
  SequenceAligner(const PoseNodeConfig& config, Estimator estimator)
      : reference_frame_(config.reference_frame),
        base_frame_(config.base_frame),
        estimator_(std::move(estimator)),
        config_(config.tracker),
        tracker_(estimator_, config_) {}

  Outcome align(const Observation& cloud, const Observation* /*target*/) override {
    const TrackedFrame tracked = tracker_.add(cloud.points, kCloud);
    Alignment alignment = tracked.alignment;
    if (tracked.state == TrackedFrame::State::kReference) {
      alignment.accepted = true;
      alignment.confidence = alignment.fitness = 1.0;
      first_stamp_ns_ = cloud.stamp_ns;
    } else if (alignment.accepted) {
      alignment =
          moved(tracked.reference_from_cloud * alignment.target_from_source.inverse(), alignment);
    }
    // Where the base began is the reference, whatever the sensor's place on it.
    alignment = moved(cloud.base_from_cloud, alignment);

    Outcome outcome;
    outcome.aligned = pointpng::transformed(cloud.points, alignment.target_from_source);
    if (tracked.new_keyframe) outcome.target = outcome.aligned;
    Answer& answer = outcome.answer;
    answer.alignment =
        base_frame_.empty() ? alignment : reattached(alignment, cloud.base_from_cloud.inverse());
    answer.stamp = to_stamp(cloud.stamp_ns);
    answer.target_stamp = to_stamp(first_stamp_ns_);
    answer.frame = reference_frame_;
    answer.child_frame = base_frame_.empty() ? cloud.frame : base_frame_;
    answer.source_points = answer.target_points = count(cloud.points);
    return outcome;
  }

  void forget(bool again) override {
    if (again)
      tracker_ = Tracker(estimator_, config_);
    else
      tracker_.forget();
  }

 private:
  std::string reference_frame_, base_frame_;
  Estimator estimator_;
  TrackerConfig config_;
  Tracker tracker_;
  std::int64_t first_stamp_ns_ = 0;
};

}  // namespace

std::unique_ptr<Aligner> make_aligner(const PoseNodeConfig& config, Estimator estimator) {
  if (config.mode == "pair") return std::make_unique<PairAligner>(std::move(estimator));
  return std::make_unique<SequenceAligner>(config, std::move(estimator));
}

std::unique_ptr<Aligner> make_aligner(const PoseNodeConfig& config, Estimator estimator,
                                      const Reference& reference) {
  return std::make_unique<ReferenceAligner>(config, std::move(estimator), reference);
}

}  // namespace pointpng_ros
