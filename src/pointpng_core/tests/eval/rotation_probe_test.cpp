#include "eval/rotation_probe.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "model/rotation.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using torch::Tensor;

constexpr RotationProbeConfig kQuick{
    .shapes = 8, .views = 20, .hidden = 64, .batch = 64, .steps = 400, .learning_rate = 3e-3};

/// Small rotations, so that few steps are enough to learn to read them.
Tensor small_turns(std::int64_t shapes, std::int64_t views, int seed) {
  at::manual_seed(seed);
  return rotation::exp(0.5 * torch::randn({shapes, views, 3}));
}

/// Embeddings that contain the rotation itself.
ViewEmbeddings telling(std::int64_t shapes, std::int64_t views, int seed) {
  const Tensor turns = small_turns(shapes, views, seed);
  const Tensor z = rotation::to_matrix(turns).flatten(-2);
  return {z / z.norm(2, -1, true), turns};
}

/// Embeddings that encode the shape but not its rotation.
ViewEmbeddings invariant(std::int64_t shapes, std::int64_t views, int seed) {
  const Tensor turns = small_turns(shapes, views, seed);
  const Tensor z = torch::randn({shapes, 1, 9}).expand({shapes, views, 9});
  return {(z / z.norm(2, -1, true)).contiguous(), turns};
}

TEST(RotationProbeTest, ReadsARotationThatIsThere) {
  const RotationProbe result =
      measure_rotation_probe(telling(8, 20, 1), telling(4, 20, 2), kQuick, 1);
  EXPECT_GT(result.r2, 0.9);
  EXPECT_LE(result.r2, 1.0);
  EXPECT_EQ(result.train_shapes, 8);
  EXPECT_EQ(result.test_shapes, 4);
}

TEST(RotationProbeTest, FindsNothingInAnInvariantEmbedding) {
  EXPECT_LT(measure_rotation_probe(invariant(8, 20, 1), invariant(4, 20, 2), kQuick, 1).r2, 0.1);
}

TEST(RotationProbeTest, FollowsItsSeed) {
  const auto r2 = [](std::uint64_t seed) {
    RotationProbeConfig shorter = kQuick;
    shorter.steps = 20;
    return measure_rotation_probe(telling(8, 20, 1), telling(4, 20, 2), shorter, seed).r2;
  };
  EXPECT_EQ(r2(1), r2(1));
  EXPECT_NE(r2(1), r2(2));
}

TEST(RotationProbeTest, NeedsTwoViews) {
  EXPECT_THROW(measure_rotation_probe(telling(4, 1, 1), telling(4, 20, 2), kQuick, 1), InputError);
  EXPECT_THROW(measure_rotation_probe(telling(4, 20, 1), telling(4, 1, 2), kQuick, 1), InputError);
}

}  // namespace
}  // namespace pointpng
