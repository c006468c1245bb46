#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp/logger.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pointpng/registration.h"
#include "pose_config.h"
#include "pose_mode.h"
#include "stamped.h"
#include "statistics.h"

namespace pointpng_ros {

/// Model, reference and mode of a pose node. Parameters that change take effect with the next
/// cloud.
class PoseEngine {
 public:
  using ConfigPtr = std::shared_ptr<const PoseNodeConfig>;

  /// `config` gives the current parameters; `on_reference` is called with each new reference.
  PoseEngine(std::function<ConfigPtr()> config, Statistics& statistics, rclcpp::Logger logger,
             std::function<void(const StampedCloud&)> on_reference);

  /// Reads the model and the reference file; to be called first. Throws `InputError` where one of
  /// them can't be used.
  void load();

  // For the one thread that serves clouds; `target` as in `PoseMode`. Throws where the cloud can't
  // be registered, or there is no reference yet.
  StampedAlignments align(const StampedCloud& cloud, const StampedCloud* target);
  void look_again();

  // For any thread.

  /// The model with the current parameters.
  pointpng::Registration registration() { return current().first; }
  pointpng::ModelInfo model();
  /// Tells the statistics where the model computes: a GPU that fails is replaced while it runs.
  void watch_device();

  /// Global registration of two clouds, or of one to the reference.
  StampedAlignment align_once(const StampedCloud& source,
                              const std::optional<StampedCloud>& target);

  /// Replaces all references once the new one is ready; `name` is for messages.
  void set_reference(StampedCloud reference, const std::string& name);
  void set_reference_to_next_cloud();

 private:
  std::pair<pointpng::Registration, ConfigPtr> current();
  std::shared_ptr<PoseMode> mode();
  void check_time(std::int64_t stamp_ns, PoseMode& mode);

  // With the lock.
  void update();
  void load_references();
  void make_mode_for(const PoseNodeConfig& config);

  std::function<ConfigPtr()> get_config_;
  Statistics& statistics_;
  rclcpp::Logger logger_;
  std::function<void(const StampedCloud&)> on_reference_;
  std::atomic<bool> next_cloud_is_reference_ = false;

  std::mutex mutex_;  // the members down to the empty line
  ConfigPtr config_;
  std::optional<pointpng::Registration> registration_;
  pointpng::ModelInfo model_;
  std::vector<Reference> references_;
  std::shared_ptr<PoseMode> mode_;

  std::shared_ptr<PoseMode> serving_;  // aligned the last cloud; null where that failed
  std::optional<std::int64_t> last_stamp_ns_;
};

}  // namespace pointpng_ros
