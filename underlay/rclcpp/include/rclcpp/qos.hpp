#pragma once

#include <cstddef>
#include <rmw/qos_profiles.h>
#include <rmw/types.h>

#include "rclcpp/duration.hpp"

namespace rclcpp {

enum class HistoryPolicy {
  KeepLast = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  KeepAll = RMW_QOS_POLICY_HISTORY_KEEP_ALL,
  SystemDefault = RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
  Unknown = RMW_QOS_POLICY_HISTORY_UNKNOWN,
};

enum class ReliabilityPolicy {
  BestEffort = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
  Reliable = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  SystemDefault = RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
};

enum class DurabilityPolicy {
  Volatile = RMW_QOS_POLICY_DURABILITY_VOLATILE,
  TransientLocal = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  SystemDefault = RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_DURABILITY_UNKNOWN,
};

enum class LivelinessPolicy {
  Automatic = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC,
  ManualByTopic = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC,
  SystemDefault = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_LIVELINESS_UNKNOWN,
};

struct QoSInitialization {
  QoSInitialization(rmw_qos_history_policy_t history_policy, std::size_t depth)
      : history_policy(history_policy), depth(depth) {}
  static QoSInitialization from_rmw(const rmw_qos_profile_t& profile) {
    return {profile.history, profile.depth};
  }

  rmw_qos_history_policy_t history_policy;
  std::size_t depth;
};

struct KeepAll : QoSInitialization {
  KeepAll() : QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_ALL, 0) {}
};

struct KeepLast : QoSInitialization {
  explicit KeepLast(std::size_t depth)
      : QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_LAST, depth) {}
};

/// How a topic or a service carries its messages.
class QoS {
 public:
  explicit QoS(const QoSInitialization& history,
               const rmw_qos_profile_t& profile = rmw_qos_profile_default)
      : profile_(profile) {
    profile_.history = history.history_policy;
    profile_.depth = history.depth;
  }
  QoS(std::size_t depth) : QoS(KeepLast(depth)) {}  // NOLINT: as in rclcpp

  rmw_qos_profile_t& get_rmw_qos_profile() { return profile_; }
  const rmw_qos_profile_t& get_rmw_qos_profile() const { return profile_; }

  QoS& history(HistoryPolicy policy) { return set(profile_.history, policy); }
  QoS& keep_last(std::size_t depth) {
    profile_.depth = depth;
    return history(HistoryPolicy::KeepLast);
  }
  QoS& keep_all() {
    profile_.depth = 0;
    return history(HistoryPolicy::KeepAll);
  }
  QoS& reliability(ReliabilityPolicy policy) { return set(profile_.reliability, policy); }
  QoS& reliability(rmw_qos_reliability_policy_t policy) {
    return set(profile_.reliability, policy);
  }
  QoS& reliable() { return reliability(ReliabilityPolicy::Reliable); }
  QoS& best_effort() { return reliability(ReliabilityPolicy::BestEffort); }
  QoS& durability(DurabilityPolicy policy) { return set(profile_.durability, policy); }
  QoS& durability(rmw_qos_durability_policy_t policy) { return set(profile_.durability, policy); }
  QoS& durability_volatile() { return durability(DurabilityPolicy::Volatile); }
  QoS& transient_local() { return durability(DurabilityPolicy::TransientLocal); }
  QoS& liveliness(LivelinessPolicy policy) { return set(profile_.liveliness, policy); }
  QoS& deadline(const Duration& duration) { return set(profile_.deadline, duration); }
  QoS& lifespan(const Duration& duration) { return set(profile_.lifespan, duration); }
  QoS& liveliness_lease_duration(const Duration& duration) {
    return set(profile_.liveliness_lease_duration, duration);
  }

  HistoryPolicy history() const { return static_cast<HistoryPolicy>(profile_.history); }
  std::size_t depth() const { return profile_.depth; }
  ReliabilityPolicy reliability() const {
    return static_cast<ReliabilityPolicy>(profile_.reliability);
  }
  DurabilityPolicy durability() const { return static_cast<DurabilityPolicy>(profile_.durability); }
  LivelinessPolicy liveliness() const { return static_cast<LivelinessPolicy>(profile_.liveliness); }

 private:
  template <class Field, class Policy>
  QoS& set(Field& field, Policy policy) {
    field = static_cast<Field>(policy);
    return *this;
  }
  QoS& set(rmw_time_t& field, const Duration& duration) {
    field = duration.to_rmw_time();
    return *this;
  }

  rmw_qos_profile_t profile_;
};

/// The profiles of rmw under the names of rclcpp.
#define RCLCPP_DETAIL_QOS(Name, profile)                                                   \
  class Name : public QoS {                                                                \
   public:                                                                                 \
    explicit Name(const QoSInitialization& history = QoSInitialization::from_rmw(profile)) \
        : QoS(history, profile) {}                                                         \
  }
RCLCPP_DETAIL_QOS(SensorDataQoS, rmw_qos_profile_sensor_data);
RCLCPP_DETAIL_QOS(ParametersQoS, rmw_qos_profile_parameters);
RCLCPP_DETAIL_QOS(ServicesQoS, rmw_qos_profile_services_default);
RCLCPP_DETAIL_QOS(ParameterEventsQoS, rmw_qos_profile_parameter_events);
RCLCPP_DETAIL_QOS(SystemDefaultsQoS, rmw_qos_profile_system_default);
#undef RCLCPP_DETAIL_QOS

class ClockQoS : public QoS {
 public:
  explicit ClockQoS(const QoSInitialization& history = KeepLast(1)) : QoS(history) {
    best_effort();
  }
};

}  // namespace rclcpp
