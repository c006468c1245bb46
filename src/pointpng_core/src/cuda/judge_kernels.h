#pragma once

#include "cuda/block.h"

namespace pointpng::cuda {

/// A grid of a nearest-point field (pose/nearest_field.h).
struct FieldGrid {
  static constexpr int kEdgeBits = 3, kEdge = 1 << kEdgeBits;  // of a block, in cells
  static constexpr std::int64_t kBlockCells = std::int64_t{kEdge} * kEdge * kEdge;

  float origin[3];
  float cells_per_unit;
  std::int32_t blocks[3];        // along each axis
  std::int32_t kept;             // blocks in `nearest`
  const std::int32_t* block_of;  // place of each block in `nearest`, in blocks
  const std::int32_t* nearest;   // -1: none

  POINTPNG_DEVICE std::int64_t all_blocks() const {
    return std::int64_t{blocks[0]} * blocks[1] * blocks[2];
  }

  POINTPNG_DEVICE int at(const float* place) const {
    std::int64_t block = 0, within = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float along = (place[axis] - origin[axis]) * cells_per_unit;
      if (!(along >= 0.0F && along < static_cast<float>(blocks[axis] * kEdge))) return -1;
      const int cell = static_cast<int>(along);
      block = block * blocks[axis] + (cell >> kEdgeBits);
      within = (within << kEdgeBits) | (cell & (kEdge - 1));
    }
    return nearest[block_of[block] * kBlockCells + within];
  }
};

/// A prepared cloud in the device's memory.
struct Surface {
  const float* points;   // [n, 3]
  const float* normals;  // [n, 3]
  const float* weights;  // [n], in the score
  std::int64_t n;
  FieldGrid fine, coarse;

  POINTPNG_DEVICE int nearest(const float* place) const {
    const int near = fine.at(place);
    return near >= 0 ? near : coarse.at(place);
  }
};

/// A rigid transform: rotation row by row, then translation.
struct Pose {
  float rotation[9], translation[3];

  POINTPNG_DEVICE void rotate(const float* v, float* to) const {
    for (int i = 0; i < 3; ++i)
      to[i] = rotation[3 * i] * v[0] + rotation[3 * i + 1] * v[1] + rotation[3 * i + 2] * v[2];
  }
  POINTPNG_DEVICE void apply(const float* v, float* to) const {
    rotate(v, to);
    for (int i = 0; i < 3; ++i) to[i] += translation[i];
  }
  POINTPNG_DEVICE Pose inverse() const {
    Pose back{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        back.rotation[3 * i + j] = rotation[3 * j + i];
        back.translation[i] -= rotation[3 * j + i] * translation[j];
      }
    }
    return back;
  }
};

/// How many points of each cloud come near the other's surface, nearer ones counting more. A thread
/// per pose.
struct QuickScore {
  static constexpr int kThreads = 128;
  struct Arguments {
    Surface source, target;
    const float* source_sample;  // [samples of the source, 3]
    const float* target_sample;
    std::int64_t source_samples, target_samples;
    const Pose* poses;  // [total], target_from_source
    std::int64_t total;
    float inlier_distance;
    float* scores;  // [total]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const Pose pose = with.poses[at];
    const float per_square = 1.0F / (with.inlier_distance * with.inlier_distance);
    with.scores[at] =
        one_way(with.source_sample, with.source_samples, with.target, pose, per_square) +
        one_way(with.target_sample, with.target_samples, with.source, pose.inverse(), per_square);
  }

 private:
  POINTPNG_DEVICE static float one_way(const float* points, std::int64_t count,
                                       const Surface& surface, const Pose& pose, float per_square) {
    float sum = 0.0F, place[3];
    for (std::int64_t i = 0; i < count; ++i) {
      pose.apply(points + 3 * i, place);
      const int j = surface.nearest(place);
      if (j < 0) continue;
      const float score = 1.0F - squared_distance(place, surface.points + 3 * j) * per_square;
      sum += score > 0.0F ? score : 0.0F;
    }
    return sum;
  }
};

/// The sums of `measure_fit` (pose/fit.cpp) of one cloud onto the other. A block per pose and
/// direction: source onto target, then target onto source.
struct MeasureFit {
  static constexpr int kThreads = 128;
  struct Sums {
    float score, weight, overlap, square, counted;
  };
  struct Arguments {
    Surface source, target;
    std::int64_t source_stride, target_stride;  // every so many points are looked at
    const Pose* poses;                          // [poses], target_from_source
    float inlier_distance, plane_distance, near_miss;
    Sums* sums;  // [poses, 2]
  };
  struct Shared {
    Pose pose;
  };

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& shared, const Arguments& with) {
    const bool back = block.number() % 2 == 1;
    if (block.rank() == 0) {
      const Pose pose = with.poses[block.number() / 2];
      shared.pose = back ? pose.inverse() : pose;
    }
    block.sync();
    const Surface &from = back ? with.target : with.source, &to = back ? with.source : with.target;
    const std::int64_t stride = back ? with.target_stride : with.source_stride;
    Sums mine{};
    for (std::int64_t i = block.rank() * stride; i < from.n; i += Block::size() * stride)
      add(with, from, to, shared.pose, i, mine);
    Sums all{};
    all.score = block.sum(mine.score);
    block.sync();
    all.weight = block.sum(mine.weight);
    block.sync();
    all.overlap = block.sum(mine.overlap);
    block.sync();
    all.square = block.sum(mine.square);
    block.sync();
    all.counted = block.sum(mine.counted);
    if (block.rank() == 0) with.sums[block.number()] = all;
  }

 private:
  POINTPNG_DEVICE static void add(const Arguments& with, const Surface& from, const Surface& to,
                                  const Pose& pose, std::int64_t i, Sums& mine) {
    const float weight = from.weights[i];
    mine.counted += 1.0F;
    mine.weight += weight;
    float place[3], turned[3];
    pose.apply(from.points + 3 * i, place);
    const int j = to.nearest(place);
    if (j < 0) return;
    const float limit = with.inlier_distance * with.inlier_distance;
    const float squared = squared_distance(place, to.points + 3 * j);
    if (squared >= limit) return;
    pose.rotate(from.normals + 3 * i, turned);
    const float* normal = to.normals + 3 * j;
    float cosine = 0.0F, height = 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      cosine += normal[axis] * turned[axis];
      height += normal[axis] * (place[axis] - to.points[3 * j + axis]);
    }
    const float on_plane =
        1.0F - height * height / (with.plane_distance * with.plane_distance * limit);
    const float missed = on_plane < -1.0F ? -1.0F : on_plane;
    const float closeness = on_plane >= 0.0F ? on_plane : with.near_miss * missed;
    mine.score += weight * closeness * (1.0F - 0.5F * squared / limit) * fabsf(cosine);
    mine.overlap += 1.0F;
    mine.square += height * height;
  }
};

}  // namespace pointpng::cuda
