#pragma once

#include "pose/problem.h"

namespace pointpng {

/// Gravity as a prior, where both clouds know which way is up: the source turns about the vertical
/// only. What is tilted stays a competitor, but can't be the answer: an object that lies, where it
/// was said to stand, is rejected and not turned upright.

/// Angle in radians by which a pose tilts the source against gravity; 0 where up is not known.
float tilt_of(const RegistrationProblem& problem, const RigidTransform& pose);

bool is_upright(const RegistrationProblem& problem, const RigidTransform& pose);

/// Turns what is nearly upright so that it is, about the source's centroid; the rest stays.
void turn_upright(const RegistrationProblem& problem, Candidates& candidates);

/// The upright ones before the tilted ones, each in their order.
Candidates upright_first(const RegistrationProblem& problem, Candidates candidates);

/// Why the first of these candidates contradicts gravity: a sentence, or empty where it does not.
std::string gravity_objection(const RegistrationProblem& problem, const Candidates& candidates);

}  // namespace pointpng
