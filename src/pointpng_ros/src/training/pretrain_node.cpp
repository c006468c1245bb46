#include "pretrain_node.h"

#include <cmath>
#include <limits>
#include <rclcpp_components/register_node_macro.hpp>
#include <utility>

#include <fmt/format.h>

#include "cloud_messages.h"
#include "nodes.h"
#include "pointpng/error.h"

namespace pointpng_ros {
namespace {

namespace fs = std::filesystem;
using pointpng::InputError;
using pointpng::RunResult;

/// A service whose callback returns a message, or throws the reason of its failure.
template <class Action>
auto trigger(Action action) {
  return [action](const std::shared_ptr<std_srvs::srv::Trigger::Request>& /*request*/,
                  const std::shared_ptr<std_srvs::srv::Trigger::Response>& response) {
    try {
      response->message = action();
      response->success = true;
    } catch (const std::exception& wrong) {
      response->message = wrong.what();
      response->success = false;
    }
  };
}

}  // namespace

PretrainNode::PretrainNode(const rclcpp::NodeOptions& options)
    : rclcpp::Node("pretrain", options), config_(*this, pretrain_parameters()) {
  const auto config = config_.get();
  const bool cuda =
      config->compute.device != pointpng::Device::kCpu && pointpng::learning_info().cuda_usable;
  RCLCPP_INFO(get_logger(), "computes on %s", cuda ? "cuda" : "cpu");
  progress_ = create_publisher<Progress>("~/progress", rclcpp::QoS(1).transient_local());
  start_service_ = create_service<Trigger>("~/start", trigger([this] { return start(); }));
  stop_service_ = create_service<Trigger>("~/stop", trigger([this] { return stop(); }));
  if (sources(*config).empty())
    clouds_ = std::make_unique<CloudSubscription>(
        *this, "cloud", config->reliability,
        [this](const CloudMessage::ConstSharedPtr& cloud) { collect(*cloud); });
  status_.run = config->out;
  status_.loss = std::numeric_limits<double>::quiet_NaN();
  set_state(Progress::IDLE);
  if (config->autostart) RCLCPP_INFO(get_logger(), "%s", start().c_str());
}

PretrainNode::~PretrainNode() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  try {
    end_collecting();
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
  }
}

fs::path PretrainNode::collected() const { return config_.get()->out + ".clouds"; }

bool PretrainNode::has_run() const {
  return fs::exists(fs::path(config_.get()->out) / "config.json");
}

std::string PretrainNode::start() {
  const std::scoped_lock lock(mutex_);
  if (status_.state == Progress::TRAINING) throw InputError("training is running already");
  if (status_.state == Progress::COLLECTING) {
    if (!end_collecting())
      throw InputError("no clouds have come yet: is the topic 'cloud' remapped?");
    begin_training();
    return fmt::format("training on the {} collected clouds", status_.clouds);
  }
  const bool has_data = !sources(*config_.get()).empty() || fs::exists(collected());
  if (has_run() || has_data) {
    const bool again = has_run();
    begin_training();
    return again ? fmt::format("resuming the run in {}", status_.run)
                 : fmt::format("training; the run is in {}", status_.run);
  }
  begin_collecting();
  return fmt::format("collecting {} clouds first", config_.get()->clouds);
}

std::string PretrainNode::stop() {
  const std::scoped_lock lock(mutex_);
  if (status_.state == Progress::COLLECTING) {
    end_collecting();
    set_state(Progress::STOPPED, "collecting was stopped; ~/start trains on the clouds so far");
    return status_.message;
  }
  if (status_.state != Progress::TRAINING) throw InputError("there is nothing to stop");
  stop_ = true;
  return "stopping after this step; the run is saved";
}

// Collecting
// ---------------------------------------------------------------------------------------

void PretrainNode::begin_collecting() {
  bag_ = std::make_unique<pointpng::BagWriter>(collected());
  status_.clouds = 0;
  last_collected_ns_ = 0;
  set_state(Progress::COLLECTING);
}

void PretrainNode::collect(const CloudMessage& cloud) {
  const std::scoped_lock lock(mutex_);
  if (status_.state != Progress::COLLECTING || cloud.width * cloud.height == 0) return;
  const auto config = config_.get();
  const std::int64_t now_ns = now().nanoseconds();
  const bool early =
      now_ns >= last_collected_ns_ &&
      1e-9 * static_cast<double>(now_ns - last_collected_ns_) < config->collect_interval;
  if (last_collected_ns_ != 0 && early) return;
  try {
    bag_->write(clouds_->topic(), now_ns, to_recorded(cloud));
    last_collected_ns_ = now_ns;
    ++status_.clouds;
    publish();
    if (std::cmp_greater_equal(status_.clouds, config->clouds) && end_collecting())
      begin_training();
  } catch (const std::exception& error) {
    bag_.reset();
    set_state(Progress::FAILED, error.what());
  }
}

bool PretrainNode::end_collecting() {
  if (!bag_ || status_.clouds == 0) {
    bag_.reset();
    return false;
  }
  bag_->close();
  bag_.reset();
  return true;
}

// Training
// -----------------------------------------------------------------------------------------

void PretrainNode::begin_training() {
  if (thread_.joinable()) thread_.join();  // of a run that has ended
  stop_ = false;
  set_state(Progress::TRAINING);
  thread_ = std::thread([this] { train(); });
}

void PretrainNode::train() {
  const auto config = config_.get();
  std::vector<std::string> data = sources(*config);
  if (data.empty()) data = {collected().string()};
  pointpng::RunHooks hooks;
  hooks.on_message = [this](pointpng::Severity severity, const std::string& message) {
    if (severity == pointpng::Severity::kWarning)
      RCLCPP_WARN(get_logger(), "%s", message.c_str());
    else
      RCLCPP_INFO(get_logger(), "%s", message.c_str());
  };
  hooks.on_status = [this](const pointpng::TrainStatus& status) { watch(status); };
  hooks.on_event = [this](const pointpng::TrainEvent& event) {
    set_state(Progress::TRAINING, event.message);
  };
  hooks.stop = &stop_;
  try {
    const RunResult result =
        has_run()
            ? pointpng::resume_run("pretrain", config->out, config->compute, hooks)
            : pointpng::start_run(make_plan(*config, data), config->out, config->compute, hooks);
    if (result.end == pointpng::TrainEnd::kFinished)
      set_state(Progress::FINISHED, "the model is " + result.result.string());
    else
      set_state(Progress::STOPPED, "stopped and saved; ~/start resumes it");
  } catch (const std::exception& error) {
    set_state(Progress::FAILED, error.what());
  }
}

void PretrainNode::watch(const pointpng::TrainStatus& status) {
  const std::scoped_lock lock(mutex_);
  status_.step = static_cast<std::uint64_t>(status.step);
  status_.epoch = status.epoch;
  status_.progress = status.progress;
  status_.elapsed_s = status.elapsed_s;
  status_.left_s = status.left_s;
  status_.clouds_per_s = status.clouds_per_s;
  status_.learning_rate = status.learning_rate;
  status_.names.clear();
  status_.values.clear();
  for (const auto& [name, value] : status.means) {
    if (name == "loss") {
      status_.loss = value;
      continue;
    }
    status_.names.push_back(name);
    status_.values.push_back(value);
  }
  publish();
}

void PretrainNode::set_state(std::uint8_t state, const std::string& message) {
  const std::scoped_lock lock(mutex_);
  status_.state = state;
  status_.message = message;
  if (state == Progress::FAILED)
    RCLCPP_ERROR(get_logger(), "%s", message.c_str());
  else if (!message.empty())
    RCLCPP_INFO(get_logger(), "%s", message.c_str());
  publish();
}

void PretrainNode::publish() {
  status_.header.stamp = now();
  progress_->publish(status_);
}

rclcpp::Node::SharedPtr make_pretrain_node(const rclcpp::NodeOptions& options) {
  return std::make_shared<PretrainNode>(options);
}

}  // namespace pointpng_ros

RCLCPP_COMPONENTS_REGISTER_NODE(pointpng_ros::PretrainNode)
