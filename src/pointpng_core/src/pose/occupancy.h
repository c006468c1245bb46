#pragma once

#include "pose/prepared_cloud.h"
#include "pose/rigid_transform.h"

namespace pointpng {

/// Whether an object after a motion leaves the place where it was: two copies can't share it. The
/// place is the object's box.
bool leaves_its_place(const PreparedCloudData& object, const RigidTransform& motion);

}  // namespace pointpng
