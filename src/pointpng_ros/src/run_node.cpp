#include "run_node.h"

#include <exception>
#include <rclcpp/rclcpp.hpp>

#include "pointpng/error.h"

namespace pointpng_ros {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

}  // namespace

int run_node(int argc, char** argv,
             rclcpp::Node::SharedPtr (*make)(const rclcpp::NodeOptions& options)) {
  int status = 0;
  try {
    rclcpp::init(argc, argv);
    rclcpp::spin(make(rclcpp::NodeOptions()));
  } catch (const pointpng::InputError&) {  // has been logged
    status = kWrongUsage;
  } catch (const rclcpp::exceptions::RCLInvalidROSArgsError& error) {
    RCLCPP_FATAL(rclcpp::get_logger("pointpng"), "%s", error.what());
    status = kWrongUsage;
  } catch (const std::exception& error) {
    RCLCPP_FATAL(rclcpp::get_logger("pointpng"), "%s", error.what());
    status = kFailed;
  }
  rclcpp::shutdown();
  return status;
}

}  // namespace pointpng_ros
