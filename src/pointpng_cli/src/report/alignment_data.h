#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/alignment_report.h"
#include "report/html.h"

namespace pointpng {

/// The points of a cloud that a page holds.
struct DrawnCloud {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< median of each coordinate
  std::vector<float> offsets;  ///< x y z of each drawn point, relative to the centre
  std::int64_t finite = 0;     ///< number of finite points in the cloud
};

/// At most `most` finite points of the cloud, the same at every call. Float offsets from a centre
/// in double precision: map coordinates in the millions keep their millimetres.
DrawnCloud draw_cloud(const Cloud& cloud, std::int64_t most);

/// The hypotheses that a page lists: those of the alignment, or the accepted pose where there are
/// none.
std::vector<Hypothesis> listed_hypotheses(const Alignment& alignment);

bool is_finite(const Eigen::Isometry3d& transform);

/// What the page's script reads: JSON in a script element, one entry per alignment.
class AlignmentData {
 public:
  void add(const AlignmentPage& page, const DrawnCloud& source, const DrawnCloud& target);
  Html html() const;

 private:
  nlohmann::json entries_ = nlohmann::json::array();
};

}  // namespace pointpng
