#pragma once

#include "pointpng/alignment.h"

namespace pointpng {

/// Calibrated probability that a hypothesis with this evidence is right: logistic regression, with
/// one set of weights for global registration and one for tracking (see docs/calibration.md).
double confidence_of(const Evidence& evidence);

}  // namespace pointpng
