#include "pose_engine.h"

#include <algorithm>
#include <rclcpp/logging.hpp>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng_ros {
namespace {

using pointpng::InputError;
using pointpng::Registration;

void require_reference_mode(const PoseNodeConfig& config) {
  if (config.mode != "reference")
    throw InputError(
        fmt::format("mode {} has no reference; start the node with mode reference", config.mode));
}

/// Whether a change of parameters needs a new mode; the pose is searched anew then.
bool changes_mode(const PoseNodeConfig& now, const PoseNodeConfig& before) {
  return now.registration != before.registration || now.tracker != before.tracker ||
         now.max_instances != before.max_instances || now.object_up != before.object_up;
}

/// A service may take longer than a cloud of a sensor.
Registration patient(const Registration& registration) {
  pointpng::RegistrationConfig config = registration.config();
  config.effort = std::max(config.effort, pointpng::Effort::kNormal);
  return registration.with(config);
}

}  // namespace

PoseEngine::PoseEngine(std::function<ConfigPtr()> config, Statistics& statistics,
                       rclcpp::Logger logger, std::function<void(const StampedCloud&)> on_reference)
    : get_config_(std::move(config)),
      statistics_(statistics),
      logger_(std::move(logger)),
      on_reference_(std::move(on_reference)) {}

// Clouds
// -----------------------------------------------------------------------------------------------

StampedAlignments PoseEngine::align(const StampedCloud& cloud, const StampedCloud* target) {
  if (next_cloud_is_reference_.exchange(false)) set_reference(cloud, "a cloud of the sensor");
  serving_.reset();
  std::shared_ptr<PoseMode> current_mode = mode();
  check_time(cloud.stamp_ns, *current_mode);
  StampedAlignments results = current_mode->align(cloud, target);
  for (const StampedAlignment& result : results)
    if (result.frame == result.child_frame)
      throw InputError(fmt::format(
          "the cloud's frame_id is '{}', and so is the frame whose pose is estimated: rename "
          "object_frame or reference_frame",
          result.frame));
  serving_ = std::move(current_mode);
  return results;
}

void PoseEngine::look_again() {
  if (serving_) serving_->look_again();
}

void PoseEngine::check_time(std::int64_t stamp_ns, PoseMode& mode) {
  const std::optional<std::int64_t> last = std::exchange(last_stamp_ns_, stamp_ns);
  if (!last) return;
  const double gap = 1e-9 * static_cast<double>(stamp_ns - *last);
  if (gap < 0.0) {
    const auto event = fmt::format("time went back by {:.3f} s: the last pose is forgotten", -gap);
    statistics_.jumped(event);
    RCLCPP_WARN(logger_, "%s", event.c_str());
    mode.forget(true);
  } else if (gap > get_config_()->largest_gap) {
    statistics_.paused(fmt::format("no cloud came for {:.3f} s: the last pose is forgotten", gap));
    mode.forget(false);
  }
}

// Services
// ---------------------------------------------------------------------------------------------

StampedAlignment PoseEngine::align_once(const StampedCloud& source,
                                        const std::optional<StampedCloud>& target) {
  const Registration registration = patient(current().first);
  StampedCloud onto;
  if (target) {
    onto = *target;
  } else {
    const std::scoped_lock lock(mutex_);
    if (references_.size() != 1)
      throw InputError(fmt::format("give a target cloud: the node has {} references",
                                   references_.empty() ? "no" : "several"));
    onto = references_.front().cloud;
  }
  StampedAlignment result;
  result.alignment = registration.align(source.points, onto.points);
  result.frame = onto.frame;
  result.child_frame = source.frame;
  result.stamp_ns = source.stamp_ns;
  result.target_stamp_ns = onto.stamp_ns;
  result.source_points = static_cast<std::uint32_t>(source.points.rows());
  result.target_points = static_cast<std::uint32_t>(onto.points.rows());
  return result;
}

void PoseEngine::set_reference(StampedCloud reference, const std::string& name) {
  next_cloud_is_reference_ = false;
  for (;;) {
    const auto [registration, config] = current();
    require_reference_mode(*config);
    // Without the lock: clouds are aligned to the old reference meanwhile.
    reference.frame = config->object_frame;
    auto made = make_reference_mode(*config, registration, {{reference, name}});
    const std::scoped_lock lock(mutex_);
    if (config != config_) continue;  // a parameter has changed meanwhile
    mode_ = std::move(made);
    references_ = {{reference, name}};
    break;
  }
  on_reference_(reference);
  RCLCPP_INFO(logger_, "reference: %s, %ld points", name.c_str(),
              static_cast<long>(reference.points.rows()));
}

void PoseEngine::set_reference_to_next_cloud() {
  require_reference_mode(*get_config_());
  next_cloud_is_reference_ = true;
}

// Model, reference and mode
// ---------------------------------------------------------------------------

void PoseEngine::load() {
  const std::scoped_lock lock(mutex_);
  config_ = get_config_();
  const auto file = pointpng::find_model(config_->model);
  model_ = pointpng::inspect_model(file);
  registration_ = Registration::load(file.string(), config_->registration, config_->compute);
  statistics_.set_device(registration_->device());
  RCLCPP_INFO(logger_, "model %s computes on %s", file.stem().c_str(),
              registration_->device().c_str());
  load_references();
}

pointpng::ModelInfo PoseEngine::model() {
  const std::scoped_lock lock(mutex_);
  update();
  return model_;
}

void PoseEngine::watch_device() {
  const std::string device = [this] {
    const std::scoped_lock lock(mutex_);
    return registration_->device();
  }();
  if (statistics_.set_device(device))
    RCLCPP_WARN(logger_, "the model computes on another device now: %s", device.c_str());
}

std::pair<Registration, PoseEngine::ConfigPtr> PoseEngine::current() {
  const std::scoped_lock lock(mutex_);
  update();
  return {*registration_, config_};
}

std::shared_ptr<PoseMode> PoseEngine::mode() {
  const std::scoped_lock lock(mutex_);
  update();
  if (!mode_)
    throw InputError(
        "no reference yet: set the parameter reference_file or references, publish a cloud on the "
        "topic 'reference' or call ~/set_reference");
  return mode_;
}

void PoseEngine::update() {
  const ConfigPtr config = get_config_();
  if (config == config_) return;
  const ConfigPtr before = std::exchange(config_, config);
  if (config->references != before->references) {
    registration_ = registration_->with(config->registration);
    mode_.reset();
    references_.clear();
    load_references();
  } else if (changes_mode(*config, *before)) {
    registration_ = registration_->with(config->registration);
    make_mode_for(*config);
  }
}

/// Throws `InputError` where a file can't be used; the node has no reference then.
void PoseEngine::load_references() {
  std::vector<Reference> references;
  if (config_->mode == "reference")
    for (const ReferenceFile& file : reference_files(*config_))
      references.push_back(
          {{.points = pointpng::load_cloud(file.path), .frame = file.frame}, file.path});
  references_ = std::move(references);
  make_mode_for(*config_);
  for (const Reference& reference : references_) on_reference_(reference.cloud);
}

void PoseEngine::make_mode_for(const PoseNodeConfig& config) {
  if (config.mode != "reference")
    mode_ = make_mode(config, *registration_);
  else if (!references_.empty())
    mode_ = make_reference_mode(config, *registration_, references_);
}

}  // namespace pointpng_ros
