#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/alignment_report.h"
#include "report/html.h"

namespace pointpng {

/// Those points of a cloud that a page holds.
struct DrawnCloud {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< median of each coordinate
  std::vector<float> offsets;                        ///< x y z of each drawn point from the centre
  std::int64_t finite = 0;                           ///< points of the cloud that are numbers
};

/// At most `most` of the cloud's finite points, the same ones at every call. Small offsets from a
/// centre in double: map coordinates in the millions keep their millimetres in a float.
DrawnCloud draw_cloud(const Cloud& cloud, std::int64_t most);

/// The hypotheses that a page lists: those of the alignment, or the answer itself where it was
/// accepted without any.
std::vector<Hypothesis> listed_hypotheses(const Alignment& alignment);

bool is_finite(const Eigen::Isometry3d& transform);

/// What the script of the page reads: one entry an alignment, as JSON inside a script element.
class AlignmentData {
 public:
  void add(const AlignmentPage& page, const DrawnCloud& source, const DrawnCloud& target);
  Html html() const;

 private:
  nlohmann::json entries_ = nlohmann::json::array();
};

}  // namespace pointpng
