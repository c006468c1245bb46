#pragma once

#include <string>

#include "pose/alignment.h"
#include "pose/evidence.h"
#include "pose/fit.h"
#include "pose/scan.h"

namespace pointpng {

/// How probably the placement is right: logistic in the evidence, fitted on all protocols (see
/// docs/calibration.md).
double confidence_of(const Evidence& evidence);

/// Why a placement with this evidence is not accepted at `least` confidence: a sentence, or empty
/// where it is accepted.
std::string objection(const Evidence& evidence, double confidence, double least);

/// Directions whose motion hardly changes the distance of the surfaces.
int free_directions(const Information& information, float radius);

/// Covariance of the pose from the final system, in the order and meaning of `Alignment`.
PoseCovariance covariance_of(const Information& information, const Scan& source,
                             const Placement& placement, float residual);

}  // namespace pointpng
