#include "pose_node.h"

#include <rclcpp_components/register_node_macro.hpp>
#include <tf2/exceptions.h>
#include <tf2_eigen/tf2_eigen.hpp>
#include <utility>

#include <fmt/format.h>
#include <torch/types.h>

#include "base/memory.h"
#include "base/rows.h"
#include "cloud/normalise.h"
#include "cloud_messages.h"
#include "device.h"
#include "model_files.h"
#include "nodes.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "pose/embedding.h"
#include "while_running.h"

namespace pointpng_ros {
namespace {

using namespace std::chrono_literals;
using pointpng::Cloud;
using pointpng::InputError;

constexpr auto kRetry = 5s;                 // between attempts to read a model or a reference
constexpr std::int64_t kSayAgain = 10'000;  // ms between log lines of one kind
constexpr std::int64_t kSilence = 60'000;   // … that tell of clouds which don't come

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// True where the estimator or the tracking has to be made anew.
bool differs(const PoseNodeConfig& a, const PoseNodeConfig& b) {
  const auto tracking = [](const pointpng::TrackerConfig& c) {
    return std::tuple(c.lost_below, c.second_look, c.keyframe_overlap, c.keyframes);
  };
  return nlohmann::json(a.pose) != nlohmann::json(b.pose) ||
         tracking(a.tracker) != tracking(b.tracker);
}

}  // namespace

PoseNode::PoseNode(const rclcpp::NodeOptions& options)
    : rclcpp::Node("pose", options), config_(*this, pose_parameters()) {
  pointpng::tune_allocator();
  statistics_.set_device(choose_device(config_.get()->compute, get_logger()));
  tf_ = std::make_unique<tf2_ros::TransformBroadcaster>(*this);
  if (!config_.get()->base_frame.empty()) {
    tf_buffer_ = std::make_unique<tf2_ros::Buffer>(get_clock());
    tf_listener_ = std::make_unique<tf2_ros::TransformListener>(*tf_buffer_);
  }
  advertise();
  offer_services();
  subscribe();
  report_timer_ = create_wall_timer(1s, [this] { while_running([this] { report(); }); });
  // LibTorch's number of threads is a thread's own.
  jobs_ = std::make_unique<JobThread>();
  jobs_->add([compute = config_.get()->compute] { pointpng::cli::apply(compute); });
  worker_ = std::thread([this] { work(); });
}

PoseNode::~PoseNode() {
  inbox_.close();
  worker_.join();
  jobs_.reset();
}

// Entities
// -----------------------------------------------------------------------------------------

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

void PoseNode::subscribe() {
  const auto config = config_.get();
  const auto slop = [this] { return static_cast<std::int64_t>(1e9 * config_.get()->pair_slop); };
  const auto take = [this, config](const std::string& topic, CloudSubscription::Callback callback) {
    return std::make_unique<CloudSubscription>(*this, topic, config->reliability,
                                               std::move(callback));
  };
  if (config->mode == "pair") {
    clouds_ = take("cloud", [this, slop](CloudPtr cloud) {
      if (const auto pair = pairs_.add_cloud(std::move(cloud), slop()))
        arrived(pair->first, pair->second);
    });
    targets_ = take("target", [this, slop](CloudPtr target) {
      if (const auto pair = pairs_.add_target(std::move(target), slop()))
        arrived(pair->first, pair->second);
    });
    return;
  }
  clouds_ = take("cloud", [this](CloudPtr cloud) { arrived(std::move(cloud)); });
  if (config->mode != "reference") return;
  auto qos = rclcpp::QoS(1).reliable().transient_local();
  if (!config->reference_latched) qos = rclcpp::SensorDataQoS();
  reference_clouds_ = create_subscription<CloudMessage>("reference", qos, [this](CloudPtr cloud) {
    jobs_->add([this, cloud = std::move(cloud)] {
      try {
        set_reference({to_cloud(*cloud), "the cloud of the topic 'reference'",
                       to_nanoseconds(cloud->header.stamp)});
        next_cloud_is_reference_ = false;
      } catch (const std::exception& wrong) {
        statistics_.unusable(wrong.what());
        RCLCPP_WARN(get_logger(), "the reference was not taken: %s", wrong.what());
      }
    });
  });
}

void PoseNode::offer_services() {
  align_service_ = create_service<pointpng_msgs::srv::Align>(
      "~/align",
      [this](const AlignService::SharedPtr& service, const std::shared_ptr<rmw_request_id_t>& id,
             const std::shared_ptr<pointpng_msgs::srv::Align::Request>& request) {
        jobs_->add([this, service, id, request] {
          pointpng_msgs::srv::Align::Response response;
          try {
            response.alignment = answer_align(*request);
          } catch (const std::exception& wrong) {
            response.alignment.accepted = false;
            response.alignment.reason = wrong.what();
          }
          service->send_response(*id, response);
        });
      });
  reference_service_ = create_service<pointpng_msgs::srv::SetReference>(
      "~/set_reference",
      [this](const ReferenceService::SharedPtr& service,
             const std::shared_ptr<rmw_request_id_t>& id,
             const std::shared_ptr<pointpng_msgs::srv::SetReference::Request>& request) {
        jobs_->add([this, service, id, request] {
          pointpng_msgs::srv::SetReference::Response response;
          try {
            response.message = take_reference(*request, response.points);
            response.success = true;
          } catch (const std::exception& wrong) {
            response.message = wrong.what();
          }
          service->send_response(*id, response);
        });
      });
}

void PoseNode::arrived(CloudPtr cloud, CloudPtr target) {
  statistics_.arrived();
  inbox_.put({std::move(cloud), std::move(target), Steady::now()});
}

void PoseNode::report() {
  const auto config = config_.get();
  NodeState state;
  state.name = std::string(get_fully_qualified_name()) + ": poses";
  state.mode = config->mode;
  state.model = config->model.empty() ? "default" : config->model;
  state.topics = clouds_->describe();
  if (targets_) state.topics += "; " + targets_->describe();
  state.silence = explain_silence(*config);
  state.dropped = inbox_.dropped();
  diagnostic_msgs::msg::DiagnosticArray message;
  message.header.stamp = now();
  message.status.push_back(statistics_.report(state));
  diagnostics_->publish(message);
  if (message.status.front().level == diagnostic_msgs::msg::DiagnosticStatus::STALE)
    RCLCPP_WARN_THROTTLE(get_logger(), steady_, kSilence, "%s", state.silence.c_str());
}

/// Why nothing is served, where nothing is.
std::string PoseNode::explain_silence(const PoseNodeConfig& config) {
  const auto is_silent = [](const CloudSubscription& topic, std::uint64_t& heard) {
    return std::exchange(heard, topic.heard()) == topic.heard();
  };
  const bool no_clouds = is_silent(*clouds_, clouds_told_);
  const bool no_targets = targets_ && is_silent(*targets_, targets_told_);
  if (no_clouds) return clouds_->explain_silence();
  if (no_targets) return targets_->explain_silence();
  if (!targets_) return "";
  return fmt::format("clouds come on {} and {}, but no two of them within pair_slop ({} s)",
                     clouds_->topic(), targets_->topic(), config.pair_slop);
}

// Clouds, in their own thread
// ----------------------------------------------------------------------

void PoseNode::work() {
  pointpng::cli::apply(config_.get()->compute);
  try {
    estimator();
    RCLCPP_INFO(get_logger(), "ready: mode %s", config_.get()->mode.c_str());
  } catch (const std::exception& missing) {
    RCLCPP_ERROR(get_logger(), "%s", missing.what());
  }
  while (const auto arrival = inbox_.take()) serve(*arrival);
}

void PoseNode::serve(const Arrival& arrival) {
  try {
    const auto config = config_.get();
    const Observation cloud = observe(*arrival.cloud, *config);
    std::optional<Observation> target;
    if (arrival.target) target = observe(*arrival.target, *config);
    if (target && target->frame == cloud.frame)
      throw InputError(
          fmt::format("both clouds of the pair have the frame '{}': the pose of a "
                      "frame in itself is no news",
                      cloud.frame));
    if (next_cloud_is_reference_.exchange(false))
      set_reference({cloud.points, "a cloud of the sensor", cloud.stamp_ns});
    const std::shared_ptr<Aligner> mode = aligner();
    notice_time(cloud.stamp_ns, *config, *mode);
    publish(mode->align(cloud, target ? &*target : nullptr), arrival, *config);
    if (config->publish_embedding) publish_embedding(cloud);
    mode->look_again();
  } catch (const std::exception& unusable) {
    statistics_.unusable(unusable.what());
    reject(arrival, unusable.what());
  }
}

Observation PoseNode::observe(const CloudMessage& message, const PoseNodeConfig& config) {
  Observation cloud;
  cloud.frame = message.header.frame_id;
  cloud.stamp_ns = to_nanoseconds(message.header.stamp);
  if (cloud.frame.empty()) throw InputError("the cloud has no frame_id: /tf needs one");
  if (tf_buffer_ && cloud.frame != config.base_frame)
    cloud.base_from_cloud = tf2::transformToEigen(tf_buffer_->lookupTransform(
        config.base_frame, cloud.frame, rclcpp::Time(message.header.stamp),
        rclcpp::Duration::from_seconds(config.tf_timeout)));
  std::size_t missing = 0;
  cloud.points = to_cloud(message, &missing);
  if (cloud.points.rows() == 0)
    throw InputError(missing == 0 ? "the cloud is empty"
                                  : "the cloud has no valid points: all are NaN or missing");
  cloud.points = prepare(std::move(cloud.points), config.preparation, cloud.base_from_cloud);
  return cloud;
}

void PoseNode::notice_time(std::int64_t stamp_ns, const PoseNodeConfig& config, Aligner& aligner) {
  const std::optional<std::int64_t> last = std::exchange(last_stamp_ns_, stamp_ns);
  if (!last) return;
  const double gap = 1e-9 * static_cast<double>(stamp_ns - *last);
  if (gap < 0.0) {
    const auto sentence =
        fmt::format("time went back by {:.3f} s: the last pose is forgotten", -gap);
    statistics_.jumped(sentence);
    RCLCPP_WARN(get_logger(), "%s", sentence.c_str());
    aligner.forget(true);
  } else if (gap > config.largest_gap) {
    statistics_.paused(fmt::format("no cloud came for {:.3f} s: the last pose is forgotten", gap));
    aligner.forget(false);
  }
}

void PoseNode::publish(const Outcome& outcome, const Arrival& arrival,
                       const PoseNodeConfig& config) {
  Answer answer = outcome.answer;
  const bool accepted = answer.alignment.accepted;
  if (accepted && answer.frame == answer.child_frame)
    throw InputError(
        fmt::format("the cloud's frame is '{}', which is the name of the frame that is looked for: "
                    "choose another object_frame",
                    answer.frame));
  if (accepted) {
    if (config.publish_tf) tf_->sendTransform(to_transform(answer));
    poses_->publish(to_pose(answer));
  }
  answer.total_ms = milliseconds_since(arrival.at);
  statistics_.answered(accepted, answer.total_ms, answer.alignment.reason);
  alignments_->publish(to_message(answer));

  const std_msgs::msg::Header header = to_transform(answer).header;
  if (accepted && aligned_->get_subscription_count() > 0)
    aligned_->publish(to_message(outcome.aligned, header));
  if (outcome.target.rows() > 0)
    publish_reference(outcome.target, answer.frame, to_nanoseconds(answer.target_stamp));
  if (markers_->get_subscription_count() > 0)
    markers_->publish(to_markers(answer, 0.5 * pointpng::measure(outcome.aligned).scale));
}

void PoseNode::publish_embedding(const Observation& cloud) {
  const auto scan = estimator()->prepare(cloud.points, "the cloud");
  const torch::Tensor z = scan->embedding->z.to(torch::kCPU).contiguous();
  const pointpng::Normalisation size = pointpng::measure(scan->points);
  pointpng_msgs::msg::Embedding message;
  message.header.stamp = to_stamp(cloud.stamp_ns);
  message.header.frame_id = cloud.frame;
  message.centre = tf2::toMsg(Eigen::Vector3d(scan->centre + size.centre.cast<double>()));
  message.scale = size.scale;
  {
    const std::scoped_lock lock(engine_mutex_);
    message.model = model_name_;
    if (model_->config().backbone == "equivariant")
      message.channels.assign(model_->config().channels.begin(), model_->config().channels.end());
  }
  message.values.assign(z.data_ptr<float>(), z.data_ptr<float>() + z.numel());
  embeddings_->publish(message);
}

/// Who waits for the answer to a cloud gets one, whatever happened.
void PoseNode::reject(const Arrival& arrival, const std::string& reason) {
  RCLCPP_WARN_THROTTLE(get_logger(), steady_, kSayAgain, "%s", reason.c_str());
  Answer answer;
  answer.alignment.reason = reason;
  answer.stamp = arrival.cloud->header.stamp;
  answer.frame = arrival.cloud->header.frame_id;
  answer.total_ms = milliseconds_since(arrival.at);
  alignments_->publish(to_message(answer));
}

// The estimator and what it aligns to
// --------------------------------------------------------------

std::shared_ptr<const pointpng::PoseEstimator> PoseNode::estimator() {
  const std::scoped_lock lock(engine_mutex_);
  const auto config = config_.get();
  if (estimator_ && config == engine_config_) return estimator_;
  const bool first = !estimator_;
  if (first && !last_failure_.empty() && Steady::now() - last_attempt_ < kRetry)
    throw InputError(last_failure_);
  last_attempt_ = Steady::now();
  try {
    load_estimator(config);
    last_failure_.clear();
    if (first) load_reference_file();
  } catch (const std::exception& missing) {
    last_failure_ = missing.what();
    statistics_.set_trouble(last_failure_);
    throw;
  }
  return estimator_;
}

/// The model once; the rest whenever a parameter has changed that it depends on.
void PoseNode::load_estimator(const std::shared_ptr<const PoseNodeConfig>& config) {
  if (!model_) {
    const auto file = find_model(config->model);
    model_ = pointpng::load_model(file, pointpng::cli::apply(config->compute)).model;
    model_name_ = file.stem().string();
    statistics_.set_trouble("");
  }
  const auto before = std::exchange(engine_config_, config);
  if (estimator_ && !differs(*before, *config)) return;
  estimator_ = std::make_shared<pointpng::PoseEstimator>(model_, config->pose);
  if (config->mode != "reference")
    aligner_ = make_aligner(*config, estimator_);
  else if (reference_)
    aligner_ = make_aligner(*config, estimator_, *reference_);
}

/// Its absence does not keep the node from taking another reference.
void PoseNode::load_reference_file() {
  const std::string& file = engine_config_->reference_file;
  if (engine_config_->mode != "reference" || file.empty() || reference_) return;
  try {
    Reference reference{pointpng::load_cloud(file), file, 0};
    aligner_ = make_aligner(*engine_config_, estimator_, reference);
    reference_ = std::move(reference);
    publish_reference(reference_->points, engine_config_->object_frame, 0);
  } catch (const std::exception& missing) {
    statistics_.set_trouble(missing.what());
    RCLCPP_ERROR_THROTTLE(get_logger(), steady_, kSayAgain, "%s", missing.what());
  }
}

std::shared_ptr<Aligner> PoseNode::aligner() {
  estimator();
  const std::scoped_lock lock(engine_mutex_);
  if (aligner_) return aligner_;
  if (Steady::now() - last_attempt_ > kRetry) {
    last_attempt_ = Steady::now();
    load_reference_file();
    if (aligner_) {
      statistics_.set_trouble("");
      return aligner_;
    }
  }
  throw InputError(
      "there is no reference yet: give the parameter reference_file, publish a cloud on the topic "
      "'reference' or call ~/set_reference");
}

void PoseNode::set_reference(const Reference& reference) {
  const auto config = config_.get();
  for (;;) {
    // Made outside of the lock: clouds go on with the old reference meanwhile.
    const auto with = estimator();
    std::shared_ptr<Aligner> made = make_aligner(*config_.get(), with, reference);
    const std::scoped_lock lock(engine_mutex_);
    if (with != estimator_) continue;  // a parameter has changed meanwhile
    aligner_ = std::move(made);
    reference_ = reference;
    break;
  }
  statistics_.set_trouble("");
  publish_reference(reference.points, config->object_frame, reference.stamp_ns);
  RCLCPP_INFO(get_logger(), "reference: %s, %ld points", reference.name.c_str(),
              static_cast<long>(reference.points.rows()));
}

void PoseNode::publish_reference(const Cloud& points, const std::string& frame,
                                 std::int64_t stamp_ns) {
  std_msgs::msg::Header header;
  header.frame_id = frame;
  header.stamp = to_stamp(stamp_ns);
  references_->publish(to_message(points, header));
}

// Services, in their own thread
// --------------------------------------------------------------------

std::string PoseNode::take_reference(const pointpng_msgs::srv::SetReference::Request& request,
                                     std::uint32_t& points) {
  using Request = pointpng_msgs::srv::SetReference::Request;
  const std::string& mode = config_.get()->mode;
  if (mode != "reference")
    throw InputError(
        fmt::format("mode {} has no reference; start the node with mode reference", mode));
  Reference reference;
  switch (request.source) {
    case Request::CLOUD:
      reference = {to_cloud(request.cloud), "the cloud of the service call",
                   to_nanoseconds(request.cloud.header.stamp)};
      break;
    case Request::FILE:
      reference = {pointpng::load_cloud(request.file), request.file, 0};
      break;
    case Request::NEXT_CLOUD:
      next_cloud_is_reference_ = true;
      return "the next cloud will be the reference";
    default:
      throw InputError(
          fmt::format("source is 0 (cloud), 1 (file) or 2 (next cloud), not {}", request.source));
  }
  points = static_cast<std::uint32_t>(reference.points.rows());
  set_reference(reference);
  return fmt::format("{} is the reference now, {} points", reference.name, points);
}

pointpng_msgs::msg::Alignment PoseNode::answer_align(
    const pointpng_msgs::srv::Align::Request& request) {
  const auto start = Steady::now();
  const auto with = estimator();
  Answer answer;
  const Cloud source = to_cloud(request.source);
  Cloud target;
  if (request.target.width * request.target.height > 0) {
    target = to_cloud(request.target);
    answer.target_stamp = request.target.header.stamp;
    answer.frame = request.target.header.frame_id;
  } else {
    const std::scoped_lock lock(engine_mutex_);
    if (!reference_) throw InputError("give a target cloud: the node has no reference");
    target = reference_->points;
    answer.target_stamp = to_stamp(reference_->stamp_ns);
    answer.frame = engine_config_->object_frame;
  }
  answer.alignment = with->align(source, target);
  answer.stamp = request.source.header.stamp;
  answer.child_frame = request.source.header.frame_id;
  answer.source_points = static_cast<std::uint32_t>(source.rows());
  answer.target_points = static_cast<std::uint32_t>(target.rows());
  answer.total_ms = milliseconds_since(start);
  return to_message(answer);
}

rclcpp::Node::SharedPtr make_pose_node(const rclcpp::NodeOptions& options) {
  return std::make_shared<PoseNode>(options);
}

}  // namespace pointpng_ros

RCLCPP_COMPONENTS_REGISTER_NODE(pointpng_ros::PoseNode)
