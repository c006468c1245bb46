#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <rclcpp/node.hpp>
#include <string>

#include "cloud_subscription.h"
#include "pair_matcher.h"
#include "pose_config.h"

namespace pointpng_ros {

/// The clouds that a pose node aligns: those of the topic `cloud`, and in mode pair those of the
/// topic `target` that belong to them.
class CloudInput {
 public:
  using Config = std::function<std::shared_ptr<const PoseNodeConfig>()>;

  CloudInput(rclcpp::Node& node, Config config, std::function<void(CloudPair)> on_clouds);

  /// Topics, publishers and reliability, for diagnostics.
  std::string describe() const;
  /// Why nothing has come since the last call, where nothing has.
  std::string explain_silence();

 private:
  struct Topic {
    std::unique_ptr<CloudSubscription> subscription;
    std::uint64_t reported = 0;  ///< clouds before the last call of `explain_silence`

    bool is_silent();
  };

  std::int64_t slop_ns() const;

  Config config_;
  PairMatcher pairs_;
  Topic clouds_, targets_;
};

}  // namespace pointpng_ros
