#include "pose_config.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "cloud_subscription.h"

namespace pointpng_ros {
namespace {

using pointpng::InputError;
using Set = Parameters<PoseNodeConfig>;

/// One of the library's numbers: range and meaning are the library's.
template <class Member>
void add_number(Set& set, const pointpng::Range& range, Member member, bool is_fixed = false) {
  set.add(std::string(range.name), member, std::string(range.meaning), limits_of(range, is_fixed));
}

/// The files that are named: a list of parameters can't be empty in YAML, so it may hold "".
std::vector<std::string> named(const std::vector<std::string>& files) {
  std::vector<std::string> result;
  std::copy_if(files.begin(), files.end(), std::back_inserter(result),
               [](const std::string& file) { return !file.empty(); });
  return result;
}

void add_registration(Set& set) {
  using pointpng::range_of;
  set.add(
      "model", [](auto& c) -> auto& { return c.model; },
      "model.safetensors, or the name of a shipped model; empty: object", fixed());
  set.add("device", [](auto& c) -> auto& { return c.compute.device; },
          "where to compute; auto takes CUDA where it is faster",
          {.choices = pointpng::device_names(), .fixed = true});
  add_number(
      set, range_of("threads"), [](auto& c) -> auto& { return c.compute.threads; }, true);
  set.add("refine", [](auto& c) -> auto& { return c.registration.refinement; },
          "the last refinement of a hypothesis", {.choices = pointpng::refinement_names()});
  set.add("effort", [](auto& c) -> auto& { return c.registration.effort; },
          "how much work a cloud of the sensor is worth; services take at least normal",
          {.choices = pointpng::effort_names()});
  const pointpng::Range& instances = range_of("instances");
  set.add(
      "max_instances", [](auto& c) -> auto& { return c.max_instances; },
      "mode reference: copies of each object, in frames object_0, object_1, …",
      limits_of(instances));
  add_number(
      set, range_of("hypotheses"), [](auto& c) -> auto& { return c.registration.num_hypotheses; });
  set.add(
      "parts", [](auto& c) -> auto& { return c.registration.partial_overlap; },
      "try point pairs where the whole clouds are not decisive");
  add_number(
      set, range_of("points"), [](auto& c) -> auto& { return c.registration.num_points; });
  add_number(
      set, range_of("confidence"), [](auto& c) -> auto& { return c.registration.min_confidence; });
}

void add_tracking(Set& set) {
  using pointpng::range_of;
  add_number(
      set, range_of("lost_below"), [](auto& c) -> auto& { return c.tracker.lost_below; });
  add_number(
      set, range_of("second_look"), [](auto& c) -> auto& { return c.tracker.second_look; });
  add_number(
      set, range_of("keyframe_overlap"),
      [](auto& c) -> auto& { return c.tracker.keyframe_overlap; });
  set.add(
      "keyframes", [](auto& c) -> auto& { return c.tracker.keyframes; },
      "mode sequence: false aligns every cloud to the first one");
  set.add("largest_gap", [](auto& c) -> auto& { return c.largest_gap; },
          "after a longer pause the last pose is no initial guess, seconds", {.least = 0});
  set.add("pair_slop", [](auto& c) -> auto& { return c.pair_slop; },
          "mode pair: largest difference of the stamps of a pair, seconds",
          {.least = 0, .most = 10});
}

void add_frames(Set& set) {
  set.add(
      "reference_file", [](auto& c) -> auto& { return c.reference_file; },
      "mode reference: cloud or mesh of the object, metres; empty: from topic or service", fixed());
  set.add(
      "references", [](auto& c) -> auto& { return c.references; },
      "mode reference: several objects instead, each in a frame of its file's name");
  set.add(
      "viewpoint", [](auto& c) -> auto& { return c.viewpoint; },
      "the sensor is at the origin of the cloud's frame: nothing stands in front of what it saw");
  set.add(
      "up_frame", [](auto& c) -> auto& { return c.up_frame; },
      "a frame whose z axis points up, looked up in tf: poses are upright; empty: any pose",
      fixed());
  set.add(
      "object_up", [](auto& c) -> auto& { return c.object_up; },
      "mode reference with up_frame: which way is up in the object's file");
  set.add(
      "reference_latched", [](auto& c) -> auto& { return c.reference_latched; },
      "mode reference: the topic 'reference' is latched (transient local)", fixed());
  set.add(
      "object_frame", [](auto& c) -> auto& { return c.object_frame; },
      "mode reference: frame of the object on /tf", fixed());
  set.add(
      "reference_frame", [](auto& c) -> auto& { return c.reference_frame; },
      "mode sequence: frame of the first cloud on /tf", fixed());
  set.add(
      "base_frame", [](auto& c) -> auto& { return c.base_frame; },
      "frame of crop box and ground, looked up in tf; empty: the cloud's own", fixed());
  set.add("tf_timeout", [](auto& c) -> auto& { return c.tf_timeout; },
          "how long a cloud waits for base_frame, seconds", {.least = 0, .most = 10});
}

void add_crop(Set& set) {
  set.add(
      "crop", [](auto& c) -> auto& { return c.crop.crop; },
      "keep only the points inside the box from crop_min to crop_max");
  set.add(
      "crop_min", [](auto& c) -> auto& { return c.crop.crop_min; },
      "lower corner of the box, metres");
  set.add(
      "crop_max", [](auto& c) -> auto& { return c.crop.crop_max; },
      "upper corner of the box, metres");
  set.add(
      "remove_ground", [](auto& c) -> auto& { return c.crop.remove_ground; },
      "remove the largest horizontal plane");
  set.add("ground_distance", [](auto& c) -> auto& { return c.crop.ground_distance; },
          "points within this distance of the plane are ground, metres", {.least = 0, .most = 10});
  set.add("ground_tilt", [](auto& c) -> auto& { return c.crop.ground_tilt; },
          "largest inclination of the plane, degrees", {.least = 0, .most = 90});
  set.add("voxel_size", [](auto& c) -> auto& { return c.crop.voxel_size; },
          "edge of the voxel filter, metres; 0: no filter", {.least = 0, .most = 100});
}

void validate_references(const PoseNodeConfig& config) {
  const std::vector<std::string> files = named(config.references);
  if (files.empty()) return;
  if (!config.reference_file.empty())
    throw InputError("give either reference_file or references, not both");
  std::set<std::string> frames;
  for (const ReferenceFile& file : reference_files(config)) {
    if (!std::filesystem::is_regular_file(file.path))
      throw InputError(fmt::format("references: there is no file {}", file.path));
    if (!frames.insert(file.frame).second)
      throw InputError(fmt::format(
          "references: two files are called {}, and their frames on /tf would be; rename one",
          file.frame));
  }
}

}  // namespace

std::vector<ReferenceFile> reference_files(const PoseNodeConfig& config) {
  std::vector<ReferenceFile> files;
  if (!config.reference_file.empty()) files.push_back({config.reference_file, config.object_frame});
  for (const std::string& file : named(config.references))
    files.push_back({file, std::filesystem::path(file).stem().string()});
  return files;
}

void validate(const PoseNodeConfig& config) {
  validate_references(config);
  if (!(config.object_up.allFinite() && config.object_up.norm() > 0.0))
    throw InputError("object_up must be a vector other than 0, as [0, 0, 1]");
  pointpng::validate(config.registration);
  pointpng::validate(config.crop);
  validate(config.compute);
  if (config.object_frame.empty() || config.reference_frame.empty())
    throw InputError("object_frame and reference_frame must not be empty: /tf needs names");
  if (config.object_frame == config.base_frame || config.reference_frame == config.base_frame)
    throw InputError(
        "base_frame is the robot's: object_frame and reference_frame must have other names");
}

Parameters<PoseNodeConfig> pose_parameters() {
  Set set;
  set.add("mode", [](auto& c) -> auto& { return c.mode; },
          "reference: pose of an object; pair: pose of one sensor in the frame of another; "
          "sequence: trajectory of a sensor",
          {.choices = {"reference", "pair", "sequence"}, .fixed = true});
  set.add("reliability", [](auto& c) -> auto& { return c.reliability; }, kReliabilityText,
          {.choices = reliability_names(), .fixed = true});
  add_registration(set);
  add_tracking(set);
  add_frames(set);
  add_crop(set);
  set.add(
      "publish_tf", [](auto& c) -> auto& { return c.publish_tf; }, "publish accepted poses on /tf");
  set.add(
      "publish_embedding", [](auto& c) -> auto& { return c.publish_embedding; },
      "publish the embedding of each cloud on ~/embedding");
  return set;
}

}  // namespace pointpng_ros
