#include "cpu_sampler.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "simd.h"

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

using Candidate = std::pair<float, std::int32_t>;

/// Keeps the k smallest of a stream: candidates below the k-th best so far are appended, and when
/// the list is full the worse half is thrown away.
class SmallestK {
 public:
  SmallestK(std::int64_t k, std::vector<Candidate>& storage) : k_(k), list_(storage) {
    list_.clear();
  }
  float bound() const { return bound_; }
  void offer(float value, std::int32_t index) {
    if (value >= bound_) return;
    list_.emplace_back(value, index);
    if (static_cast<std::int64_t>(list_.size()) >= 2 * k_ + kLanes) shrink();
  }
  void write(std::int64_t* out) {
    shrink();
    std::sort(list_.begin(), list_.end());
    for (std::int64_t i = 0; i < k_; ++i) out[i] = list_[static_cast<std::size_t>(i)].second;
  }

 private:
  void shrink() {
    if (static_cast<std::int64_t>(list_.size()) <= k_) return;
    std::nth_element(list_.begin(), list_.begin() + k_ - 1, list_.end());
    list_.resize(static_cast<std::size_t>(k_));
    bound_ = list_.back().first;
  }
  std::int64_t k_;
  std::vector<Candidate>& list_;
  float bound_ = std::numeric_limits<float>::infinity();
};

}  // namespace

POINTPNG_SIMD void farthest_points(const Columns& cloud, std::int64_t start,
                                   std::int64_t chosen_count, float* distance,
                                   std::int64_t* chosen) {
  // Padding is never farther than anything: it keeps distance -1.
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
                           float* distance, std::int64_t* neighbours) {
  const float qx = query[0], qy = query[1], qz = query[2];
  for (std::int64_t i = 0; i < cloud.padded; ++i) {
    const float dx = cloud.x[i] - qx, dy = cloud.y[i] - qy, dz = cloud.z[i] - qz;
    distance[i] = dx * dx + dy * dy + dz * dz;
  }
  static thread_local std::vector<Candidate> storage;
  SmallestK smallest(k, storage);
  const auto* blocks = reinterpret_cast<const Floats*>(distance);
  for (std::int64_t block = 0; block < cloud.padded / kLanes; ++block) {
    const float bound = smallest.bound();
    const Ints closer = blocks[block] < bound;
    const auto* words = reinterpret_cast<const std::int64_t*>(&closer);
    if ((words[0] | words[1] | words[2] | words[3]) == 0) continue;
    const std::int64_t end = std::min(cloud.count, (block + 1) * kLanes);
    for (std::int64_t i = block * kLanes; i < end; ++i)
      smallest.offer(distance[i], static_cast<std::int32_t>(i));
  }
  smallest.write(neighbours);
}

}  // namespace pointpng::kernels
