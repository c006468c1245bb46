#include "device.h"

#include <rclcpp/logging.hpp>

#include "pointpng/error.h"

namespace pointpng_ros {

std::string choose_device(const pointpng::cli::ComputeOptions& options,
                          const rclcpp::Logger& logger) {
  try {
    const std::string device = pointpng::cli::apply(options).str();
    RCLCPP_INFO(logger, "computes on %s", device.c_str());
    return device;
  } catch (const pointpng::InputError& wrong) {
    RCLCPP_FATAL(logger, "%s", wrong.what());
    throw;
  }
}

}  // namespace pointpng_ros
