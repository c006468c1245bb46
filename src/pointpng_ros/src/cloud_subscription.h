#pragma once

#include <cstdint>
#include <functional>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <string>
#include <vector>

namespace pointpng_ros {

/// auto, best_effort, reliable.
std::vector<std::string> reliability_names();
inline constexpr const char* kReliabilityText =
    "QoS of the clouds; auto: reliable where all publishers offer it, else best effort";

/// The clouds of a topic. With "auto" they are received reliably where all publishers offer that,
/// because a large cloud is sent in fragments and lost with any of them; else best effort, which
/// every publisher can serve. Follows publishers that come later. All of it happens in the node's
/// default callback group: nothing here needs a lock.
class CloudSubscription {
 public:
  using CloudMessage = sensor_msgs::msg::PointCloud2;
  using Callback = std::function<void(CloudMessage::ConstSharedPtr)>;

  /// `reliability`: auto | best_effort | reliable.
  CloudSubscription(rclcpp::Node& node, const std::string& topic, const std::string& reliability,
                    Callback callback);

  const std::string& topic() const { return topic_; }  ///< with namespace, after remapping
  std::uint64_t heard() const { return heard_; }       ///< number of clouds so far

  /// Publishers and reliability, for diagnostics.
  std::string describe() const;
  /// Why no clouds come.
  std::string explain_silence() const;

 private:
  using Subscription = rclcpp::Subscription<CloudMessage>;
  using Publisher = rclcpp::TopicEndpointInfo;

  Subscription::SharedPtr subscribe(const std::string& topic, bool reliable);
  void take(CloudMessage::ConstSharedPtr cloud, bool reliable);
  void adapt();
  void retire(Subscription::SharedPtr& old);
  std::vector<Publisher> offers() const;  ///< publishers of clouds
  std::string publishers() const;

  rclcpp::Node& node_;
  Callback callback_;
  bool reliable_;
  Subscription::SharedPtr current_;
  Subscription::SharedPtr next_;  ///< takes over once it has matched all publishers
  std::string topic_;
  std::uint64_t heard_ = 0;
  bool handed_over_ = false;  ///< the next cloud may have come through the old subscription as well
  builtin_interfaces::msg::Time last_stamp_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace pointpng_ros
