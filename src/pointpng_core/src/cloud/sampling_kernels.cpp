#include "cloud/sampling_kernels.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cloud/simd.h"

namespace pointpng::kernels {
namespace {

using simd::Floats;
using simd::Ints;
using simd::kLanes;

constexpr Floats kNone = {-1, -1, -1, -1, -1, -1, -1, -1};

/// The lane with the largest value; among equals the smallest index.
std::int64_t best_lane(const Floats& value, const Ints& index) {
  std::int64_t best = 0;
  for (std::int64_t lane = 1; lane < kLanes; ++lane)
    if (value[lane] > value[best] || (value[lane] == value[best] && index[lane] < index[best]))
      best = lane;
  return index[best];
}

/// A distance and the point that has it, as one number: keys are ordered as (distance, index)
/// pairs, because the bits of floats that are not negative are ordered as the floats are.
using Key = std::int64_t;

inline Key make_key(float distance, std::int64_t index) {
  return (static_cast<Key>(std::bit_cast<std::int32_t>(distance)) << 32) | index;
}

inline std::int64_t index_of(Key key) { return key & 0xFFFFFFFF; }

inline __attribute__((always_inline)) std::int64_t count_within(const float* distance,
                                                                std::int64_t padded, float bound) {
  const auto* blocks = reinterpret_cast<const Floats*>(distance);
  Ints count = {};
  for (std::int64_t block = 0; block < padded / kLanes; ++block) count -= blocks[block] <= bound;
  std::int64_t sum = 0;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += count[lane];
  return sum;
}

/// A bound that at least k distances satisfy and, unless many are equal, not many more. Any
/// positive `guess` works; a good one is faster.
inline __attribute__((always_inline)) float find_bound(const float* distance, std::int64_t padded,
                                                       std::int64_t k, float guess) {
  float low = 0.0F, high = std::numeric_limits<float>::max();
  float bound = guess;
  for (int tries = 0; tries < 40; ++tries) {
    const std::int64_t count = count_within(distance, padded, bound);
    if (count >= k && count <= k + k / 2) return bound;
    (count < k ? low : high) = bound;
    // On a surface the count grows with the squared distance.
    bound *= 1.25F * static_cast<float>(k) / static_cast<float>(count + 1);
    if (!(bound > low && bound < high)) {
      const auto middle = (static_cast<std::int64_t>(std::bit_cast<std::int32_t>(low)) +
                           std::bit_cast<std::int32_t>(high)) /
                          2;
      bound = std::bit_cast<float>(static_cast<std::int32_t>(middle));
      if (!(bound > low && bound < high)) break;
    }
  }
  return high;
}

}  // namespace

POINTPNG_SIMD void farthest_points(const Columns& cloud, std::int64_t start,
                                   std::int64_t chosen_count, float* distance,
                                   std::int64_t* chosen) {
  // Padding keeps distance -1, so it is never the farthest.
  std::fill(distance, distance + cloud.count, std::numeric_limits<float>::max());
  std::fill(distance + cloud.count, distance + cloud.padded, -1.0F);
  const auto* xs = reinterpret_cast<const Floats*>(cloud.x);
  const auto* ys = reinterpret_cast<const Floats*>(cloud.y);
  const auto* zs = reinterpret_cast<const Floats*>(cloud.z);
  auto* nearest_chosen = reinterpret_cast<Floats*>(distance);
  std::int64_t current = start;
  for (std::int64_t i = 0; i < chosen_count; ++i) {
    chosen[i] = current;
    const float cx = cloud.x[current], cy = cloud.y[current], cz = cloud.z[current];
    Floats best = kNone;
    Ints best_index = {};
    Ints index = {0, 1, 2, 3, 4, 5, 6, 7};
#pragma GCC unroll 4
    for (std::int64_t block = 0; block < cloud.padded / kLanes; ++block) {
      const Floats dx = xs[block] - cx, dy = ys[block] - cy, dz = zs[block] - cz;
      const Floats squared = dx * dx + dy * dy + dz * dz;
      const Floats kept = squared < nearest_chosen[block] ? squared : nearest_chosen[block];
      nearest_chosen[block] = kept;
      best_index = kept > best ? index : best_index;
      best = kept > best ? kept : best;
      index += static_cast<std::int32_t>(kLanes);
    }
    current = best_lane(best, best_index);
  }
}

POINTPNG_SIMD void nearest(const Columns& cloud, const float* query, std::int64_t k,
                           NeighbourScratch& scratch, std::int64_t* neighbours) {
  const float qx = query[0], qy = query[1], qz = query[2];
  float* distance = scratch.distance;
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < cloud.padded; ++i) {
    const float dx = cloud.x[i] - qx, dy = cloud.y[i] - qy, dz = cloud.z[i] - qz;
    distance[i] = dx * dx + dy * dy + dz * dz;
  }
  std::fill(distance + cloud.count, distance + cloud.padded,
            std::numeric_limits<float>::infinity());
  const float bound = find_bound(distance, cloud.padded, k, scratch.bound);
  // Neighbouring queries have similar bounds.
  scratch.bound = bound > 0.0F && bound < 1e30F ? bound : 1.0F;

  Key* keys = scratch.keys;
  std::int64_t found = 0;
  const auto* blocks = reinterpret_cast<const Floats*>(distance);
  for (std::int64_t block = 0; block < cloud.padded / kLanes; ++block) {
    const Ints within = blocks[block] <= bound;
    const auto* words = reinterpret_cast<const std::int64_t*>(&within);
    if ((words[0] | words[1] | words[2] | words[3]) == 0) continue;
    for (std::int64_t i = block * kLanes; i < (block + 1) * kLanes; ++i) {
      keys[found] = make_key(distance[i], i);
      found += distance[i] <= bound ? 1 : 0;
    }
  }
  // Only distances that are not finite can leave a gap.
  std::fill(neighbours, neighbours + k, 0);
  if (found > 4 * k) {  // many equal distances
    std::partial_sort(keys, keys + k, keys + found);
    for (std::int64_t i = 0; i < k; ++i) neighbours[i] = index_of(keys[i]);
    return;
  }
  // All keys differ, so the rank of a key is the number of smaller ones: no branch to mispredict.
  for (std::int64_t i = 0; i < found; ++i) {
    const Key key = keys[i];
    std::int64_t rank = 0;
    for (std::int64_t j = 0; j < found; ++j) rank += keys[j] < key ? 1 : 0;
    if (rank < k) neighbours[rank] = index_of(key);
  }
}

}  // namespace pointpng::kernels
