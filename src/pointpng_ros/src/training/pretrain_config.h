#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parameters.h"
#include "pointpng/training.h"

namespace pointpng_ros {

/// The parameters of a pre-training node. Lists that are empty hold one empty text: ROS has no type
/// for an empty list.
struct PretrainConfig {
  std::vector<std::string> data = {""};  ///< bags, folders, files; none: clouds of the topic
  std::string topic;                     ///< PointCloud2 topic of bags that have several
  std::string out = "pointpng_run";      ///< folder of the run; an existing run is resumed
  std::string preset = "small";
  double epochs = 0.0;     ///< 0: those of the preset
  double minutes = 0.0;    ///< 0: by epochs
  std::int64_t batch = 0;  ///< 0: that of the preset
  std::int64_t seed = 0;
  std::string init;                          ///< encoder to start from; empty: none
  std::vector<std::string> settings = {""};  ///< as --set: train.loss.beta=0.5
  std::int64_t clouds = 500;                 ///< to collect from the topic before training
  double collect_interval = 0.5;             ///< seconds between collected clouds
  std::string reliability = "auto";          ///< of these clouds: auto | best_effort | reliable
  bool autostart = false;                    ///< without waiting for ~/start
  pointpng::ComputeOptions compute;
};

/// Throws `InputError` with a sentence about what is wrong.
void validate(const PretrainConfig& config);

Parameters<PretrainConfig> pretrain_parameters();

/// The sources without empty texts.
std::vector<std::string> sources(const PretrainConfig& config);

/// The plan that `pointpng pretrain` makes of the same options.
pointpng::RunPlan make_plan(const PretrainConfig& config, const std::vector<std::string>& data);

}  // namespace pointpng_ros
