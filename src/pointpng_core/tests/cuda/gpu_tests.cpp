// The kernels through LibTorch, on the device itself, against the CPU's loops. Without CUDA in
// LibTorch the device is the counting one, and threads of this computer run the kernels.

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/device.h"
#include "model/harmonics.h"
#include "model/model.h"
#include "model/operators.h"
#include "model/patches.h"
#include "model/rotation.h"
#include "model/sampling.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string problem = cuda_problem(); !problem.empty())
      GTEST_SKIP() << "no kernel was run: " << problem;
    ASSERT_TRUE(ops::has_kernels(gpu)) << "this library was built without CUDA kernels";
    torch::manual_seed(1);
  }

  Tensor there(const Tensor& x) const { return x.to(gpu); }

  static void expect_same(const Tensor& found, const Tensor& wanted) {
    ASSERT_EQ(found.sizes(), wanted.sizes());
    EXPECT_TRUE(found.cpu().equal(wanted));
  }
  static void expect_near(const Tensor& found, const Tensor& wanted, double tolerance = 1e-5) {
    ASSERT_EQ(found.sizes(), wanted.sizes());
    EXPECT_LE((found.cpu() - wanted).abs().max().item<double>(), tolerance);
  }

  const torch::Device gpu{torch::kCUDA, 0};
};

TEST_F(GpuTest, ChoosesTheSamePointsAsTheCpu) {
  Tensor points = torch::rand({2, 300, 3});
  points[1] = (4.0 * points[1]).round();  // ties
  const Tensor start = torch::tensor({7, 299});
  const Tensor chosen = sampler_for(torch::kCPU).farthest_points(points, 20, start);
  expect_same(sampler_for(gpu).farthest_points(there(points), 20, there(start)), chosen);
  const Tensor queries = gather_rows(points, chosen.narrow(1, 0, 4));
  const Tensor neighbours = sampler_for(torch::kCPU).nearest(points, queries, 9);
  expect_same(sampler_for(gpu).nearest(there(points), there(queries), 9), neighbours);
  expect_same(group(there(points), there(queries), there(neighbours)),
              group(points, queries, neighbours));
  expect_same(farthest_from_centroid(there(points.narrow(0, 0, 1))),
              farthest_from_centroid(points.narrow(0, 0, 1)));
}

TEST_F(GpuTest, AnEmptyBatchHasAnEmptyAnswer) {
  const Tensor none = there(torch::empty({0, 10, 3}));
  const Tensor start = there(torch::empty({0}, torch::kInt64));
  EXPECT_EQ(sampler_for(gpu).farthest_points(none, 4, start).sizes(),
            (std::vector<std::int64_t>{0, 4}));
}

TEST_F(GpuTest, DescribesPatchesAsTheCpu) {
  const Tensor centres = torch::rand({2, 5, 3}) - 0.5,
               points = 0.2 * (torch::rand({2, 5, 6, 3}) - 0.5);
  for (const bool moments : {true, false}) {
    const auto found = ops::describe_patches(there(centres), there(points), 4, moments);
    const auto wanted = ops::describe_patches(centres, points, 4, moments);
    expect_near(std::get<0>(found), std::get<0>(wanted));
    expect_near(std::get<1>(found), std::get<1>(wanted));
    expect_near(std::get<2>(found), std::get<2>(wanted));
    expect_near(std::get<3>(found), std::get<3>(wanted), 1e-4);
  }
  expect_near(ops::relations(there(centres)), ops::relations(centres), 1e-4);
  const Tensor directions = centres / centres.norm(2, -1, true);
  expect_near(ops::harmonics(there(directions), 8), ops::harmonics(directions, 8), 1e-4);
  const Tensor turns = rotation::uniform({2, 3});
  expect_near(flat_wigner(there(turns), 4), flat_wigner(turns, 4), 1e-4);
}

TEST_F(GpuTest, ComputesTokensAsTheCpu) {
  const Tensor qkv = torch::randn({2, 9, 3 * 8}), both = torch::randn({2, 4, 9, 9});
  const Tensor bias = both.chunk(2, 1)[1];  // not in one piece
  const auto found = ops::attention(there(qkv), there(both).chunk(2, 1)[1], 2);
  const auto wanted = ops::attention(qkv, bias, 2);
  expect_near(std::get<0>(found), std::get<0>(wanted));
  const Tensor gradient = torch::randn({2, 9, 8});
  const auto slopes =
      ops::attention_backward(there(gradient), there(qkv), std::get<1>(found), 2, true);
  const auto wanted_slopes = ops::attention_backward(gradient, qkv, std::get<1>(wanted), 2, true);
  expect_near(std::get<0>(slopes), std::get<0>(wanted_slopes));
  expect_near(std::get<1>(slopes), std::get<1>(wanted_slopes));
  expect_near(std::get<0>(ops::attention(there(qkv), there(torch::empty({0})), 2)),
              std::get<0>(ops::attention(qkv, torch::empty({0}), 2)));
  const Tensor x = torch::randn({3, 4, 16}), scale = torch::randn({16}), shift = torch::randn({16});
  const auto sums = ops::add_norm(there(x), there(2.0 * x), there(scale), there(shift), 1e-5);
  const auto wanted_sums = ops::add_norm(x, 2.0 * x, scale, shift, 1e-5);
  expect_near(std::get<0>(sums), std::get<0>(wanted_sums));
  expect_near(std::get<1>(sums), std::get<1>(wanted_sums));
  expect_near(ops::unit_rows(there(x[0])), ops::unit_rows(x[0]));
}

TEST_F(GpuTest, PoolsAsTheCpu) {
  const std::vector<std::int64_t> channels{2, 3, 1};
  const Tensor weights = torch::randn({2, 5, 6}), harmonics = torch::randn({2, 5, 9});
  expect_near(ops::pool(there(weights), there(harmonics), channels),
              ops::pool(weights, harmonics, channels));
  const Tensor gradient = torch::randn({2, 16});
  expect_near(ops::pool_backward(there(gradient), there(harmonics), channels),
              ops::pool_backward(gradient, harmonics, channels));
  const Tensor x = torch::randn({4, 5, 6});
  const auto found = ops::max_over_points(there(x)), wanted = ops::max_over_points(x);
  expect_same(std::get<0>(found), std::get<0>(wanted));
  expect_same(std::get<1>(found), std::get<1>(wanted));
  const Tensor slopes = torch::randn({4, 6});
  expect_same(ops::max_backward(there(slopes), std::get<1>(found), 5),
              ops::max_backward(slopes, std::get<1>(wanted), 5));
}

TEST_F(GpuTest, EmbedsAsTheCpu) {
  torch::manual_seed(2);
  ModelConfig config;
  config.points = 128;
  config.patches = 8;
  config.patch_points = 8;
  config.depth = 2;
  Model model(config);
  model.eval();
  const Cloud cloud = procedural_shape(1, 0, 400).points;
  const Tensor wanted = model.embed(cloud);
  model.to(gpu);
  expect_near(model.embed(cloud), wanted, 1e-4);
}

}  // namespace
}  // namespace pointpng
