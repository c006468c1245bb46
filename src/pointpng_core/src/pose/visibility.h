#pragma once

#include "pose/problem.h"

namespace pointpng {

/// Share of a cloud's points that the other cloud's sensor should have seen in a pose: not hidden
/// by the cloud itself, nor by what the sensor saw. 1 where the sensor's place is not known.
float expected_overlap(const PreparedCloudData& cloud, const PreparedCloudData& seen_by,
                       const RigidTransform& pose, float margin);

}  // namespace pointpng
