#pragma once

#include <rcl/graph.h>
#include <string>

#include "rclcpp/qos.hpp"

namespace rclcpp {

/// A publisher or subscription of somebody, as the graph knows it.
class TopicEndpointInfo {
 public:
  explicit TopicEndpointInfo(const rcl_topic_endpoint_info_t& info)
      : node_name_(info.node_name),
        node_namespace_(info.node_namespace),
        topic_type_(info.topic_type),
        qos_profile_(QoSInitialization::from_rmw(info.qos_profile), info.qos_profile) {}

  const std::string& node_name() const { return node_name_; }
  const std::string& node_namespace() const { return node_namespace_; }
  const std::string& topic_type() const { return topic_type_; }
  const QoS& qos_profile() const { return qos_profile_; }

 private:
  std::string node_name_, node_namespace_, topic_type_;
  QoS qos_profile_;
};

}  // namespace rclcpp
