#include "pose_mode.h"

#include <optional>

#include "pointpng/error.h"
#include "pointpng/tracker.h"

namespace pointpng_ros {
namespace {

using pointpng::Alignment;
using pointpng::Cloud;
using pointpng::PreparedCloud;
using pointpng::Registration;
using pointpng::TrackedFrame;
using pointpng::Tracker;
using pointpng::TrackerConfig;

constexpr const char* kCloud = "the cloud";

std::uint32_t count(const Cloud& cloud) { return static_cast<std::uint32_t>(cloud.rows()); }

TrackerConfig without_keyframes(TrackerConfig config) {
  config.keyframes = false;
  return config;
}

/// The object is the source and the sensor's cloud the target: the result is the object's pose.
class ReferenceMode : public PoseMode {
 public:
  ReferenceMode(const PoseNodeConfig& config, const Registration& registration,
                const Cloud& reference, const std::string& name)
      : object_frame_(config.object_frame),
        reference_(reference),
        tracker_(registration, without_keyframes(config.tracker)) {
    tracker_.set_reference(reference, name);
  }

  StampedAlignment align(const StampedCloud& cloud, const StampedCloud* /*target*/) override {
    StampedAlignment result;
    result.alignment = tracker_.add(cloud.points, kCloud).alignment.inverse();
    result.frame = cloud.frame;
    result.child_frame = object_frame_;
    result.stamp_ns = result.target_stamp_ns = cloud.stamp_ns;
    result.source_points = count(reference_);
    result.target_points = count(cloud.points);
    result.aligned = pointpng::transformed(reference_, result.alignment.target_from_source);
    return result;
  }

  void look_again() override { tracker_.look_again(); }

  void forget(bool /*restarted*/) override { tracker_.forget(); }

 private:
  std::string object_frame_;
  Cloud reference_;
  Tracker tracker_;
};

/// One sensor's cloud onto the other's. Sensors seldom move relative to each other, so the last
/// pose is tried first.
class PairMode : public PoseMode {
 public:
  explicit PairMode(const Registration& registration) : registration_(registration) {}

  StampedAlignment align(const StampedCloud& cloud, const StampedCloud* target) override {
    if (target == nullptr) throw pointpng::InputError("a pair needs two clouds");
    if (target->frame == cloud.frame)
      throw pointpng::InputError("both clouds of the pair have the frame '" + cloud.frame +
                                 "'; two sensors have different frames");
    StampedAlignment result;
    result.alignment = align(registration_.prepare(cloud.points, kCloud),
                             registration_.prepare(target->points, "the target cloud"));
    result.frame = target->frame;
    result.child_frame = cloud.frame;
    result.stamp_ns = cloud.stamp_ns;
    result.target_stamp_ns = target->stamp_ns;
    result.source_points = count(cloud.points);
    result.target_points = count(target->points);
    result.aligned = pointpng::transformed(cloud.points, result.alignment.target_from_source);
    result.new_target = target->points;
    return result;
  }

  void forget(bool /*restarted*/) override { last_.reset(); }

 private:
  Alignment align(const PreparedCloud& source, const PreparedCloud& target) {
    Alignment result;
    if (last_) result = registration_.align_from(source, target, *last_);
    if (!result.accepted) {
      const pointpng::StageTimes tracking = result.times_ms;
      result = registration_.align(source, target, last_);
      result.times_ms += tracking;
    }
    if (result.accepted) last_ = result.target_from_source;
    return result;
  }

  Registration registration_;
  std::optional<Eigen::Isometry3d> last_;
};

/// Clouds onto keyframes: the result is the trajectory of the sensor or of the robot's base.
class SequenceMode : public PoseMode {
 public:
  SequenceMode(const PoseNodeConfig& config, const Registration& registration)
      : reference_frame_(config.reference_frame),
        base_frame_(config.base_frame),
        registration_(registration),
        config_(config.tracker),
        tracker_(registration_, config_) {}

  StampedAlignment align(const StampedCloud& cloud, const StampedCloud* /*target*/) override {
    const TrackedFrame tracked = tracker_.add(cloud.points, kCloud);
    Alignment alignment = tracked.alignment;
    if (tracked.state == TrackedFrame::State::kReference) {
      alignment.accepted = true;
      alignment.confidence = alignment.score = 1.0;
      first_stamp_ns_ = cloud.stamp_ns;
    } else if (alignment.accepted) {
      alignment =
          alignment.in_frame(tracked.reference_from_cloud * alignment.target_from_source.inverse());
    }
    // The reference frame is where the base was first, wherever the sensor is mounted.
    alignment = alignment.in_frame(cloud.base_from_cloud);

    StampedAlignment result;
    result.aligned = pointpng::transformed(cloud.points, alignment.target_from_source);
    if (tracked.new_keyframe) result.new_target = result.aligned;
    const bool of_base = !base_frame_.empty();
    result.alignment = of_base ? alignment.for_child(cloud.base_from_cloud.inverse()) : alignment;
    result.frame = reference_frame_;
    result.child_frame = of_base ? base_frame_ : cloud.frame;
    result.stamp_ns = cloud.stamp_ns;
    result.target_stamp_ns = first_stamp_ns_;
    result.source_points = result.target_points = count(cloud.points);
    return result;
  }

  void forget(bool restarted) override {
    if (restarted)
      tracker_ = Tracker(registration_, config_);
    else
      tracker_.forget();
  }

 private:
  std::string reference_frame_, base_frame_;
  Registration registration_;
  TrackerConfig config_;
  Tracker tracker_;
  std::int64_t first_stamp_ns_ = 0;
};

}  // namespace

std::unique_ptr<PoseMode> make_mode(const PoseNodeConfig& config,
                                    const Registration& registration) {
  if (config.mode == "pair") return std::make_unique<PairMode>(registration);
  return std::make_unique<SequenceMode>(config, registration);
}

std::unique_ptr<PoseMode> make_reference_mode(const PoseNodeConfig& config,
                                              const Registration& registration,
                                              const Cloud& reference, const std::string& name) {
  return std::make_unique<ReferenceMode>(config, registration, reference, name);
}

}  // namespace pointpng_ros
