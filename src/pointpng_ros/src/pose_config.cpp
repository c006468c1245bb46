#include "pose_config.h"

#include "cloud_subscription.h"

namespace pointpng_ros {
namespace {

using Set = Parameters<PoseNodeConfig>;

Limits at_start() { return {.fixed = true}; }

void add_estimator(Set& set) {
  set.add(
      "model", [](auto& c) -> auto& { return c.model; },
      "model.safetensors, or the name of an installed model; empty: object", at_start());
  set.add("device", [](auto& c) -> auto& { return c.compute.device; },
          "where to compute; auto takes CUDA where LibTorch has it",
          {.choices = {"auto", "cpu", "cuda"}, .fixed = true});
  set.add("threads", [](auto& c) -> auto& { return c.compute.threads; },
          "threads to compute with; 0: every core that the process may use",
          {.least = 0, .most = 1024, .fixed = true});
  set.add("refine", [](auto& c) -> auto& { return c.pose.refine; }, "the last refinement",
          {.choices = pointpng::refine_names()});
  set.add("hypotheses", [](auto& c) -> auto& { return c.pose.hypotheses; },
          "rotations taken from the embedding; 1 is the plain paper", {.least = 1, .most = 64});
  set.add(
      "parts", [](auto& c) -> auto& { return c.pose.parts; },
      "look at parts of the clouds where the whole does not settle it");
  set.add("points", [](auto& c) -> auto& { return c.pose.points; },
          "points of each cloud that are aligned; more are thinned out evenly",
          {.least = 64, .most = 16384});
  set.add("confidence", [](auto& c) -> auto& { return c.pose.confidence; },
          "results below it are rejected; 0 accepts whatever fits best", {.least = 0, .most = 1});
}

void add_tracking(Set& set) {
  set.add("lost_below", [](auto& c) -> auto& { return c.tracker.lost_below; },
          "a cloud that fits less than this share of the first one is searched anew",
          {.least = 0, .most = 1});
  set.add("second_look", [](auto& c) -> auto& { return c.tracker.second_look; },
          "mode reference: of so many followed clouds one is searched as well; 0: none",
          {.least = 0, .most = 100000});
  set.add("keyframe_overlap", [](auto& c) -> auto& { return c.tracker.keyframe_overlap; },
          "mode sequence: a new keyframe once less than this share overlaps the last one",
          {.least = 0, .most = 1});
  set.add(
      "keyframes", [](auto& c) -> auto& { return c.tracker.keyframes; },
      "mode sequence: false aligns everything to the first cloud");
  set.add("largest_gap", [](auto& c) -> auto& { return c.largest_gap; },
          "after a longer pause the last pose is no guess any more, seconds", {.least = 0});
  set.add("pair_slop", [](auto& c) -> auto& { return c.pair_slop; },
          "mode pair: stamps of a pair differ by at most this, seconds", {.least = 0, .most = 10});
}

void add_frames(Set& set) {
  set.add(
      "reference_file", [](auto& c) -> auto& { return c.reference_file; },
      "mode reference: cloud or mesh of the object, metres; empty: from topic or service",
      at_start());
  set.add(
      "reference_latched", [](auto& c) -> auto& { return c.reference_latched; },
      "mode reference: the topic 'reference' is latched (transient local)", at_start());
  set.add(
      "object_frame", [](auto& c) -> auto& { return c.object_frame; },
      "mode reference: frame of the object on /tf", at_start());
  set.add(
      "reference_frame", [](auto& c) -> auto& { return c.reference_frame; },
      "mode sequence: frame of the first cloud on /tf", at_start());
  set.add(
      "base_frame", [](auto& c) -> auto& { return c.base_frame; },
      "frame of crop box and ground, looked up in tf; empty: the cloud's own", at_start());
  set.add("tf_timeout", [](auto& c) -> auto& { return c.tf_timeout; },
          "how long a cloud waits for base_frame, seconds", {.least = 0, .most = 10});
}

void add_preparation(Set& set) {
  set.add(
      "crop", [](auto& c) -> auto& { return c.preparation.crop; },
      "use only the points inside of the box crop_min ... crop_max");
  set.add(
      "crop_min", [](auto& c) -> auto& { return c.preparation.crop_min; },
      "lower corner of the box, metres");
  set.add(
      "crop_max", [](auto& c) -> auto& { return c.preparation.crop_max; },
      "upper corner of the box, metres");
  set.add(
      "remove_ground", [](auto& c) -> auto& { return c.preparation.remove_ground; },
      "take away the largest plane that is across the z axis");
  set.add("ground_distance", [](auto& c) -> auto& { return c.preparation.ground_distance; },
          "points this near to that plane are ground, metres", {.least = 0, .most = 10});
  set.add("ground_tilt", [](auto& c) -> auto& { return c.preparation.ground_tilt; },
          "how far that plane may be inclined, degrees", {.least = 0, .most = 90});
  set.add("voxel_size", [](auto& c) -> auto& { return c.preparation.voxel_size; },
          "one point for each cube of this edge, metres; 0: all points", {.least = 0, .most = 100});
}

}  // namespace

void validate(const PoseNodeConfig& config) {
  pointpng::validate(config.pose);
  validate(config.preparation);
  if (config.object_frame.empty() || config.reference_frame.empty())
    throw pointpng::InputError("object_frame and reference_frame must have names: /tf needs them");
  if (config.object_frame == config.base_frame || config.reference_frame == config.base_frame)
    throw pointpng::InputError(
        "base_frame is the robot's; object_frame and reference_frame differ");
}

Parameters<PoseNodeConfig> pose_parameters() {
  Set set;
  set.add(
      "mode", [](auto& c) -> auto& { return c.mode; },
      "reference: an object's pose; pair: one sensor in the other; sequence: where a sensor goes",
      {.choices = {"reference", "pair", "sequence"}, .fixed = true});
  set.add("reliability", [](auto& c) -> auto& { return c.reliability; }, kReliabilityText,
          {.choices = reliability_names(), .fixed = true});
  add_estimator(set);
  add_tracking(set);
  add_frames(set);
  add_preparation(set);
  set.add(
      "publish_tf", [](auto& c) -> auto& { return c.publish_tf; },
      "whether accepted poses go to /tf");
  set.add(
      "publish_embedding", [](auto& c) -> auto& { return c.publish_embedding; },
      "whether the embedding of each cloud goes to ~/embedding");
  return set;
}

}  // namespace pointpng_ros
