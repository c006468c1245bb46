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
  int status = kWrongUsage;  // of the command line and the parameter files
  try {
    rclcpp::init(argc, argv);
    status = kFailed;
    rclcpp::spin(make(rclcpp::NodeOptions()));
    status = 0;
  } catch (const pointpng::InputError&) {  // has been logged
    status = kWrongUsage;
  } catch (const std::exception& error) {
    RCLCPP_FATAL(rclcpp::get_logger("pointpng"), "%s", error.what());
  }
  rclcpp::shutdown();
  return status;
}

}  // namespace pointpng_ros
