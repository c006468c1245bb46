#pragma once

#include <string>

#include "cli/options.h"
#include "parameters.h"
#include "pose/config.h"
#include "pose/tracker.h"
#include "preparation.h"

namespace pointpng_ros {

/// Everything that a pose node can be told.
struct PoseNodeConfig {
  std::string mode = "reference";    ///< reference | pair | sequence
  std::string reliability = "auto";  ///< of the clouds: auto | best_effort | reliable
  std::string model;                 ///< a file or the name of an installed model; empty: "object"
  pointpng::cli::ComputeOptions compute;
  pointpng::PoseConfig pose;
  pointpng::TrackerConfig tracker;
  PreparationConfig preparation;

  std::string reference_file;     ///< cloud or mesh of the object, metres; empty: from elsewhere
  bool reference_latched = true;  ///< the reference topic is latched (transient local)
  std::string object_frame = "object";
  std::string reference_frame = "pointpng_reference";  ///< of a sequence: where it began
  std::string base_frame;    ///< box and ground are meant in it; empty: in the cloud's own frame
  double tf_timeout = 0.1;   ///< seconds to wait for the base frame
  double pair_slop = 0.02;   ///< stamps of a pair differ by at most this, seconds
  double largest_gap = 1.0;  ///< after a longer pause the last pose is no guess any more, seconds
  bool publish_tf = true;
  bool publish_embedding = false;
};

/// Throws `InputError` with a sentence for what makes no sense.
void validate(const PoseNodeConfig& config);

Parameters<PoseNodeConfig> pose_parameters();

}  // namespace pointpng_ros
