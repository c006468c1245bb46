#pragma once

#include <memory>
#include <vector>

#include "pointpng/registration.h"
#include "pose_config.h"
#include "stamped.h"

namespace pointpng_ros {

/// One way to use registration: a mode of the pose node. One thread at a time.
class PoseMode {
 public:
  virtual ~PoseMode() = default;

  /// One answer per object. `target` is the other cloud of a pair, null in all other modes. Throws
  /// `InputError` for clouds that can't be registered.
  virtual StampedAlignments align(const StampedCloud& cloud, const StampedCloud* target) = 0;

  /// Work that can wait until the answer is published.
  virtual void look_again() {}

  /// After a pause the last pose is no initial guess any more. `restarted`: time went back, so a
  /// recording starts over.
  virtual void forget(bool restarted) = 0;
};

/// Modes pair and sequence.
std::unique_ptr<PoseMode> make_mode(const PoseNodeConfig& config,
                                    const pointpng::Registration& registration);

/// Mode reference. Throws `InputError`, naming the reference, where one can't be registered.
std::unique_ptr<PoseMode> make_reference_mode(const PoseNodeConfig& config,
                                              const pointpng::Registration& registration,
                                              const std::vector<Reference>& references);

}  // namespace pointpng_ros
