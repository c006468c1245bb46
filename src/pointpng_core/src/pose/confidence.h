#pragma once

#include <map>
#include <string>

#include "pointpng/alignment.h"

namespace pointpng {

/// Calibrated probability that a hypothesis with this evidence is right: logistic regression, with
/// one set of weights for global registration, one for clouds with more detail and one for tracking
/// (see docs/calibration.md).
double confidence_of(const Evidence& evidence);

/// Which of them judges this evidence: "searched", "detailed" or "tracked".
std::string weights_of(const Evidence& evidence);

/// What that regression is given, by name: bench/calibrate.py fits its weights on them.
std::map<std::string, double> features_of(const Evidence& evidence);

}  // namespace pointpng
