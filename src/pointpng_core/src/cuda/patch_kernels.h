#pragma once

#include "cuda/block.h"

namespace pointpng::cuda {

/// The place of a real spherical harmonic in its row: degree after degree, in a degree m = 0, then
/// cosine and sine of every m.
struct HarmonicPlace {
  int l, m;
  bool sine;
};

POINTPNG_DEVICE HarmonicPlace harmonic_place(std::int64_t column) {
  int l = 0;
  while (static_cast<std::int64_t>(l + 1) * (l + 1) <= column) ++l;
  const int within = static_cast<int>(column - static_cast<std::int64_t>(l) * l);
  return {l, (within + 1) / 2, within > 0 && within % 2 == 0};
}

/// One real spherical harmonic of a unit vector, scaled so that those of a degree have length 1.
POINTPNG_DEVICE float harmonic(HarmonicPlace at, float x, float y, float z) {
  float real = 1.0F, imaginary = 0.0F, start = 1.0F, factorials = 1.0F;
  for (int m = 1; m <= at.m; ++m) {  // (x + iy)^m, and P_m^m without its sin^m
    const float turned = x * real - y * imaginary;
    imaginary = x * imaginary + y * real;
    real = turned;
    start *= static_cast<float>(2 * m - 1);
  }
  float before = 0.0F, p = start;
  for (int l = at.m; l < at.l; ++l) {
    const float next =
        (static_cast<float>(2 * l + 1) * z * p - static_cast<float>(l + at.m) * before) /
        static_cast<float>(l + 1 - at.m);
    before = p;
    p = next;
  }
  for (int i = at.l - at.m + 1; i <= at.l + at.m; ++i) factorials *= static_cast<float>(i);
  const float scale = (at.m == 0 ? 1.0F : 1.41421356F) / sqrtf(factorials);
  return scale * p * (at.sine ? imaginary : real);
}

/// Real spherical harmonics of unit vectors. A thread per number.
struct Harmonics {
  static constexpr int kThreads = 256;
  struct Arguments {
    const float* directions;  // [count, 3]
    std::int64_t columns;     // (degree + 1)²
    std::int64_t total;       // count · columns
    float* out;               // [count, columns]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const float* v = with.directions + at / with.columns * 3;
    with.out[at] = harmonic(harmonic_place(at % with.columns), v[0], v[1], v[2]);
  }
};

/// Real Wigner matrices D^l of rotations, degree after degree, row by row: read off the harmonics
/// of rotated probe directions (see harmonics.cpp). A thread per number.
struct Wigner {
  static constexpr int kThreads = 256;
  struct Arguments {
    const float* rotations;   // [count, 4], unit quaternions w x y z
    const float* directions;  // [probes, 3]
    const float* inverse;     // [(degree + 1)², probes]
    std::int64_t probes;
    std::int64_t columns;  // Σ (2l+1)²
    std::int64_t total;    // count · columns
    float* out;            // [count, columns]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    int within = static_cast<int>(at % with.columns), l = 0;
    while (within >= (2 * l + 1) * (2 * l + 1)) {
      within -= (2 * l + 1) * (2 * l + 1);
      ++l;
    }
    const int row = within / (2 * l + 1), column = within % (2 * l + 1);
    const HarmonicPlace place = harmonic_place(static_cast<std::int64_t>(l) * l + row);
    const float* q = with.rotations + at / with.columns * 4;
    const float* weights = with.inverse + (l * l + column) * with.probes;
    float sum = 0.0F, v[3];
    for (std::int64_t p = 0; p < with.probes; ++p) {
      rotate(q, with.directions + 3 * p, v);
      sum += weights[p] * harmonic(place, v[0], v[1], v[2]);
    }
    with.out[at] = sum;
  }

 private:
  POINTPNG_DEVICE static void rotate(const float* q, const float* v, float* to) {
    const float w = q[0], x = q[1], y = q[2], z = q[3];
    to[0] =
        (1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2];
    to[1] =
        2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2];
    to[2] =
        2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2];
  }
};

/// What the equivariant backbone sees of a patch (see equivariant_backbone.cpp). A block per patch.
struct DescribePatches {
  static constexpr int kThreads = 64;
  struct Arguments {
    const float* centres;  // [B, n, 3]
    const float* points;   // [B, n, k, 3], relative to the centre
    std::int64_t n, k;
    std::int64_t columns;  // (degree + 1)²
    std::int64_t tokens;   // rows of harmonics per cloud: n, or 2 n with moments
    float* centroid;       // [B, n, 3]
    float* invariants;     // [B, n, k, 3]
    float* place;          // [B, n, 2]
    float* harmonics;      // [B, tokens, columns]: of the directions, then the moments
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t patch = block.number();
    const Seen seen = see(with, patch);
    if (block.rank() == 0) {
      for (int axis = 0; axis < 3; ++axis) with.centroid[3 * patch + axis] = seen.centroid[axis];
      with.place[2 * patch] = 2.0F * seen.radius - 1.0F;
      with.place[2 * patch + 1] = 8.0F * length(seen.offset);
    }
    for (std::int64_t i = block.rank(); i < with.k; i += Block::size())
      invariants(with, patch, seen, i);
    for (std::int64_t column = block.rank(); column < with.columns; column += Block::size())
      harmonics(with, patch, seen, column);
  }

 private:
  struct Seen {
    float offset[3], centroid[3], direction[3], radius;
  };

  POINTPNG_DEVICE static float length(const float* v) {
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }

  /// Every thread computes it for itself: a patch has few points.
  POINTPNG_DEVICE static Seen see(const Arguments& with, std::int64_t patch) {
    const float* points = with.points + patch * with.k * 3;
    Seen seen{};
    for (std::int64_t i = 0; i < with.k; ++i)
      for (int axis = 0; axis < 3; ++axis) seen.offset[axis] += points[3 * i + axis];
    for (int axis = 0; axis < 3; ++axis) {
      seen.offset[axis] /= static_cast<float>(with.k);
      seen.centroid[axis] = with.centres[3 * patch + axis] + seen.offset[axis];
    }
    const float radius = length(seen.centroid);
    seen.radius = radius < 1e-4F ? 1e-4F : radius;
    for (int axis = 0; axis < 3; ++axis) seen.direction[axis] = seen.centroid[axis] / seen.radius;
    return seen;
  }

  POINTPNG_DEVICE static void invariants(const Arguments& with, std::int64_t patch,
                                         const Seen& seen, std::int64_t i) {
    const float* point = with.points + (patch * with.k + i) * 3;
    float local[3], whole[3], along = 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      local[axis] = point[axis] - seen.offset[axis];
      whole[axis] = local[axis] + seen.centroid[axis];
      along += local[axis] * seen.direction[axis];
    }
    float* out = with.invariants + (patch * with.k + i) * 3;
    out[0] = 6.0F * length(local);
    out[1] = 2.0F * length(whole) - 1.0F;
    out[2] = 6.0F * along;
  }

  POINTPNG_DEVICE static void harmonics(const Arguments& with, std::int64_t patch, const Seen& seen,
                                        std::int64_t column) {
    const HarmonicPlace at = harmonic_place(column);
    const std::int64_t cloud = patch / with.n, token = patch % with.n;
    float* row = with.harmonics + (cloud * with.tokens + token) * with.columns;
    row[column] = harmonic(at, seen.direction[0], seen.direction[1], seen.direction[2]);
    if (with.tokens > with.n) row[with.n * with.columns + column] = moment(with, patch, seen, at);
  }

  /// Mean of (r / ρ)² Y over the points of the patch seen from its centroid, ρ² their mean r².
  POINTPNG_DEVICE static float moment(const Arguments& with, std::int64_t patch, const Seen& seen,
                                      HarmonicPlace at) {
    float squares = 0.0F, sum = 0.0F;
    for (std::int64_t i = 0; i < with.k; ++i) {
      const float* point = with.points + (patch * with.k + i) * 3;
      const float x = point[0] - seen.offset[0], y = point[1] - seen.offset[1],
                  z = point[2] - seen.offset[2];
      const float squared = x * x + y * y + z * z, shrink = 1.0F / sqrtf(squared + 1e-12F);
      squares += squared;
      sum += squared * harmonic(at, x * shrink, y * shrink, z * shrink);
    }
    const auto count = static_cast<float>(with.k);
    return sum / (squares / count + 1e-12F) / count;
  }
};

/// Distance and inner product of every pair of centroids of a cloud. A thread per pair.
struct Relations {
  static constexpr int kThreads = 256;
  struct Arguments {
    const float* centroid;  // [B, n, 3]
    std::int64_t n, total;  // total = B n²
    float* out;             // [B, n, n, 2]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const std::int64_t row = at / with.n, cloud = row / with.n;
    const float *a = with.centroid + 3 * row,
                *b = with.centroid + 3 * (cloud * with.n + at % with.n);
    const float squared = squared_distance(a, b);
    with.out[2 * at] = sqrtf(squared < 1e-12F ? 1e-12F : squared);
    with.out[2 * at + 1] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
};

/// Maximum over the points of a patch, and which point has it (the first of equals). A thread per
/// patch and channel.
struct MaxOverPoints {
  static constexpr int kThreads = 256;
  struct Arguments {
    const float* x;            // [P, k, c]
    std::int64_t k, c, total;  // total = P c
    float* best;               // [P, c]
    std::int32_t* which;       // [P, c]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const float* column = with.x + at / with.c * with.k * with.c + at % with.c;
    float best = column[0];
    std::int32_t which = 0;
    for (std::int64_t i = 1; i < with.k; ++i)
      if (column[i * with.c] > best) {
        best = column[i * with.c];
        which = static_cast<std::int32_t>(i);
      }
    with.best[at] = best;
    with.which[at] = which;
  }
};

/// Its gradient: to the point that has the maximum. A thread per number of x.
struct MaxBackward {
  static constexpr int kThreads = 256;
  struct Arguments {
    const float* gradient;      // [P, c]
    const std::int32_t* which;  // [P, c]
    std::int64_t k, c, total;   // total = P k c
    float* spread;              // [P, k, c]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const std::int64_t channel = at % with.c, row = at / with.c, patch = row / with.k;
    const std::int64_t from = patch * with.c + channel;
    with.spread[at] = with.which[from] == row % with.k ? with.gradient[from] : 0.0F;
  }
};

}  // namespace pointpng::cuda
