#include "cloud_input.h"

#include <utility>

#include <fmt/format.h>

namespace pointpng_ros {

CloudInput::CloudInput(rclcpp::Node& node, Config config, std::function<void(CloudPair)> on_clouds)
    : config_(std::move(config)) {
  const auto subscribe = [&](const std::string& topic, CloudSubscription::Callback callback) {
    return std::make_unique<CloudSubscription>(node, topic, config_()->reliability,
                                               std::move(callback));
  };
  if (config_()->mode != "pair") {
    clouds_.subscription = subscribe("cloud", [on_clouds](CloudPtr cloud) {
      on_clouds({std::move(cloud), nullptr});
    });
    return;
  }
  clouds_.subscription = subscribe("cloud", [this, on_clouds](CloudPtr cloud) {
    if (auto pair = pairs_.add_cloud(std::move(cloud), slop_ns())) on_clouds(std::move(*pair));
  });
  targets_.subscription = subscribe("target", [this, on_clouds](CloudPtr target) {
    if (auto pair = pairs_.add_target(std::move(target), slop_ns())) on_clouds(std::move(*pair));
  });
}

std::int64_t CloudInput::slop_ns() const {
  return static_cast<std::int64_t>(1e9 * config_()->pair_slop);
}

std::string CloudInput::describe() const {
  std::string text = clouds_.subscription->describe();
  if (targets_.subscription) text += "; " + targets_.subscription->describe();
  return text;
}

bool CloudInput::Topic::is_silent() {
  return subscription && std::exchange(reported, subscription->heard()) == subscription->heard();
}

std::string CloudInput::explain_silence() {
  const bool no_clouds = clouds_.is_silent(), no_targets = targets_.is_silent();
  if (no_clouds) return clouds_.subscription->explain_silence();
  if (no_targets) return targets_.subscription->explain_silence();
  if (!targets_.subscription) return "";
  return fmt::format("clouds come on {} and {}, but no two of them within pair_slop ({} s)",
                     clouds_.subscription->topic(), targets_.subscription->topic(),
                     config_()->pair_slop);
}

}  // namespace pointpng_ros
