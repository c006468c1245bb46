#pragma once

#include "cuda/block.h"

namespace pointpng::cuda {

/// Index of the point farthest from the centroid; ties go to the smaller index. A block per cloud.
struct FarthestFromCentroid {
  static constexpr int kThreads = 256;
  struct Arguments {
    const float* points;  // [B, n, 3]
    std::int64_t n;
    std::int64_t* farthest;  // [B]
  };
  struct Shared {
    float centroid[3];
  };

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& shared, const Arguments& with) {
    const float* points = with.points + block.number() * with.n * 3;
    for (int axis = 0; axis < 3; ++axis) {
      double mine = 0.0;  // in double, so that the order of the sum can't be seen in the result
      for (std::int64_t i = block.rank(); i < with.n; i += Block::size())
        mine += static_cast<double>(points[3 * i + axis]);
      const double sum = block.sum(mine);
      if (block.rank() == 0)
        shared.centroid[axis] = static_cast<float>(sum / static_cast<double>(with.n));
      block.sync();
    }
    Key mine = 0;
    for (std::int64_t i = block.rank(); i < with.n; i += Block::size()) {
      const Key key = farther_first(squared_distance(points + 3 * i, shared.centroid), i);
      mine = key > mine ? key : mine;
    }
    const Key best = block.largest(mine);
    if (block.rank() == 0) with.farthest[block.number()] = index_of(best);
  }

  /// Larger for larger distances, then for smaller indices. Where a point is not finite its
  /// distance counts as 0.
  POINTPNG_DEVICE static Key farther_first(float distance, std::int64_t i) {
    const float known = distance >= 0.0F && distance <= FLT_MAX ? distance : 0.0F;
    return (static_cast<Key>(bits_of(known)) << 32) | (0xFFFFFFFFU - static_cast<std::uint32_t>(i));
  }
  POINTPNG_DEVICE static std::int64_t index_of(Key key) {
    return static_cast<std::int64_t>(0xFFFFFFFFU - static_cast<std::uint32_t>(key));
  }
};

/// Farthest point sampling; ties go to the smaller index. A block per cloud. The same indices as
/// the CPU's kernel, points that are not finite included: they stay at the largest distance.
struct FarthestPoints {
  static constexpr int kThreads = 512;
  struct Arguments {
    const float* points;  // [B, n, 3]
    std::int64_t n;
    const std::int64_t* start;  // [B]
    std::int64_t count;
    float* distance;       // [B, n], scratch
    std::int64_t* chosen;  // [B, count]
  };
  struct Shared {
    std::int64_t current;
  };

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& shared, const Arguments& with) {
    const float* points = with.points + block.number() * with.n * 3;
    float* distance = with.distance + block.number() * with.n;
    std::int64_t* chosen = with.chosen + block.number() * with.count;
    if (block.rank() == 0) shared.current = within(with.start[block.number()], with.n);
    for (std::int64_t step = 0; step < with.count; ++step) {
      block.sync();
      const std::int64_t current = shared.current;
      if (block.rank() == 0) chosen[step] = current;
      Key mine = 0;
      for (std::int64_t i = block.rank(); i < with.n; i += Block::size()) {
        const float squared = squared_distance(points + 3 * i, points + 3 * current);
        const float before = step == 0 ? FLT_MAX : distance[i];
        const float kept = squared < before ? squared : before;
        distance[i] = kept;
        const Key key = FarthestFromCentroid::farther_first(kept, i);
        mine = key > mine ? key : mine;
      }
      const Key best = block.largest(mine);
      if (block.rank() == 0) shared.current = FarthestFromCentroid::index_of(best);
    }
  }

 private:
  /// The host can't look at a start in the device's memory without waiting for it.
  POINTPNG_DEVICE static std::int64_t within(std::int64_t start, std::int64_t n) {
    return start < 0 ? 0 : start < n ? start : n - 1;
  }
};

/// The k nearest points of each query, nearest first; ties go to the smaller index. A block per
/// query. Where fewer than k distances are finite the rest is 0, as on the CPU.
struct Nearest {
  static constexpr int kThreads = 128;
  struct Arguments {
    const float* points;  // [B, n, 3]
    std::int64_t n;
    const float* queries;  // [B, q, 3]
    std::int64_t q, k;
    std::int64_t* neighbours;  // [B, q, k]
  };
  struct Shared {
    Key taken;
  };

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& shared, const Arguments& with) {
    const float* points = with.points + block.number() / with.q * with.n * 3;
    const float* query = with.queries + block.number() * 3;
    std::int64_t* neighbours = with.neighbours + block.number() * with.k;
    Key mine = next_of(block, points, with.n, query, 0);
    for (std::int64_t i = 0; i < with.k; ++i) {
      const Key best = block.smallest(mine);
      if (block.rank() == 0) {
        shared.taken = best;
        neighbours[i] = best == kNone ? 0 : static_cast<std::int64_t>(best & 0xFFFFFFFFU) - 1;
      }
      block.sync();
      // Only the thread whose point was taken has to look for its next one.
      if (mine == shared.taken && mine != kNone) mine = next_of(block, points, with.n, query, mine);
    }
  }

 private:
  static constexpr Key kNone = ~Key{0};

  /// The smallest key after `last` among this thread's points. Indices are counted from 1, so that
  /// every key is larger than 0.
  template <class Block>
  POINTPNG_DEVICE static Key next_of(const Block& block, const float* points, std::int64_t n,
                                     const float* query, Key last) {
    Key best = kNone;
    for (std::int64_t i = block.rank(); i < n; i += Block::size()) {
      const float squared = squared_distance(points + 3 * i, query);
      if (!(squared <= FLT_MAX)) continue;
      const Key key =
          (static_cast<Key>(bits_of(squared)) << 32) | static_cast<std::uint32_t>(i + 1);
      if (key > last && key < best) best = key;
    }
    return best;
  }
};

/// Patches relative to their centres. A thread per number.
struct Group {
  static constexpr int kThreads = 256;
  struct Arguments {
    const float* points;  // [B, n, 3]
    std::int64_t n;
    const float* centres;            // [B, q, 3]
    const std::int64_t* neighbours;  // [B, q, k]
    std::int64_t q, k, total;        // total = 3 B q k
    float* patches;                  // [B, q, k, 3]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const std::int64_t axis = at % 3, member = at / 3, patch = member / with.k;
    const std::int64_t cloud = patch / with.q;
    with.patches[at] = with.points[(cloud * with.n + with.neighbours[member]) * 3 + axis] -
                       with.centres[3 * patch + axis];
  }
};

}  // namespace pointpng::cuda
