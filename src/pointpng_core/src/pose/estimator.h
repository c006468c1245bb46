#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "model/model.h"
#include "pointpng/cloud.h"
#include "pose/alignment.h"
#include "pose/config.h"
#include "pose/scan.h"

namespace pointpng {

/// Brings two clouds together without a first guess.
class PoseEstimator {
 public:
  explicit PoseEstimator(std::shared_ptr<Model> model, PoseConfig config = {});

  /// Cleans, downsamples and embeds a cloud: once for a reference that many clouds are aligned to.
  /// Throws `InputError` with a sentence that names the cloud when it has no pose to find.
  std::shared_ptr<const Scan> prepare(const Cloud& cloud, std::string_view name) const;

  /// Without the embedding, which takes most of the time: enough for `align_near`.
  std::shared_ptr<Scan> clean(const Cloud& cloud, std::string_view name) const;

  /// Adds the embedding to a cleaned scan that has none yet.
  void embed(Scan& scan) const;

  /// The best rotations of the embedding, before anything is refined.
  Hypotheses rotations(const Scan& source, const Scan& target) const;

  /// `guess` is one hypothesis more, not a promise.
  Alignment align(const Scan& source, const Scan& target,
                  const std::optional<Eigen::Isometry3d>& guess = std::nullopt) const;

  /// From a pose near the truth, without a search: what tracking does. Rejected where the clouds
  /// do not fit there.
  Alignment align_near(const Scan& source, const Scan& target,
                       const Eigen::Isometry3d& guess) const;

  /// Both at once.
  Alignment align(const Cloud& source, const Cloud& target) const;

  const PoseConfig& config() const { return config_; }

 private:
  std::shared_ptr<Model> model_;
  PoseConfig config_;
};

}  // namespace pointpng
