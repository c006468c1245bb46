#pragma once

#include <string>

namespace pointpng {

/// A ROS 2 message type as bags describe it, so that readers without ROS can decode it.
struct MessageType {
  std::string name;        ///< "sensor_msgs/msg/PointCloud2"
  std::string definition;  ///< .msg text, followed by the types that it uses
  std::string hash;        ///< RIHS01 type hash
};

const MessageType& point_cloud2_type();

}  // namespace pointpng
