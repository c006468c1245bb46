#pragma once

#include <memory>

#include "pointpng/registration.h"
#include "pose/problem.h"

namespace pointpng {

/// The last refinement of a pose, by PCL. Trimmed ICP: correspondences are trimmed to the share of
/// the source that overlaps and to a few spacings, so there is nothing to tune.
class PclIcp {
 public:
  PclIcp(Refinement refinement, const RegistrationProblem& problem);
  ~PclIcp();

  RigidTransform operator()(const RigidTransform& pose, float source_overlap) const;

 private:
  class Method;
  template <typename Icp, typename Point>
  class MethodOf;
  std::unique_ptr<Method> method_;
};

}  // namespace pointpng
