#include "pose_node.h"

#include <rclcpp_components/register_node_macro.hpp>

#include "answer_once.h"
#include "cloud_messages.h"
#include "nodes.h"
#include "while_running.h"

namespace pointpng_ros {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kWarnAgain = 10'000;    // ms between warnings of one kind
constexpr std::int64_t kSilentAgain = 60'000;  // … about missing clouds

}  // namespace

PoseNode::PoseNode(const rclcpp::NodeOptions& options)
    : rclcpp::Node("pose", options),
      config_(*this, pose_parameters()),
      preprocessor_(*this, *config_.get()),
      engine_([this] { return config_.get(); }, statistics_, get_logger(),
              [this](const StampedCloud& reference) {
                publish_reference(reference.points, to_header(reference.frame, reference.stamp_ns));
              }),
      tf_(*this) {
  advertise();
  log_refusal(get_logger(), [this] { engine_.load(); });
  services_ = std::make_unique<PoseServices>(*this, *config_.get(), engine_, statistics_);
  input_ = std::make_unique<CloudInput>(
      *this, [this] { return config_.get(); },
      [this](CloudPair clouds) {
        statistics_.arrived();
        inbox_.put(std::move(clouds));
      });
  report_timer_ = create_wall_timer(1s, [this] { while_running([this] { report(); }); });
  worker_ = std::thread([this] { work(); });
}

PoseNode::~PoseNode() {
  inbox_.close();
  worker_.join();
}

void PoseNode::advertise() {
  const auto latched = rclcpp::QoS(1).reliable().transient_local();
  alignments_ = create_publisher<pointpng_msgs::msg::Alignment>("~/alignment", 10);
  poses_ = create_publisher<geometry_msgs::msg::PoseWithCovarianceStamped>("~/pose", 10);
  aligned_ = create_publisher<CloudMessage>("~/aligned", 2);
  references_ = create_publisher<CloudMessage>("~/reference", latched);
  markers_ = create_publisher<visualization_msgs::msg::MarkerArray>("~/markers", 2);
  embeddings_ = create_publisher<pointpng_msgs::msg::Embedding>("~/embedding", 10);
  diagnostics_ = create_publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", 10);
}

void PoseNode::work() {
  RCLCPP_INFO(get_logger(), "ready: mode %s", config_.get()->mode.c_str());
  while (const auto clouds = inbox_.take()) serve(*clouds);
}

void PoseNode::serve(const CloudPair& clouds) {
  const auto config = config_.get();
  std::optional<StampedCloud> cloud, target;
  const auto align = [&] {
    cloud = preprocessor_.run(*clouds.cloud, *config);
    if (clouds.target) target = preprocessor_.run(*clouds.target, *config);
    return engine_.align(*cloud, target ? &*target : nullptr);
  };
  const auto publish_all = [&](const StampedAlignments& results) {
    for (const StampedAlignment& result : results) publish(result, clouds);
    if (config->publish_embedding && results.front().was_registered()) publish_embedding(*cloud);
    engine_.look_again();
  };
  answer_once(
      align, [&](const std::exception& reason) { return reject(clouds, reason); }, publish_all,
      [&](const std::exception& error) {
        RCLCPP_ERROR_THROTTLE(get_logger(), steady_, kWarnAgain, "%s", error.what());
      });
}

StampedAlignments PoseNode::reject(const CloudPair& clouds, const std::exception& reason) {
  statistics_.unusable(reason.what());
  RCLCPP_WARN_THROTTLE(get_logger(), steady_, kWarnAgain, "%s", reason.what());
  StampedAlignment result;
  result.alignment.rejection_reason = reason.what();
  result.frame = clouds.cloud->header.frame_id;
  result.stamp_ns = to_nanoseconds(clouds.cloud->header.stamp);
  return {result};
}

void PoseNode::publish(const StampedAlignment& result, const CloudPair& clouds) {
  const auto header = to_header(result.frame, result.stamp_ns);
  const double latency_ms = clouds.milliseconds_since_arrival();
  alignments_->publish(to_message(result, latency_ms));
  if (result.was_registered())
    statistics_.answered(result.alignment.accepted, latency_ms, result.alignment.rejection_reason);
  if (result.alignment.accepted) {
    if (config_.get()->publish_tf) tf_.sendTransform(to_transform(result));
    poses_->publish(to_pose(result));
    if (aligned_->get_subscription_count() > 0)
      hand_over(*aligned_, to_message(result.aligned, header));
  }
  if (result.new_target.rows() > 0)
    publish_reference(result.new_target, to_header(result.frame, result.target_stamp_ns));
  if (result.was_registered() && markers_->get_subscription_count() > 0)
    markers_->publish(to_markers(result));
}

void PoseNode::publish_reference(const pointpng::Cloud& points,
                                 const std_msgs::msg::Header& header) {
  hand_over(*references_, to_message(points, header));
}

void PoseNode::publish_embedding(const StampedCloud& cloud) {
  const auto prepared = engine_.registration().prepare(cloud.points, "the cloud");
  embeddings_->publish(
      to_embedding(prepared, to_header(cloud.frame, cloud.stamp_ns), engine_.model()));
}

void PoseNode::report() {
  const auto config = config_.get();
  engine_.watch_device();
  NodeState state;
  state.name = std::string(get_fully_qualified_name()) + ": poses";
  state.mode = config->mode;
  state.model = config->model.empty() ? "default" : config->model;
  state.topics = input_->describe();
  state.silence = input_->explain_silence();
  state.dropped = inbox_.dropped();
  diagnostic_msgs::msg::DiagnosticArray message;
  message.header.stamp = now();
  message.status.push_back(statistics_.report(state));
  diagnostics_->publish(message);
  if (message.status.front().level == diagnostic_msgs::msg::DiagnosticStatus::STALE)
    RCLCPP_WARN_THROTTLE(get_logger(), steady_, kSilentAgain, "%s", state.silence.c_str());
}

rclcpp::Node::SharedPtr make_pose_node(const rclcpp::NodeOptions& options) {
  return std::make_shared<PoseNode>(options);
}

}  // namespace pointpng_ros

RCLCPP_COMPONENTS_REGISTER_NODE(pointpng_ros::PoseNode)
