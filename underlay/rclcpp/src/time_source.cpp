#include "time_source.hpp"

#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {
namespace {

constexpr char kParameter[] = "use_sim_time";

}  // namespace

TimeSource::TimeSource(Node& node) : node_(node), clock_(node.get_clock()) {
  Node::ParameterDescriptor descriptor;
  descriptor.description = "follow the simulated time of /clock instead of the system's";
  if (!node.has_parameter(kParameter)) node.declare_parameter(kParameter, false, descriptor);
  use_simulated_time(node.get_parameter(kParameter).as_bool());
  post_set_ =
      node.add_post_set_parameters_callback([this](const std::vector<Parameter>& parameters) {
        for (const auto& parameter : parameters)
          if (parameter.get_name() == kParameter) use_simulated_time(parameter.as_bool());
      });
}

TimeSource::~TimeSource() {
  post_set_.reset();
  const std::lock_guard<std::mutex> lock(mutex_);
  unsubscribe();
}

void TimeSource::use_simulated_time(bool use) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (use == (subscription_ != nullptr)) return;
  {
    const std::lock_guard<std::mutex> clock_lock(clock_->get_clock_mutex());
    check(use ? rcl_enable_ros_time_override(clock_->get_clock_handle())
              : rcl_disable_ros_time_override(clock_->get_clock_handle()),
          "failed to change the source of time");
  }
  if (use)
    subscribe();
  else
    unsubscribe();
}

void TimeSource::subscribe() {
  const bool own_thread = node_.get_node_options().use_clock_thread();
  SubscriptionOptions options;
  if (own_thread) {
    group_ = node_.create_callback_group(CallbackGroupType::MutuallyExclusive, false);
    options.callback_group = group_;
  }
  subscription_ = node_.create_subscription<rosgraph_msgs::msg::Clock>(
      "/clock", ClockQoS(), [this](const rosgraph_msgs::msg::Clock& message) { set_time(message); },
      options);
  if (!own_thread) return;
  executor_ = std::make_shared<executors::SingleThreadedExecutor>(
      ExecutorOptions{node_.get_node_options().context()});
  executor_->add_callback_group(group_, node_.get_node_base_interface());
  stop_ = std::promise<void>();
  thread_ = std::thread([executor = executor_, stopped = stop_.get_future().share()] {
    executor->spin_until_future_complete(stopped);
  });
}

void TimeSource::unsubscribe() {
  if (thread_.joinable()) {
    stop_.set_value();
    executor_->cancel();
    thread_.join();
  }
  executor_.reset();
  subscription_.reset();
  group_.reset();
}

void TimeSource::set_time(const rosgraph_msgs::msg::Clock& message) {
  const std::lock_guard<std::mutex> lock(clock_->get_clock_mutex());
  bool enabled = false;
  check(rcl_is_enabled_ros_time_override(clock_->get_clock_handle(), &enabled),
        "failed to ask for simulated time");
  if (enabled)
    check(rcl_set_ros_time_override(clock_->get_clock_handle(), Time(message.clock).nanoseconds()),
          "failed to set simulated time");
}

}  // namespace rclcpp::detail
