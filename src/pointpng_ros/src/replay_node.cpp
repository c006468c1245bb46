#include "replay_node.h"

#include <algorithm>
#include <cmath>
#include <rclcpp_components/register_node_macro.hpp>
#include <tf2_eigen/tf2_eigen.hpp>
#include <utility>
#include <vector>

#include "cloud_messages.h"
#include "nodes.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng_ros {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr auto kLongestPause = 5s;                // between clouds of a recording
constexpr auto kServingTimeout = 3s;              // for the answer to a cloud
constexpr std::int64_t kStartNs = 1'000'000'000;  // when simulated time begins; 0 means "no time"

}  // namespace

ReplayNode::ReplayNode(const rclcpp::NodeOptions& options)
    : rclcpp::Node("replay", options), config_(*this, replay_parameters()) {
  const auto config = config_.get();
  clouds_ = create_publisher<CloudMessage>("cloud", rclcpp::QoS(5));
  model_ = create_publisher<CloudMessage>("~/model", rclcpp::QoS(1).transient_local());
  if (config->clock)
    clock_ = create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS());
  if (config->source == "simulator") tf_ = std::make_unique<tf2_ros::TransformBroadcaster>(*this);
  if (config->pace == "served")
    answers_ = create_subscription<pointpng_msgs::msg::Alignment>(
        "alignment", 10, [this](const pointpng_msgs::msg::Alignment& answer) {
          {
            const std::scoped_lock lock(mutex_);
            answered_ns_ = to_nanoseconds(answer.header.stamp);
          }
          changed_.notify_all();
        });
  thread_ = std::thread([this] { play(); });
}

ReplayNode::~ReplayNode() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReplayNode::play() {
  try {
    if (config_.get()->source == "simulator")
      simulate();
    else
      play_recording();
    if (rclcpp::ok())
      RCLCPP_INFO(get_logger(), "published %ld clouds", static_cast<long>(published_));
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
  }
}

void ReplayNode::simulate() {
  const auto config = config_.get();
  const Simulator simulator(config->simulator);
  hand_over(*model_, to_message(simulator.model(), to_header(config->true_frame, 0)));
  RCLCPP_INFO(get_logger(), "simulates an object in front of '%s'", config->frame.c_str());
  double seconds = 0.0;
  for (bool going_on = true; going_on; seconds += 1.0 / config_.get()->rate) {
    const SimulatedView view = simulator.view(seconds);
    const auto stamp_ns = kStartNs + static_cast<std::int64_t>(std::llround(1e9 * seconds));
    going_on = publish(to_message(view.points, to_header(config->frame, stamp_ns)),
                       view.camera_from_object);
  }
}

void ReplayNode::play_recording() {
  const auto config = config_.get();
  pointpng::LoadOptions options;
  options.topic = config->topic;
  options.max_points = 0;
  bool going_on = true;
  do {
    const std::int64_t before = published_;
    std::vector<std::string> notes;
    const auto on_message = [&](const pointpng::CloudMessage& recorded) {
      CloudMessage cloud = to_message(recorded.cloud);
      if (recorded.cloud.stamp_ns == 0) cloud.header.stamp = to_stamp(recorded.receive_ns);
      if (cloud.header.frame_id.empty()) cloud.header.frame_id = config->frame;
      return going_on = publish(std::move(cloud));
    };
    const auto on_frame = [&](const pointpng::SequenceFrame& frame) {
      // Folders have no times: their clouds are 1/rate apart.
      const double seconds = static_cast<double>(published_ - before) / config_.get()->rate;
      const auto stamp_ns = kStartNs + static_cast<std::int64_t>(std::llround(1e9 * seconds));
      return going_on = publish(to_message(frame.points, to_header(config->frame, stamp_ns)));
    };
    if (pointpng::is_bag(config->source))
      pointpng::read_clouds(config->source, config->topic, on_message, &notes);
    else
      pointpng::read_sequence(config->source, options, on_frame, &notes);
    for (const std::string& note : notes) RCLCPP_WARN(get_logger(), "%s", note.c_str());
    if (published_ == before) throw pointpng::InputError(config->source + " has no clouds");
  } while (going_on && config->loop);
}

bool ReplayNode::publish(CloudMessage cloud, const std::optional<Eigen::Isometry3d>& truth) {
  const auto config = config_.get();
  const std::int64_t recorded_ns = to_nanoseconds(cloud.header.stamp);
  if (!wait_for_turn(recorded_ns)) return false;
  if (config->restamp) cloud.header.stamp = now();
  if (clock_) {
    rosgraph_msgs::msg::Clock time;
    time.clock = cloud.header.stamp;
    clock_->publish(time);
  }
  if (truth && tf_) {
    auto transform = tf2::eigenToTransform(*truth);
    transform.header = cloud.header;
    transform.child_frame_id = config->true_frame;
    tf_->sendTransform(transform);
  }
  last_published_ns_ = to_nanoseconds(cloud.header.stamp);
  last_recorded_ns_ = recorded_ns;
  hand_over(*clouds_, std::move(cloud));
  ++published_;
  return config->clouds == 0 || published_ < config->clouds;
}

bool ReplayNode::wait_for_turn(std::int64_t recorded_ns) {
  const auto config = config_.get();
  if (config->pace == "served") return published_ == 0 ? wait_for_listener() : wait_until_served();
  nanoseconds pause(static_cast<std::int64_t>(1e9 / config->rate));
  if (config->pace == "recorded")
    pause =
        std::clamp<nanoseconds>(nanoseconds(recorded_ns - last_recorded_ns_), 0ns, kLongestPause);
  // Late clouds are not caught up.
  next_turn_ = published_ == 0 ? Steady::now() : std::max(next_turn_ + pause, Steady::now());
  std::unique_lock lock(mutex_);
  return !changed_.wait_until(lock, next_turn_, [this] { return stopping_; });
}

bool ReplayNode::wait_for_listener() {
  std::unique_lock lock(mutex_);
  while (!stopping_ &&
         (clouds_->get_subscription_count() == 0 || answers_->get_publisher_count() == 0))
    changed_.wait_for(lock, 50ms);
  return !stopping_;
}

bool ReplayNode::wait_until_served() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kServingTimeout,
                         [this] { return stopping_ || answered_ns_ == last_published_ns_; }))
    RCLCPP_WARN(get_logger(), "no answer to the last cloud: publishing the next one");
  return !stopping_;
}

rclcpp::Node::SharedPtr make_replay_node(const rclcpp::NodeOptions& options) {
  return std::make_shared<ReplayNode>(options);
}

}  // namespace pointpng_ros

RCLCPP_COMPONENTS_REGISTER_NODE(pointpng_ros::ReplayNode)
