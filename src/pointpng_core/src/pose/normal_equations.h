#pragma once

#include <array>
#include <cstddef>

#include <Eigen/Core>

#include "cloud/simd.h"

namespace pointpng {

/// A source point, moved into the target's frame, and its partner there.
struct Match {
  Eigen::Vector3f moved, partner;
  Eigen::Vector3f normal;  // of the surface at the partner
  float weight;
};

/// H x = b for a small motion x of the source: rotation first, then translation.
struct NormalEquations {
  Eigen::Matrix<float, 6, 6> h;
  Eigen::Matrix<float, 6, 1> b;
};

/// Sums what the normal equations of many matches need. Matches wait in a block, so that they are
/// multiplied eight at a time; the order of summation, and with it the result, is always the same.
class MatchSums {
 public:
  void add(const Match& match);

  /// Takes up the matches that still wait; to be called after the last.
  void flush();

  /// Distances along the normals.
  NormalEquations point_to_plane() const;
  /// Distances between the points.
  NormalEquations point_to_point() const;
  float weight() const;

 private:
  static constexpr std::ptrdiff_t kBlock = 64;
  static constexpr int kColumns = 10;  // moved, offset, normal, weight
  static constexpr int kPlane = 27;    // 21 of the upper triangle of H, 6 of b
  static constexpr int kPoint = 16;    // w, w p, w p pᵀ, w o, w p × o
  using Lanes = simd::Floats;

  static void accumulate(const float* block, int vectors, Lanes* plane, Lanes* point);

  alignas(32) std::array<float, kColumns* kBlock> block_ = {};
  int waiting_ = 0;
  std::array<Lanes, kPlane> plane_ = {};
  std::array<Lanes, kPoint> point_ = {};
};

inline void MatchSums::add(const Match& match) {
  float* const column = block_.data() + waiting_;
  for (std::ptrdiff_t axis = 0; axis < 3; ++axis) {
    column[axis * kBlock] = match.moved[axis];
    column[(3 + axis) * kBlock] = match.moved[axis] - match.partner[axis];
    column[(6 + axis) * kBlock] = match.normal[axis];
  }
  column[9 * kBlock] = match.weight;
  if (++waiting_ == kBlock) flush();
}

}  // namespace pointpng
