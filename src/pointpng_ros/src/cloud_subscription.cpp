#include "cloud_subscription.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "while_running.h"

namespace pointpng_ros {
namespace {

using namespace std::chrono_literals;

constexpr auto kCheck = 250ms;  // of the publishers

bool is_reliable(const rclcpp::TopicEndpointInfo& publisher) {
  return publisher.qos_profile().reliability() == rclcpp::ReliabilityPolicy::Reliable;
}

bool is_of_another_type(const rclcpp::TopicEndpointInfo& publisher) {
  return publisher.topic_type() != "sensor_msgs/msg/PointCloud2";
}

}  // namespace

std::vector<std::string> reliability_names() { return {"auto", "best_effort", "reliable"}; }

CloudSubscription::CloudSubscription(rclcpp::Node& node, const std::string& topic,
                                     const std::string& reliability, Callback callback)
    : node_(node),
      callback_(std::move(callback)),
      reliable_(reliability == "reliable"),
      current_(subscribe(topic, reliable_)),
      topic_(current_->get_topic_name()) {
  if (reliability == "auto")
    timer_ = node.create_wall_timer(kCheck, [this] { while_running([this] { adapt(); }); });
}

CloudSubscription::Subscription::SharedPtr CloudSubscription::subscribe(const std::string& topic,
                                                                        bool reliable) {
  rclcpp::QoS qos = rclcpp::SensorDataQoS();
  if (reliable) qos.reliable();
  return node_.create_subscription<CloudMessage>(
      topic, qos,
      [this, reliable](CloudMessage::ConstSharedPtr cloud) { take(std::move(cloud), reliable); });
}

void CloudSubscription::take(CloudMessage::ConstSharedPtr cloud, bool reliable) {
  if (reliable != reliable_) return;  // comes through the other subscription as well
  const bool twice = handed_over_ && cloud->header.stamp == last_stamp_;
  handed_over_ = false;
  last_stamp_ = cloud->header.stamp;
  if (twice) return;
  ++heard_;
  callback_(std::move(cloud));
}

/// The old subscription lives until the new one has matched all publishers: clouds come meanwhile.
void CloudSubscription::adapt() {
  const std::vector<Publisher> publishers = offers();
  if (publishers.empty()) return;  // a source that restarts will offer the same
  const bool reliable = std::all_of(publishers.begin(), publishers.end(), is_reliable);
  if (reliable == reliable_) {
    if (next_) retire(next_);
  } else if (!next_) {
    next_ = subscribe(topic_, reliable);
  } else if (next_->get_publisher_count() >= publishers.size()) {
    std::swap(current_, next_);
    retire(next_);
    reliable_ = reliable;
    handed_over_ = true;
  }
}

/// An executor of rclcpp 28 keeps its old list of entities, in which those behind a removed one are
/// not served any more, until it is triggered.
void CloudSubscription::retire(Subscription::SharedPtr& old) {
  old.reset();
  node_.get_node_base_interface()->trigger_notify_guard_condition();
}

std::vector<CloudSubscription::Publisher> CloudSubscription::offers() const {
  std::vector<Publisher> publishers = node_.get_publishers_info_by_topic(topic_);
  std::erase_if(publishers, is_of_another_type);
  return publishers;
}

std::string CloudSubscription::publishers() const {
  const std::size_t count = current_->get_publisher_count();
  return fmt::format("{} publisher{}", count, count == 1 ? "" : "s");
}

std::string CloudSubscription::describe() const {
  return fmt::format("{}: {}, {}", topic_, publishers(), reliable_ ? "reliable" : "best effort");
}

std::string CloudSubscription::explain_silence() const {
  if (node_.count_publishers(topic_) == 0)
    return fmt::format("no clouds come on {}: nobody publishes there", topic_);
  if (offers().empty())
    return fmt::format(
        "no clouds come on {}: what is published there is no sensor_msgs/msg/PointCloud2", topic_);
  if (reliable_ && current_->get_publisher_count() == 0)
    return fmt::format(
        "no clouds come on {}: they are offered best effort, and the parameter reliability asks "
        "for reliable",
        topic_);
  return fmt::format("no clouds come on {}, which has {}{}", topic_, publishers(),
                     reliable_ ? ""
                               : ": large best-effort clouds may be lost in transport, see "
                                 "config/fastdds.xml");
}

}  // namespace pointpng_ros
