#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "pointpng/error.h"
#include "pointpng/registration.h"

namespace pointpng_ros {

/// What values a parameter takes and when it may change.
struct Limits {
  std::optional<double> least = {}, most = {};
  std::vector<std::string> choices = {};
  bool fixed = false;  ///< can't be changed while the node runs
};

/// Read when the node starts and never again.
Limits fixed(std::optional<double> least = {}, std::optional<double> most = {});

/// The limits of one of the library's numbers.
Limits limits_of(const pointpng::Range& range, bool is_fixed = false);

/// The descriptor that ROS tools show.
rcl_interfaces::msg::ParameterDescriptor describe(const std::string& text, const Limits& limits,
                                                  bool is_integer);

/// Declares one parameter; throws `InputError` with a sentence for a value that it can't take.
rclcpp::ParameterValue declare(rclcpp::Node& node, const std::string& name,
                               const rclcpp::ParameterValue& initial,
                               const rcl_interfaces::msg::ParameterDescriptor& descriptor,
                               const std::vector<std::string>& choices);

/// Throws `InputError` unless `value` is one of the choices, where there are any.
void require_choice(const std::string& name, const rclcpp::ParameterValue& value,
                    const std::vector<std::string>& choices);

// Members of a config that are no ROS types, as texts and lists.
void parse(const rclcpp::ParameterValue& value, pointpng::Refinement& member);
void parse(const rclcpp::ParameterValue& value, pointpng::Device& member);
void parse(const rclcpp::ParameterValue& value, pointpng::Effort& member);
void parse(const rclcpp::ParameterValue& value, Eigen::Vector3d& member);

/// Throws `InputError` where CUDA is asked for and can't be used.
void validate(const pointpng::ComputeOptions& compute);

/// Warns of values for parameters that the node does not have: most are typing errors.
void warn_of_unknown_parameters(rclcpp::Node& node);

/// Runs `work`. What it can't use is logged before the node ends with it.
template <class Work>
void log_refusal(const rclcpp::Logger& logger, const Work& work) {
  try {
    work();
  } catch (const pointpng::InputError& wrong) {
    RCLCPP_FATAL(logger, "%s", wrong.what());
    throw;
  }
}

/// The members of a config struct as ROS parameters. The struct's initial values are the defaults.
template <class Config>
class Parameters {
 public:
  /// `member` gives a reference to the member: `[](auto& c) -> auto& { return
  /// c.registration.num_points; }`.
  template <class Member>
  void add(const std::string& name, Member member, const std::string& text, Limits limits = {}) {
    using T = std::decay_t<decltype(member(std::declval<Config&>()))>;
    constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    entries_.push_back({name, describe(text, limits, is_integer), limits.choices,
                        [member](const Config& config) { return to_value(member(config)); },
                        [member](Config& config, const rclcpp::ParameterValue& value) {
                          assign(member(config), value);
                        }});
  }

  Config declare_all(rclcpp::Node& node) const {
    Config config;
    for (const Entry& entry : entries_)
      entry.set(config,
                declare(node, entry.name, entry.get(config), entry.descriptor, entry.choices));
    return config;
  }

  /// Throws `InputError` for a value that is not among the choices.
  Config with(Config config, const std::vector<rclcpp::Parameter>& changes) const {
    for (const rclcpp::Parameter& change : changes)
      for (const Entry& entry : entries_)
        if (entry.name == change.get_name()) {
          require_choice(entry.name, change.get_parameter_value(), entry.choices);
          entry.set(config, change.get_parameter_value());
        }
    return config;
  }

 private:
  struct Entry {
    std::string name;
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    std::vector<std::string> choices = {};
    std::function<rclcpp::ParameterValue(const Config&)> get;
    std::function<void(Config&, const rclcpp::ParameterValue&)> set;
  };

  template <class T>
  static rclcpp::ParameterValue to_value(const T& member) {
    if constexpr (std::is_same_v<T, bool>)
      return rclcpp::ParameterValue(member);
    else if constexpr (std::is_integral_v<T>)
      return rclcpp::ParameterValue(static_cast<std::int64_t>(member));
    else if constexpr (std::is_floating_point_v<T>)
      return rclcpp::ParameterValue(static_cast<double>(member));
    else if constexpr (std::is_enum_v<T>)
      return rclcpp::ParameterValue(to_string(member));
    else if constexpr (std::is_same_v<T, Eigen::Vector3d>)
      return rclcpp::ParameterValue(std::vector<double>(member.begin(), member.end()));
    else
      return rclcpp::ParameterValue(member);
  }

  template <class T>
  static void assign(T& member, const rclcpp::ParameterValue& value) {
    if constexpr (std::is_same_v<T, bool>)
      member = value.get<bool>();
    else if constexpr (std::is_integral_v<T>)
      member = static_cast<T>(value.get<std::int64_t>());
    else if constexpr (std::is_floating_point_v<T>)
      member = static_cast<T>(value.get<double>());
    else if constexpr (std::is_enum_v<T> || std::is_same_v<T, Eigen::Vector3d>)
      parse(value, member);
    else
      member = value.get<T>();
  }

  std::vector<Entry> entries_;
};

/// A node's configuration: declared and validated at the start, and kept up to date while users
/// change parameters. `validate(const Config&)` throws `InputError` for what makes no sense.
template <class Config>
class LiveConfig {
 public:
  LiveConfig(rclcpp::Node& node, Parameters<Config> parameters)
      : parameters_(std::move(parameters)) {
    log_refusal(node.get_logger(), [&] {
      current_ = std::make_shared<Config>(parameters_.declare_all(node));
      validate(*current_);
    });
    warn_of_unknown_parameters(node);
    ask_ = node.add_on_set_parameters_callback(
        [this](const std::vector<rclcpp::Parameter>& changes) { return check(changes); });
    tell_ = node.add_post_set_parameters_callback(
        [this](const std::vector<rclcpp::Parameter>& changes) { take(changes); });
  }

  std::shared_ptr<const Config> get() const {
    const std::scoped_lock lock(mutex_);
    return current_;
  }

 private:
  rcl_interfaces::msg::SetParametersResult check(const std::vector<rclcpp::Parameter>& changes) {
    rcl_interfaces::msg::SetParametersResult result;
    try {
      validate(parameters_.with(*get(), changes));
      result.successful = true;
    } catch (const pointpng::InputError& wrong) {
      result.successful = false;
      result.reason = wrong.what();
    }
    return result;
  }

  void take(const std::vector<rclcpp::Parameter>& changes) {
    auto changed = std::make_shared<Config>(parameters_.with(*get(), changes));
    const std::scoped_lock lock(mutex_);
    current_ = std::move(changed);
  }

  Parameters<Config> parameters_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Config> current_;
  rclcpp::Node::OnSetParametersCallbackHandle::SharedPtr ask_;
  rclcpp::Node::PostSetParametersCallbackHandle::SharedPtr tell_;
};

}  // namespace pointpng_ros
