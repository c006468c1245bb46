#include "model/sampling.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <pcl/kdtree/kdtree_flann.h>
#include <pcl/point_types.h>
#include <torch/types.h>

#include "model/rotation.h"
#include "model/tensor_checks.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

const Sampler& cpu() { return sampler_for(torch::kCPU); }

Tensor first_points(const Tensor& clouds) { return torch::zeros({clouds.size(0)}, torch::kInt64); }

/// Small integer coordinates: squared distances are exact in float, with many ties.
Tensor lattice_clouds(std::int64_t batch, std::int64_t count) {
  return torch::randint(-4, 5, {batch, count, 3}).to(torch::kFloat32);
}

double squared_distance(const Tensor& cloud, std::int64_t i, std::int64_t j) {
  const auto rows = cloud.accessor<float, 2>();
  double sum = 0.0;
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    const double d = static_cast<double>(rows[i][axis]) - rows[j][axis];
    sum += d * d;
  }
  return sum;
}

/// Reference implementation.
std::vector<std::int64_t> plain_farthest_points(const Tensor& cloud, std::int64_t count,
                                                std::int64_t start) {
  std::vector<std::int64_t> chosen{start};
  while (static_cast<std::int64_t>(chosen.size()) < count) {
    std::int64_t farthest = 0;
    double farthest_distance = -1.0;
    for (std::int64_t i = 0; i < cloud.size(0); ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const std::int64_t j : chosen)
        nearest = std::min(nearest, squared_distance(cloud, i, j));
      if (nearest > farthest_distance) {
        farthest = i;
        farthest_distance = nearest;
      }
    }
    chosen.push_back(farthest);
  }
  return chosen;
}

std::vector<std::int64_t> plain_nearest(const Tensor& cloud, std::int64_t query, std::int64_t k) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(cloud.size(0)));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return squared_distance(cloud, a, query) < squared_distance(cloud, b, query);
  });
  order.resize(static_cast<std::size_t>(k));
  return order;
}

std::vector<std::int64_t> as_vector(const Tensor& indices) {
  const Tensor flat = indices.contiguous();
  const auto* data = flat.data_ptr<std::int64_t>();
  return {data, data + flat.numel()};
}

/// Distances of neighbours [B, Q, k] from the queries.
Tensor distances(const Tensor& points, const Tensor& queries, const Tensor& neighbours) {
  return (gather_rows(points, neighbours) - queries.unsqueeze(2)).square().sum(-1);
}

template <class Action>
auto with_threads(int count, Action&& action) {
  const int before = at::get_num_threads();
  at::set_num_threads(count);
  auto result = action();
  at::set_num_threads(before);
  return result;
}

// Sizes around the kernels' vector length: whole vectors, one more, one less, fewer than one.
class EverySize : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(SamplingTest, EverySize, ::testing::Values(1, 2, 7, 8, 9, 31, 64, 100));

TEST_P(EverySize, FarthestPointsAreThoseOfTheDefinition) {
  at::manual_seed(1);
  const Tensor clouds = lattice_clouds(4, GetParam());
  const Tensor start = torch::randint(GetParam(), {4});
  const std::int64_t count = (GetParam() + 1) / 2;
  const Tensor found = cpu().farthest_points(clouds, count, start);
  for (std::int64_t b = 0; b < 4; ++b)
    EXPECT_EQ(as_vector(found[b]),
              plain_farthest_points(clouds[b], count, start[b].item<std::int64_t>()));
}

TEST_P(EverySize, NeighboursAreThoseOfTheDefinitionWithTies) {
  at::manual_seed(2);
  const Tensor clouds = lattice_clouds(3, GetParam());
  for (const std::int64_t k : {std::int64_t{1}, (GetParam() + 1) / 2, GetParam()}) {
    const Tensor found = cpu().nearest(clouds, clouds, k);
    for (std::int64_t b = 0; b < 3; ++b)
      for (std::int64_t i = 0; i < GetParam(); ++i)
        ASSERT_EQ(as_vector(found[b][i]), plain_nearest(clouds[b], i, k)) << "k = " << k;
  }
}

TEST_P(EverySize, AllPointsCanBeChosenEachOnce) {
  at::manual_seed(3);
  const Tensor clouds = torch::randn({2, GetParam(), 3});
  const Tensor chosen = cpu().farthest_points(clouds, GetParam(), first_points(clouds));
  EXPECT_TRUE(std::get<0>(chosen.sort(1)).equal(torch::arange(GetParam()).expand({2, -1})));
}

TEST(SamplingTest, KernelsChooseTheSameFarthestPointsAsTensorOperations) {
  at::manual_seed(4);
  const Tensor clouds = torch::randn({8, 777, 3});
  const Tensor start = farthest_from_centroid(clouds);
  EXPECT_TRUE(cpu()
                  .farthest_points(clouds, 64, start)
                  .equal(tensor_sampler().farthest_points(clouds, 64, start)));
}

TEST(SamplingTest, TensorOperationsTakeTheFirstOfEquallyFarPointsToo) {
  at::manual_seed(5);
  const Tensor clouds = lattice_clouds(6, 90);
  EXPECT_TRUE(cpu()
                  .farthest_points(clouds, 40, first_points(clouds))
                  .equal(tensor_sampler().farthest_points(clouds, 40, first_points(clouds))));
}

// Which of two equally near points comes first is left to LibTorch there: distances are compared.
TEST(SamplingTest, KernelsFindNeighboursAsNearAsTensorOperations) {
  at::manual_seed(6);
  const Tensor points = torch::randn({4, 600, 3}), queries = torch::randn({4, 50, 3});
  const Tensor own = distances(points, queries, cpu().nearest(points, queries, 20));
  const Tensor theirs = distances(points, queries, tensor_sampler().nearest(points, queries, 20));
  EXPECT_LT(difference(own, theirs), 2e-5);  // cdist by matrix products loses some digits
}

TEST(SamplingTest, NeighboursAreThoseOfPclsKdTree) {
  at::manual_seed(7);
  const Tensor points = torch::rand({1, 2000, 3}), queries = torch::rand({1, 200, 3});
  constexpr int kNeighbours = 16;
  const auto cloud = std::make_shared<pcl::PointCloud<pcl::PointXYZ>>();
  const auto rows = points.accessor<float, 3>(), asked = queries.accessor<float, 3>();
  for (std::int64_t i = 0; i < 2000; ++i)
    cloud->emplace_back(rows[0][i][0], rows[0][i][1], rows[0][i][2]);
  pcl::KdTreeFLANN<pcl::PointXYZ> tree;
  tree.setInputCloud(cloud);
  const Tensor found = cpu().nearest(points, queries, kNeighbours);
  for (std::int64_t q = 0; q < 200; ++q) {
    pcl::Indices indices;
    std::vector<float> squared;
    tree.nearestKSearch(pcl::PointXYZ(asked[0][q][0], asked[0][q][1], asked[0][q][2]), kNeighbours,
                        indices, squared);
    ASSERT_EQ(as_vector(found[0][q]), std::vector<std::int64_t>(indices.begin(), indices.end()));
  }
}

TEST(SamplingTest, DuplicatesAreChosenOnlyWhenNothingElseIsLeft) {
  const Tensor clouds =
      torch::tensor({0.F, 0.F, 0.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 3.F, 0.F})
          .view({1, 5, 3});
  const Tensor chosen = cpu().farthest_points(clouds, 5, first_points(clouds));
  EXPECT_EQ(as_vector(chosen.narrow(1, 0, 3)), (std::vector<std::int64_t>{0, 4, 2}));
}

TEST(SamplingTest, CloudsWhosePointsAreAllEqualGiveValidIndices) {
  const Tensor clouds = torch::ones({2, 20, 3});
  const Tensor chosen = cpu().farthest_points(clouds, 20, first_points(clouds));
  EXPECT_GE(chosen.min().item<std::int64_t>(), 0);
  EXPECT_LT(chosen.max().item<std::int64_t>(), 20);
  EXPECT_EQ(as_vector(cpu().nearest(clouds, clouds, 3)[1][7]),
            (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(SamplingTest, CoordinatesThatAreNotFiniteGiveValidIndices) {
  Tensor clouds = torch::randn({1, 30, 3});
  clouds[0][3][1] = std::numeric_limits<float>::quiet_NaN();
  clouds[0][9][0] = std::numeric_limits<float>::infinity();
  clouds[0][20][2] = 1e30F;  // its square is not finite
  for (const Tensor& indices : {cpu().farthest_points(clouds, 30, first_points(clouds)),
                                cpu().nearest(clouds, clouds, 30)}) {
    EXPECT_GE(indices.min().item<std::int64_t>(), 0);
    EXPECT_LT(indices.max().item<std::int64_t>(), 30);
  }
}

// A dense cluster within a wide scene: neighbours must be right at every scale of one cloud.
TEST(SamplingTest, NeighboursAreRightWhereDistancesSpanManyOrders) {
  at::manual_seed(12);
  const Tensor radius = torch::pow(10.0, 20.0 * torch::rand({1, 300, 1}) - 10.0);
  const Tensor clouds = torch::randn({1, 300, 3}) * radius;
  for (const std::int64_t k : {1, 16, 299}) {
    const Tensor found = cpu().nearest(clouds, clouds, k);
    for (std::int64_t i = 0; i < 300; i += 7) {
      const auto own = as_vector(found[0][i]), plain = plain_nearest(clouds[0], i, k);
      for (std::size_t j = 0; j < own.size(); ++j) {
        const double expected = squared_distance(clouds[0], i, plain[j]);
        ASSERT_NEAR(squared_distance(clouds[0], i, own[j]), expected, 1e-5 * expected);
      }
    }
  }
}

TEST(SamplingTest, TheMemoryLayoutOfTheInputDoesNotMatter) {
  at::manual_seed(8);
  const Tensor contiguous = torch::randn({3, 50, 3});
  const Tensor strided = contiguous.permute({2, 1, 0}).contiguous().permute({2, 1, 0});
  ASSERT_FALSE(strided.is_contiguous());
  const Tensor start = first_points(contiguous);
  EXPECT_TRUE(
      cpu().farthest_points(strided, 9, start).equal(cpu().farthest_points(contiguous, 9, start)));
  EXPECT_TRUE(cpu().nearest(strided, strided, 5).equal(cpu().nearest(contiguous, contiguous, 5)));
}

TEST(SamplingTest, DoubleInputGivesWhatFloatGives) {
  at::manual_seed(9);
  const Tensor floats = torch::randn({3, 50, 3}), start = first_points(floats);
  const Tensor doubles = floats.to(torch::kFloat64);
  EXPECT_TRUE(
      cpu().farthest_points(doubles, 9, start).equal(cpu().farthest_points(floats, 9, start)));
  EXPECT_TRUE(cpu().nearest(doubles, doubles, 5).equal(cpu().nearest(floats, floats, 5)));
}

TEST(SamplingTest, InputThatWantsAGradientIsAccepted) {
  const Tensor clouds = torch::randn({1, 20, 3}).requires_grad_(true);
  EXPECT_NO_THROW(cpu().farthest_points(clouds, 4, first_points(clouds)));
  EXPECT_NO_THROW(cpu().nearest(clouds, clouds, 4));
}

TEST(SamplingTest, TheNumberOfThreadsDoesNotChangeTheResult) {
  at::manual_seed(10);
  const Tensor clouds = torch::randn({5, 300, 3}), start = first_points(clouds);
  const auto chosen = [&] { return cpu().farthest_points(clouds, 40, start); };
  const auto found = [&] { return cpu().nearest(clouds, clouds, 12); };
  EXPECT_TRUE(with_threads(1, chosen).equal(with_threads(2, chosen)));
  EXPECT_TRUE(with_threads(1, found).equal(with_threads(2, found)));
}

TEST(SamplingTest, TheChoiceTurnsWithTheCloud) {
  at::manual_seed(11);
  const Tensor clouds =
      torch::stack({as_tensor(random_cloud(600, 1)), as_tensor(random_cloud(600, 2)),
                    as_tensor(random_cloud(600, 3))});
  const Tensor before = cpu().farthest_points(clouds, 32, farthest_from_centroid(clouds));
  for (int i = 0; i < 10; ++i) {
    const Tensor turned = rotation::rotate(rotation::uniform({3}), clouds);
    EXPECT_TRUE(before.equal(cpu().farthest_points(turned, 32, farthest_from_centroid(turned))));
  }
}

TEST(SamplingTest, TheStartIsThePointFarthestFromTheCentroid) {
  Tensor clouds = 0.1 * torch::randn({2, 30, 3});
  clouds[0][17] = torch::tensor({5.0F, 0.0F, 0.0F});
  clouds[1][4] = torch::tensor({0.0F, -5.0F, 0.0F});
  EXPECT_EQ(as_vector(farthest_from_centroid(clouds)), (std::vector<std::int64_t>{17, 4}));
}

TEST(SamplingTest, MoreThanThereIsAndNothingAreInputErrors) {
  const Tensor clouds = torch::randn({2, 10, 3}), start = first_points(clouds);
  for (const Sampler* sampler : {&cpu(), &tensor_sampler()})
    for (const std::int64_t wrong : {-1, 0, 11}) {
      EXPECT_THROW(sampler->farthest_points(clouds, wrong, start), InputError) << wrong;
      EXPECT_THROW(sampler->nearest(clouds, clouds, wrong), InputError) << wrong;
    }
}

TEST(SamplingTest, AStartOutsideOfTheCloudIsAnInputError) {
  const Tensor clouds = torch::randn({2, 10, 3});
  for (const std::int64_t wrong : {-1, 10})
    EXPECT_THROW(cpu().farthest_points(clouds, 4, torch::full({2}, wrong, torch::kInt64)),
                 InputError);
}

TEST(SamplingTest, GatherRowsTakesRowsOfTheirOwnCloud) {
  const Tensor points = torch::arange(2 * 3 * 2).view({2, 3, 2}).to(torch::kFloat32);
  const Tensor indices = torch::tensor({2, 0, 1, 1}, torch::kInt64).view({2, 1, 2});
  const Tensor expected =
      torch::tensor({4.F, 5.F, 0.F, 1.F, 8.F, 9.F, 8.F, 9.F}).view({2, 1, 2, 2});
  EXPECT_TRUE(gather_rows(points, indices).equal(expected));
}

}  // namespace
}  // namespace pointpng
