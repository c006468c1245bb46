#pragma once

#include <cstdint>

/// The inner loops of the CPU sampler, one cloud at a time; plain pointers so that they are
/// compiled for several instruction sets. Coordinates are three arrays padded with `simd::padded`.
namespace pointpng::kernels {

/// Coordinates of one cloud, one array each; padding repeats the first point.
struct Columns {
  const float* x;
  const float* y;
  const float* z;
  std::int64_t count;   ///< points
  std::int64_t padded;  ///< points with padding
};

/// `distance` is scratch space of `padded` floats.
void farthest_points(const Columns& cloud, std::int64_t start, std::int64_t chosen_count,
                     float* distance, std::int64_t* chosen);

/// Working memory of `nearest`, reused between queries.
struct NeighbourScratch {
  float* distance;     ///< `padded` floats
  std::int64_t* keys;  ///< `padded` numbers
  float bound = 1.0F;  ///< of the last query: a good initial guess for the next
};

/// Needs count >= k; fewer than 2³¹ points.
void nearest(const Columns& cloud, const float* query, std::int64_t k, NeighbourScratch& scratch,
             std::int64_t* neighbours);

}  // namespace pointpng::kernels
