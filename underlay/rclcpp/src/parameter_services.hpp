#pragma once

#include <memory>
#include <vector>

#include "rclcpp/node.hpp"

namespace rclcpp::detail {

/// The six services by which others list, describe, get and set a node's parameters.
class ParameterServices {
 public:
  explicit ParameterServices(Node& node);

 private:
  std::vector<std::shared_ptr<ServiceBase>> services_;
};

}  // namespace rclcpp::detail
