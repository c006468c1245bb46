#pragma once

#include <cstdint>

#include "pointpng/evaluation.h"
#include "pointpng/registration.h"

namespace pointpng {

/// Local registration from initial guesses that are off by up to `degrees`, as in tracking.
Aligner tracker_of(const Registration& registration, double degrees, std::uint64_t seed);

/// The best rotation of the embedding alone.
SearchOnly search_only_of(const Registration& registration);

}  // namespace pointpng
