#pragma once

#include <cstddef>

#include "pointpng/training.h"

namespace pointpng {

/// Centred moving average over `window` points. Points that are not finite are left out of every
/// average and stay gaps.
Series moving_average(const Series& series, std::size_t window);

/// At most about `max_points` points that look the same when drawn: the lowest and the highest of
/// every stretch, so that a spike of a single step is still seen, and one gap where there were
/// some.
Series thin_keeping_extremes(const Series& series, std::size_t max_points);

/// Mean of the finite values among the last twentieth of the curve (1 to 50 points): a fair "final"
/// value of a noisy curve. Not a number where the last value is not, or where there is none.
double final_value(const Series& series);

/// The same at the start.
double initial_value(const Series& series);

}  // namespace pointpng
