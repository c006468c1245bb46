#include "pose_mode.h"

#include <optional>
#include <string>
#include <utility>

#include "instance_numbers.h"
#include "pointpng/error.h"
#include "pointpng/tracker.h"

namespace pointpng_ros {
namespace {

using pointpng::Alignment;
using pointpng::Cloud;
using pointpng::CloudOptions;
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

/// What the answers about an object share.
StampedAlignment answer_about(const Cloud& object, const std::string& frame, const Alignment& found,
                              const StampedCloud& cloud) {
  StampedAlignment result;
  result.alignment = found;
  result.frame = cloud.frame;
  result.child_frame = frame;
  result.stamp_ns = result.target_stamp_ns = cloud.stamp_ns;
  result.source_points = count(object);
  result.target_points = count(cloud.points);
  result.aligned = pointpng::transformed(object, found.target_from_source);
  return result;
}

/// Up in an object's own frame, where gravity is used.
CloudOptions object_options(const PoseNodeConfig& config) {
  CloudOptions options;
  if (!config.up_frame.empty()) options.up = config.object_up;
  return options;
}

/// The object is the source and the sensor's cloud the target: the result is the object's pose.
class ReferenceMode : public PoseMode {
 public:
  ReferenceMode(const PoseNodeConfig& config, const Registration& registration,
                const Reference& reference)
      : reference_(reference.cloud), tracker_(registration, without_keyframes(config.tracker)) {
    tracker_.set_reference(reference_.points, reference.name, object_options(config));
  }

  StampedAlignments align(const StampedCloud& cloud, const StampedCloud* /*target*/) override {
    const Alignment found = tracker_.add(cloud.points, kCloud, cloud.options).alignment.inverse();
    return {answer_about(reference_.points, reference_.frame, found, cloud)};
  }

  void look_again() override { tracker_.look_again(); }

  void forget(bool /*restarted*/) override { tracker_.forget(); }

 private:
  StampedCloud reference_;
  Tracker tracker_;
};

/// All copies of an object, searched anew in every cloud.
class InstancesMode : public PoseMode {
 public:
  InstancesMode(const PoseNodeConfig& config, const Registration& registration,
                const Reference& reference)
      : most_(config.max_instances),
        reference_(reference.cloud),
        registration_(registration),
        prepared_(registration.prepare(reference_.points, reference.name, object_options(config))),
        numbers_(config.max_instances, prepared_.radius()) {}

  StampedAlignments align(const StampedCloud& cloud, const StampedCloud* /*target*/) override {
    const pointpng::Instances instances = registration_.align_instances(
        prepared_, registration_.prepare(cloud.points, kCloud, cloud.options), most_);
    if (instances.found.empty())
      return {answer_about(reference_.points, frame_of(0), instances.rejected, cloud)};
    const std::vector<int> numbers = numbers_.assign(places_of(instances.found));
    StampedAlignments results;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      results.push_back(
          answer_about(reference_.points, frame_of(numbers[i]), instances.found[i], cloud));
    return results;
  }

  void forget(bool /*restarted*/) override { numbers_.forget(); }

 private:
  std::string frame_of(int number) const { return reference_.frame + "_" + std::to_string(number); }

  std::vector<Eigen::Vector3d> places_of(const std::vector<Alignment>& found) const {
    std::vector<Eigen::Vector3d> places;
    for (const Alignment& instance : found)
      places.emplace_back(instance.target_from_source * prepared_.centroid());
    return places;
  }

  int most_;
  StampedCloud reference_;
  Registration registration_;
  PreparedCloud prepared_;
  InstanceNumbers numbers_;
};

/// Several objects, one mode each.
class SeveralMode : public PoseMode {
 public:
  explicit SeveralMode(std::vector<std::unique_ptr<PoseMode>> modes) : modes_(std::move(modes)) {}

  StampedAlignments align(const StampedCloud& cloud, const StampedCloud* target) override {
    StampedAlignments all;
    for (const auto& mode : modes_)
      for (StampedAlignment& one : mode->align(cloud, target)) all.push_back(std::move(one));
    return all;
  }

  void look_again() override {
    for (const auto& mode : modes_) mode->look_again();
  }

  void forget(bool restarted) override {
    for (const auto& mode : modes_) mode->forget(restarted);
  }

 private:
  std::vector<std::unique_ptr<PoseMode>> modes_;
};

/// One sensor's cloud onto the other's. Sensors seldom move relative to each other, so the last
/// pose is tried first.
class PairMode : public PoseMode {
 public:
  explicit PairMode(const Registration& registration) : registration_(registration) {}

  StampedAlignments align(const StampedCloud& cloud, const StampedCloud* target) override {
    if (target == nullptr) throw pointpng::InputError("a pair needs two clouds");
    if (target->frame == cloud.frame)
      throw pointpng::InputError("both clouds of the pair have the frame '" + cloud.frame +
                                 "'; two sensors have different frames");
    StampedAlignment result;
    result.alignment =
        align(registration_.prepare(cloud.points, kCloud, cloud.options),
              registration_.prepare(target->points, "the target cloud", target->options));
    result.frame = target->frame;
    result.child_frame = cloud.frame;
    result.stamp_ns = cloud.stamp_ns;
    result.target_stamp_ns = target->stamp_ns;
    result.source_points = count(cloud.points);
    result.target_points = count(target->points);
    result.aligned = pointpng::transformed(cloud.points, result.alignment.target_from_source);
    result.new_target = target->points;
    return {result};
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

  StampedAlignments align(const StampedCloud& cloud, const StampedCloud* /*target*/) override {
    const TrackedFrame tracked = tracker_.add(cloud.points, kCloud, cloud.options);
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
    return {result};
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
                                              const std::vector<Reference>& references) {
  std::vector<std::unique_ptr<PoseMode>> modes;
  for (const Reference& reference : references) {
    if (config.max_instances > 1)
      modes.push_back(std::make_unique<InstancesMode>(config, registration, reference));
    else
      modes.push_back(std::make_unique<ReferenceMode>(config, registration, reference));
  }
  return std::make_unique<SeveralMode>(std::move(modes));
}

}  // namespace pointpng_ros
