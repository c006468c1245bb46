#pragma once

#include <string>
#include <vector>

#include "parameters.h"
#include "pointpng/cloud.h"
#include "pointpng/tracker.h"

namespace pointpng_ros {

/// The parameters of a pose node.
struct PoseNodeConfig {
  PoseNodeConfig() { registration.effort = pointpng::Effort::kFast; }  // a sensor does not wait

  std::string mode = "reference";    ///< reference | pair | sequence
  std::string reliability = "auto";  ///< of the clouds: auto | best_effort | reliable
  std::string model;                 ///< a file or the name of a shipped model; empty: "object"
  pointpng::ComputeOptions compute;
  pointpng::RegistrationConfig registration;
  pointpng::TrackerConfig tracker;
  pointpng::CropConfig crop;

  int max_instances = 1;                       ///< copies of each object that are looked for
  std::vector<std::string> references = {""};  ///< files of several objects
  std::string reference_file;     ///< cloud or mesh of the object, metres; empty: from elsewhere
  bool reference_latched = true;  ///< the topic `reference` is latched (transient local)
  std::string object_frame = "object";
  std::string reference_frame = "pointpng_reference";  ///< mode sequence: of the first cloud
  std::string base_frame;  ///< of crop box and ground; empty: the cloud's own frame
  bool viewpoint = true;   ///< the sensor is at the origin of its cloud's frame
  std::string up_frame;    ///< its z axis points up; empty: gravity is not used
  Eigen::Vector3d object_up = Eigen::Vector3d::UnitZ();  ///< in the object's own frame
  double tf_timeout = 0.1;                               ///< seconds to wait for the base frame
  double pair_slop = 0.02;   ///< largest difference of the stamps of a pair, seconds
  double largest_gap = 1.0;  ///< after a longer pause the last pose is no initial guess, seconds
  bool publish_tf = true;
  bool publish_embedding = false;
};

/// An object's file and its frame on /tf.
struct ReferenceFile {
  std::string path, frame;
};

/// `reference_file` in `object_frame`, or `references` in frames of their files' names.
std::vector<ReferenceFile> reference_files(const PoseNodeConfig& config);

/// Throws `InputError` with a sentence about what is wrong.
void validate(const PoseNodeConfig& config);

Parameters<PoseNodeConfig> pose_parameters();

}  // namespace pointpng_ros
