#pragma once

#include <memory>
#include <string>

#include "pose/fit.h"
#include "pose/scan.h"

namespace pointpng {

/// The last refinement of a placement, by PCL: "icp" (point to point), "plane" (point to plane) or
/// "gicp". Matches are trimmed to the share of the source that overlaps, which is given, and to a
/// few spacings, so nothing is to be tuned. Both scans must live as long as it does.
class Refiner {
 public:
  Refiner(const std::string& method, const Scan& source, const Scan& target);
  ~Refiner();

  Placement operator()(const Placement& placement, float source_overlap) const;

 private:
  class Method;
  template <typename Icp, typename Point>
  class MethodOf;
  std::unique_ptr<Method> method_;
};

}  // namespace pointpng
