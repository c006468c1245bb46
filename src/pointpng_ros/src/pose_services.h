#pragma once

#include <pointpng_msgs/srv/align.hpp>
#include <pointpng_msgs/srv/set_reference.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>

#include "job_thread.h"
#include "pose_config.h"
#include "pose_engine.h"
#include "statistics.h"

namespace pointpng_ros {

/// What a pose node is asked for besides clouds: ~/align, ~/set_reference and the topic
/// `reference`. All of it may take long and is done in a thread of its own.
class PoseServices {
 public:
  PoseServices(rclcpp::Node& node, const PoseNodeConfig& config, PoseEngine& engine,
               Statistics& statistics);

 private:
  using CloudMessage = sensor_msgs::msg::PointCloud2;
  using Align = pointpng_msgs::srv::Align;
  using SetReference = pointpng_msgs::srv::SetReference;

  /// `answer` is a method that fills a response; it may throw, and `fail` tells the client why.
  template <class Service, class Answer, class Fail>
  typename rclcpp::Service<Service>::SharedPtr offer(rclcpp::Node& node, const std::string& name,
                                                     Answer answer, Fail fail);
  void align(const Align::Request& request, Align::Response& response);
  void set_reference(const SetReference::Request& request, SetReference::Response& response);

  PoseEngine& engine_;
  rclcpp::Service<Align>::SharedPtr align_;
  rclcpp::Service<SetReference>::SharedPtr set_reference_;
  rclcpp::Subscription<CloudMessage>::SharedPtr references_;
  JobThread jobs_;  // the last member: it uses all others
};

}  // namespace pointpng_ros
