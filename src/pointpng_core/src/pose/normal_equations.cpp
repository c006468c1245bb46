#include "pose/normal_equations.h"

#include <algorithm>
#include <cstddef>

#include <Eigen/Geometry>

#include "base/geometry.h"

namespace pointpng {
namespace {

float total(const simd::Floats& lanes) {
  float sum = 0.0F;
  for (int i = 0; i < simd::kLanes; ++i) sum += lanes[i];
  return sum;
}

Eigen::Vector3f total3(const simd::Floats* lanes) {
  return {total(lanes[0]), total(lanes[1]), total(lanes[2])};
}

}  // namespace

POINTPNG_SIMD
void MatchSums::accumulate(const float* block, int vectors, Lanes* plane, Lanes* point) {
  for (int v = 0; v < vectors; ++v) {
    Lanes p[3], o[3], n[3];
    const Lanes* const columns = reinterpret_cast<const Lanes*>(block) + v;
    constexpr std::ptrdiff_t kNext = kBlock / simd::kLanes;
    for (std::ptrdiff_t axis = 0; axis < 3; ++axis) {
      p[axis] = columns[axis * kNext];
      o[axis] = columns[(3 + axis) * kNext];
      n[axis] = columns[(6 + axis) * kNext];
    }
    const Lanes w = columns[9 * kNext];
    const Lanes row[6] = {p[1] * n[2] - p[2] * n[1],
                          p[2] * n[0] - p[0] * n[2],
                          p[0] * n[1] - p[1] * n[0],
                          n[0],
                          n[1],
                          n[2]};
    const Lanes height = n[0] * o[0] + n[1] * o[1] + n[2] * o[2];
    int k = 0;
    for (int i = 0; i < 6; ++i) {
      const Lanes scaled = w * row[i];
      for (int j = i; j < 6; ++j) plane[k++] += scaled * row[j];
      plane[21 + i] += scaled * height;
    }
    const Lanes wp[3] = {w * p[0], w * p[1], w * p[2]};
    point[0] += w;
    for (int i = 0; i < 3; ++i) {
      const int next = (i + 1) % 3, last = (i + 2) % 3;
      point[1 + i] += wp[i];
      point[4 + i] += wp[i] * p[i];
      point[7 + i] += wp[i] * p[next];
      point[10 + i] += w * o[i];
      point[13 + i] += wp[next] * o[last] - wp[last] * o[next];
    }
  }
}

void MatchSums::flush() {
  const int lanes = static_cast<int>(simd::padded(waiting_));
  float* const weights = block_.data() + 9 * kBlock;
  std::fill(weights + waiting_, weights + lanes, 0.0F);
  accumulate(block_.data(), lanes / static_cast<int>(simd::kLanes), plane_.data(), point_.data());
  waiting_ = 0;
}

NormalEquations MatchSums::point_to_plane() const {
  NormalEquations equations;
  int k = 0;
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j, ++k) equations.h(i, j) = equations.h(j, i) = total(plane_[k]);
    equations.b[i] = -total(plane_[21 + i]);
  }
  return equations;
}

/// With rows (p × e, e) for the three axes e: their products in closed form.
NormalEquations MatchSums::point_to_point() const {
  const Eigen::Vector3f squares = total3(&point_[4]), products = total3(&point_[7]);
  Eigen::Matrix3f second_moment = squares.asDiagonal();
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3;
    second_moment(i, next) = second_moment(next, i) = products[i];
  }
  const Eigen::Matrix3f turned = cross_matrix(total3(&point_[1]));
  NormalEquations equations;
  equations.h << squares.sum() * Eigen::Matrix3f::Identity() - second_moment, turned,
      turned.transpose(), weight() * Eigen::Matrix3f::Identity();
  equations.b.head<3>() = -total3(&point_[13]);
  equations.b.tail<3>() = -total3(&point_[10]);
  return equations;
}

float MatchSums::weight() const { return total(point_[0]); }

}  // namespace pointpng
