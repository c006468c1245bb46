#pragma once

#include <rclcpp/logger.hpp>
#include <string>

#include "cli/options.h"

namespace pointpng_ros {

/// The device that the options lead to, told in the log. Throws `InputError`, told as well, where
/// the machine does not have it.
std::string choose_device(const pointpng::cli::ComputeOptions& options,
                          const rclcpp::Logger& logger);

}  // namespace pointpng_ros
