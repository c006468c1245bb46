#pragma once

#include <cstdint>
#include <string>

#include "parameters.h"
#include "simulator.h"

namespace pointpng_ros {

/// The parameters of a replay node.
struct ReplayConfig {
  std::string source = "simulator";  ///< or a rosbag2, a folder of depth frames or of cloud files
  std::string topic;                 ///< PointCloud2 topic of a bag that has several
  std::string pace = "rate";         ///< rate | recorded | served
  double rate = 10.0;                ///< clouds per second
  std::int64_t clouds = 0;           ///< stop after this many; 0: never
  bool loop = true;                  ///< start over at the end
  bool restamp = true;               ///< stamp with the current time, not the recording's
  bool clock = false;                ///< publish the recording's time on /clock
  std::string frame = "camera";      ///< of clouds that have none
  std::string true_frame = "object_true";  ///< of the simulated object on /tf
  SimulatorConfig simulator;
};

/// Throws `InputError` with a sentence about what is wrong.
void validate(const ReplayConfig& config);

Parameters<ReplayConfig> replay_parameters();

}  // namespace pointpng_ros
