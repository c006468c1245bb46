#include "embed/kernels.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "base/random.h"
#include "cloud/sampling.h"
#include "cuda/host_block.h"
#include "pose/device_surface.h"
#include "pose/test_problems.h"

namespace pointpng::cuda {
namespace {

constexpr int kThreads = 8;  // of a block on the host
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Floats = std::vector<float>;
using Indices = std::vector<std::int64_t>;

template <class Kernel>
void run_blocks(const typename Kernel::Arguments& with, std::int64_t blocks) {
  run_on_host<Kernel, kThreads>(with, blocks);
}

template <class Kernel>
void run_numbers(const typename Kernel::Arguments& with) {
  run_on_host<Kernel, kThreads>(with, (with.total + kThreads - 1) / kThreads);
}

Floats random_numbers(std::int64_t count, std::uint64_t seed) {
  Random random({seed});
  Floats numbers(static_cast<std::size_t>(count));
  for (float& x : numbers) x = random.uniform(-1, 1);
  return numbers;
}

void expect_near(const Floats& found, const Floats& wanted, float tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], tolerance) << i;
}

/// Clouds that are hard to sample: ties, few points, coordinates that are not finite.
std::vector<Floats> clouds() {
  std::vector<Floats> all;
  for (const std::int64_t n : {1, 7, 100}) all.push_back(random_numbers(3 * n, 1));
  Floats grid = random_numbers(3 * 90, 2);
  for (float& x : grid) x = std::round(2.0F * x);
  all.push_back(grid);
  all.emplace_back(3 * 20, 0.5F);  // all points equal
  Floats holes = random_numbers(3 * 40, 3);
  holes[0] = kNan;
  holes[25] = kInfinity;
  holes[70] = 1e30F;
  all.push_back(holes);
  return all;
}

Cloud as_cloud(const Floats& points) {
  return Eigen::Map<const Cloud>(points.data(), static_cast<Eigen::Index>(points.size()) / 3, 3);
}

TEST(CudaKernelsTest, FarthestPointsAreThoseOfTheCpu) {
  for (const Floats& points : clouds()) {
    const auto n = static_cast<std::int64_t>(points.size()) / 3,
               count = std::min<std::int64_t>(n, 24);
    const Indices start{n / 2};
    Floats distance(static_cast<std::size_t>(n));
    Indices chosen(static_cast<std::size_t>(count), -1);
    run_blocks<FarthestPoints>(
        {points.data(), n, start.data(), count, distance.data(), chosen.data()}, 1);
    EXPECT_EQ(chosen, farthest_point_sample(as_cloud(points), count, n / 2));
  }
}

TEST(CudaKernelsTest, EveryCloudOfABatchIsSampledByItself) {
  const std::int64_t n = 50, count = 10;
  const Floats points = random_numbers(3 * 3 * n, 4);
  const Indices start{3, 0, 49};
  Floats distance(3 * n);
  Indices chosen(3 * count, -1);
  run_blocks<FarthestPoints>(
      {points.data(), n, start.data(), count, distance.data(), chosen.data()}, 3);
  for (std::int64_t b = 0; b < 3; ++b) {
    const Floats one(points.begin() + 3 * n * b, points.begin() + 3 * n * (b + 1));
    const Indices alone(chosen.begin() + count * b, chosen.begin() + count * (b + 1));
    EXPECT_EQ(alone,
              farthest_point_sample(as_cloud(one), count, start[static_cast<std::size_t>(b)]));
  }
}

TEST(CudaKernelsTest, NeighboursAreThoseOfTheCpu) {
  for (const Floats& points : clouds()) {
    const auto n = static_cast<std::int64_t>(points.size()) / 3;
    const Floats queries = random_numbers(3 * 5, 6);
    for (const std::int64_t k : {std::int64_t{1}, std::min<std::int64_t>(n, 12), n}) {
      Indices found(static_cast<std::size_t>(5 * k), -1);
      run_blocks<Nearest>({points.data(), n, queries.data(), 5, k, found.data()}, 5);
      const Neighbours wanted = nearest_neighbours(as_cloud(points), as_cloud(queries), k);
      EXPECT_EQ(found, Indices(wanted.data(), wanted.data() + wanted.size())) << n << " " << k;
    }
  }
}

TEST(CudaKernelsTest, AMillionPointsAreSampled) {
  const std::int64_t n = 1000000, k = 3;
  Floats points(static_cast<std::size_t>(3 * n), 0.0F), distance(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    points[static_cast<std::size_t>(3 * i)] = static_cast<float>(i);
  const Indices start{0};
  Indices chosen(k, -1), nearest(k, -1);
  run_blocks<FarthestPoints>({points.data(), n, start.data(), k, distance.data(), chosen.data()},
                             1);
  EXPECT_EQ(chosen, (Indices{0, n - 1, n / 2 - 1}));
  const Floats query{999000.0F, 0.0F, 0.0F};
  run_blocks<Nearest>({points.data(), n, query.data(), 1, k, nearest.data()}, 1);
  EXPECT_EQ(nearest, (Indices{999000, 998999, 999001}));
}

TEST(CudaKernelsTest, FarthestFromCentroidIsThatOfTheCpu) {
  for (const std::int64_t n : {1, 9, 200}) {
    const Floats points = random_numbers(3 * n, 7);
    Indices found{-1};
    run_blocks<FarthestFromCentroid>({points.data(), n, found.data()}, 1);
    EXPECT_EQ(found[0], farthest_from_centroid(as_cloud(points)));
  }
}

TEST(CudaKernelsTest, GroupingSubtractsTheCentre) {
  const Floats points = random_numbers(2 * 10 * 3, 8), centres = random_numbers(2 * 2 * 3, 9);
  const Indices neighbours{0, 1, 2, 9, 8, 7, 5, 5, 5, 3, 4, 0};  // [2, 2, 3]
  Floats patches(36, kNan);
  run_numbers<Group>(
      {points.data(), 10, centres.data(), neighbours.data(), 2, 3, 36, patches.data()});
  for (std::size_t at = 0; at < 36; ++at) {
    const std::size_t member = at / 3, patch = member / 3, cloud = patch / 2;
    const auto from = (cloud * 10 + static_cast<std::size_t>(neighbours[member])) * 3 + at % 3;
    EXPECT_EQ(patches[at], points[from] - centres[3 * patch + at % 3]);
  }
}

TEST(CudaKernelsTest, HarmonicsAreThoseOfTheCpu) {
  Random random({10});
  Floats directions;
  for (int i = 0; i < 6; ++i)
    for (const float x : random.direction()) directions.push_back(x);
  for (const std::int64_t degree : {0, 1, 4, 8}) {
    const std::int64_t columns = (degree + 1) * (degree + 1);
    Floats found(static_cast<std::size_t>(6 * columns), kNan), wanted(found.size());
    run_numbers<Harmonics>({directions.data(), columns, 6 * columns, found.data()});
    kernels::spherical_harmonics(directions.data(), 6, degree, wanted.data());
    expect_near(found, wanted, 2e-6F);
  }
}

/// D(q) Y(v) = Y(R v), whatever the probe directions are.
TEST(CudaKernelsTest, WignerMatricesTurnHarmonics) {
  constexpr std::int64_t kDegree = 3, kColumns = 16, kNumbers = 1 + 9 + 25 + 49, kProbes = 20;
  Random random({26});
  Floats directions, inverse;
  for (std::int64_t i = 0; i < kProbes; ++i)
    for (const float x : random.direction()) directions.push_back(x);
  Eigen::Matrix<float, kProbes, kColumns, Eigen::RowMajor> values;
  kernels::spherical_harmonics(directions.data(), kProbes, kDegree, values.data());
  for (std::int64_t l = 0; l <= kDegree; ++l) {
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows =
        values.middleCols(l * l, 2 * l + 1).completeOrthogonalDecomposition().pseudoInverse();
    inverse.insert(inverse.end(), rows.data(), rows.data() + rows.size());
  }
  const Eigen::Vector4f q = random.quaternion();
  Floats found(kNumbers, kNan);
  run_numbers<Wigner>(
      {q.data(), directions.data(), inverse.data(), kProbes, kNumbers, kNumbers, found.data()});
  const Eigen::Vector3f v = random.direction();
  const Eigen::Vector3f turned = Eigen::Quaternionf(q[0], q[1], q[2], q[3]) * v;
  Floats before(kColumns), after(kColumns);
  kernels::spherical_harmonics(v.data(), 1, kDegree, before.data());
  kernels::spherical_harmonics(turned.data(), 1, kDegree, after.data());
  std::int64_t first = 0;
  for (std::int64_t l = 0; l <= kDegree; first += (2 * l + 1) * (2 * l + 1), ++l) {
    const Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
        matrix(found.data() + first, 2 * l + 1, 2 * l + 1);
    const Eigen::VectorXf wanted =
        Eigen::Map<const Eigen::VectorXf>(after.data() + l * l, 2 * l + 1);
    EXPECT_LT(
        (matrix * Eigen::Map<const Eigen::VectorXf>(before.data() + l * l, 2 * l + 1) - wanted)
            .norm(),
        1e-4F);
  }
}

/// What is seen of patches does not turn with them, except their harmonics, whose lengths stay.
TEST(CudaKernelsTest, DescriptionsOfPatchesAreInvariant) {
  constexpr std::int64_t kPatches = 3, kPoints = 6, kColumns = 9;
  struct Described {
    Floats centroid = Floats(3 * kPatches, kNan), invariants = Floats(3 * kPatches * kPoints, kNan),
           place = Floats(2 * kPatches, kNan), harmonics = Floats(2 * kPatches * kColumns, kNan);
  };
  const auto describe = [](const Floats& centres, const Floats& points) {
    Described seen;
    run_blocks<DescribePatches>(
        {centres.data(), points.data(), kPatches, kPoints, kColumns, 2 * kPatches,
         seen.centroid.data(), seen.invariants.data(), seen.place.data(), seen.harmonics.data()},
        kPatches);
    return seen;
  };
  const Floats centres = random_numbers(3 * kPatches, 27),
               points = random_numbers(3 * kPatches * kPoints, 28);
  const Eigen::Quaternionf turn = Eigen::Quaternionf(0.5F, 0.1F, -0.7F, 0.3F).normalized();
  const auto turned = [&](Floats rows) {
    for (std::size_t i = 0; i < rows.size(); i += 3)
      Eigen::Map<Eigen::Vector3f>(rows.data() + i) = turn * Eigen::Vector3f(rows.data() + i);
    return rows;
  };
  const Described seen = describe(centres, points),
                  again = describe(turned(centres), turned(points));
  expect_near(again.invariants, seen.invariants, 1e-4F);
  expect_near(again.place, seen.place, 1e-4F);
  expect_near(again.centroid, turned(seen.centroid), 1e-5F);
  for (std::size_t row = 0; row < 2 * kPatches; ++row)
    for (std::size_t l = 0; l < 3; ++l) {
      const auto length = [&](const Floats& all) {
        return Eigen::Map<const Eigen::VectorXf>(all.data() + row * kColumns + l * l,
                                                 static_cast<Eigen::Index>(2 * l + 1))
            .norm();
      };
      EXPECT_NEAR(length(again.harmonics), length(seen.harmonics), 1e-4F);
    }
}

TEST(CudaKernelsTest, RelationsAreDistanceAndInnerProduct) {
  const Floats centroid{1, 0, 0, 0, 2, 0, /**/ 0, 0, 3, 0, 0, 3};
  Floats out(16, kNan);
  run_numbers<Relations>({centroid.data(), 2, 8, out.data()});
  const float root = std::sqrt(5.0F), least = 1e-6F;
  expect_near(out, {least, 1, root, 0, root, 0, least, 4, least, 9, least, 9, least, 9, least, 9},
              1e-6F);
}

TEST(CudaKernelsTest, MaximaAreThoseOfTheCpuAndKnowTheFirstOfEquals) {
  Floats x = random_numbers(2 * 5 * 7, 11);
  for (float& value : x) value = std::round(3.0F * value);
  Floats best(14), wanted(14), spread(70, kNan);
  std::vector<std::int32_t> which(14), wanted_which(14);
  run_numbers<MaxOverPoints>({x.data(), 5, 7, 14, best.data(), which.data()});
  for (int p = 0; p < 2; ++p)
    kernels::max_rows(x.data() + 35 * p, 5, 7, wanted.data() + 7 * p, wanted_which.data() + 7 * p);
  EXPECT_EQ(best, wanted);
  EXPECT_EQ(which, wanted_which);
  const Floats gradient = random_numbers(14, 12);
  run_numbers<MaxBackward>({gradient.data(), which.data(), 5, 7, 70, spread.data()});
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t c = 0; c < 7; ++c) {
        const bool won = which[7 * p + c] == static_cast<std::int32_t>(i);
        EXPECT_EQ(spread[35 * p + 7 * i + c], won ? gradient[7 * p + c] : 0.0F);
      }
}

constexpr std::int64_t kBatch = 2, kTokens = 11, kHeads = 2, kWidth = 8,
                       kSquare = kTokens * kTokens;

struct AttentionInput {
  Floats qkv = random_numbers(kBatch * kTokens * 3 * kWidth, 13);
  Floats bias = random_numbers(kBatch * kHeads * kSquare, 14);
  Floats probabilities = Floats(kBatch * kHeads * kSquare, kNan);
  Floats out = Floats(kBatch * kTokens * kWidth, kNan);

  void run(bool biased) {
    run_blocks<Attention>({qkv.data(), biased ? bias.data() : nullptr, kTokens, kWidth, kHeads,
                           kHeads * kSquare, probabilities.data(), out.data()},
                          kBatch * kHeads);
  }
};

TEST(CudaKernelsTest, AttentionIsThatOfTheCpu) {
  for (const bool biased : {true, false}) {
    AttentionInput input;
    input.run(biased);
    const kernels::AttentionShape shape{kTokens, kWidth, kWidth / kHeads};
    Floats wanted(input.out.size()), probabilities(kSquare), scratch(kTokens * kWidth);
    for (std::int64_t i = 0; i < kBatch * kHeads; ++i) {
      const std::int64_t cloud = i / kHeads, column = i % kHeads * shape.d;
      kernels::attention_head(input.qkv.data() + cloud * kTokens * shape.row() + column,
                              biased ? input.bias.data() + i * kSquare : nullptr, shape,
                              scratch.data(), probabilities.data(),
                              wanted.data() + cloud * kTokens * kWidth + column);
    }
    expect_near(input.out, wanted, 1e-5F);
  }
}

TEST(CudaKernelsTest, GradientsOfAttentionAreItsSlopes) {
  AttentionInput input;
  input.run(true);
  const Floats gradient = random_numbers(kBatch * kTokens * kWidth, 15);
  Floats of_bias(input.bias.size(), kNan), of_qkv(input.qkv.size(), kNan);
  run_blocks<AttentionBackward>({gradient.data(), input.qkv.data(), input.probabilities.data(),
                                 kTokens, kWidth, kHeads, of_bias.data(), of_qkv.data()},
                                kBatch * kHeads);
  const auto loss = [&](AttentionInput& at) {
    at.run(true);
    return std::inner_product(gradient.begin(), gradient.end(), at.out.begin(), 0.0);
  };
  constexpr float kStep = 1e-2F;
  Random random({16});
  for (const bool of_the_bias : {true, false})
    for (int i = 0; i < 12; ++i) {
      Floats& numbers = of_the_bias ? input.bias : input.qkv;
      const auto at =
          static_cast<std::size_t>(random.below(static_cast<std::int64_t>(numbers.size())));
      const float before = numbers[at];
      numbers[at] = before + kStep;
      const double ahead = loss(input);
      numbers[at] = before - kStep;
      const double slope = (ahead - loss(input)) / (2.0 * kStep);
      numbers[at] = before;
      EXPECT_NEAR((of_the_bias ? of_bias : of_qkv)[at], slope, 2e-3);
    }
}

TEST(CudaKernelsTest, AddNormIsASumAndItsLayerNormalisation) {
  constexpr std::int64_t kRows = 3, kColumns = 20;
  const Floats x = random_numbers(60, 17), added = random_numbers(60, 18),
               scale = random_numbers(20, 19), shift = random_numbers(20, 20);
  Floats sum(60, kNan), normalised(60, kNan), wanted_sum(60), wanted(60);
  run_blocks<AddNorm>({x.data(), added.data(), scale.data(), shift.data(), kColumns, 1e-5F,
                       sum.data(), normalised.data()},
                      kRows);
  for (std::size_t i = 0; i < 60; ++i) wanted_sum[i] = x[i] + added[i];
  kernels::layer_norm(wanted_sum.data(), kRows, kColumns, scale.data(), shift.data(),
                      wanted.data());
  EXPECT_EQ(sum, wanted_sum);
  expect_near(normalised, wanted, 1e-5F);
}

TEST(CudaKernelsTest, UnitRowsHaveLengthOneAndZeroStaysZero) {
  Floats x = random_numbers(40, 21), out(40, kNan);
  std::fill_n(x.begin(), 20, 0.0F);
  run_blocks<UnitRows>({x.data(), 20, out.data()}, 2);
  EXPECT_EQ(Floats(out.begin(), out.begin() + 20), Floats(20, 0.0F));
  const float length = Eigen::Map<const Eigen::VectorXf>(x.data() + 20, 20).norm();
  for (std::size_t i = 20; i < 40; ++i) EXPECT_NEAR(out[i], x[i] / length, 1e-6F);
}

struct PoolInput {
  Channels channels{{2, 3, 0, 1}, 4};
  std::vector<std::int64_t> counts{2, 3, 0, 1};
  Floats weights = random_numbers(kBatch * kTokens * 6, 22);
  Floats harmonics = random_numbers(kBatch * kTokens * 16, 23);
};

TEST(CudaKernelsTest, PoolingIsThatOfTheCpu) {
  const PoolInput input;
  Floats z(kBatch * 18, kNan), wanted(z.size()), inner(18);
  run_numbers<Pool>({input.weights.data(), input.harmonics.data(), input.channels, kTokens,
                     kBatch * 18, z.data()});
  const kernels::PoolShape shape{kTokens, 6, 16, 18, input.counts.data(), 4};
  for (std::int64_t b = 0; b < kBatch; ++b)
    kernels::pool(input.weights.data() + b * kTokens * 6, input.harmonics.data() + b * kTokens * 16,
                  shape, inner.data(), wanted.data() + b * 18);
  expect_near(z, wanted, 1e-5F);
}

TEST(CudaKernelsTest, GradientOfPoolingIsItsTranspose) {
  const PoolInput input;
  const Floats gradient = random_numbers(kBatch * 18, 24);
  Floats z(kBatch * 18), of_weights(input.weights.size(), kNan);
  run_numbers<Pool>({input.weights.data(), input.harmonics.data(), input.channels, kTokens,
                     kBatch * 18, z.data()});
  run_numbers<PoolBackward>({gradient.data(), input.harmonics.data(), input.channels, kTokens,
                             kBatch * kTokens * 6, of_weights.data()});
  const double there = std::inner_product(z.begin(), z.end(), gradient.begin(), 0.0);
  const double back =
      std::inner_product(of_weights.begin(), of_weights.end(), input.weights.begin(), 0.0);
  EXPECT_NEAR(there, back, 1e-4);
}

/// A problem with some poses around the truth and some that are far off.
struct JudgedPoses {
  TestProblem pair{2};
  std::vector<RigidTransform> poses;
  std::vector<Pose> flat;

  JudgedPoses() {
    for (const float degrees : {0.0F, 4.0F, 20.0F, 90.0F, 180.0F})
      poses.push_back(nudged(pair.truth, degrees, 0.01F * degrees));
    for (const RigidTransform& pose : poses) flat.push_back(device_pose(pose));
  }
};

TEST(CudaKernelsTest, TheFieldKnowsTheSamePointsAsTheCpu) {
  const TestProblem pair{2};
  const NearestField& field = pair.source->field;
  const Surface surface = device_surface(*pair.source);
  const auto expect_same = [&](const Eigen::Vector3f& place) {
    EXPECT_EQ(surface.nearest(place.data()), field.nearest(place)) << place.transpose();
  };
  Random random({29});
  int met = 0;
  for (int i = 0; i < 4000; ++i) {
    const Eigen::Vector3f place =
        3.0F * random.uniform() * pair.source->radius * random.direction();
    expect_same(place);
    met += field.nearest(place) >= 0 ? 1 : 0;
  }
  EXPECT_GT(met, 1000);
  for (const float odd : {kNan, kInfinity, -kInfinity, 1e30F, -1e30F})
    expect_same({0.0F, odd, 0.0F});
}

TEST(CudaKernelsTest, FitsAreThoseOfTheCpu) {
  const JudgedPoses judged;
  const auto& [source, target] = std::tie(*judged.pair.source, *judged.pair.target);
  const float inlier = judged.pair.problem.inlier_distance;
  std::vector<MeasureFit::Sums> sums(2 * judged.poses.size());
  run_blocks<MeasureFit>(
      {device_surface(source), device_surface(target), stride(source, 200), stride(target, 200),
       judged.flat.data(), inlier, kFit.plane_distance, kFit.near_miss, sums.data()},
      static_cast<std::int64_t>(sums.size()));
  for (std::size_t i = 0; i < judged.poses.size(); ++i) {
    const Fit wanted = measure_fit(source, target, judged.poses[i], 200, inlier);
    const MeasureFit::Sums &there = sums[2 * i], &back = sums[2 * i + 1];
    // A point on the border of a cell or of the inliers may be rounded to the other side.
    EXPECT_NEAR(0.5F * (there.score / there.weight + back.score / back.weight), wanted.score,
                5e-3F);
    EXPECT_NEAR(there.overlap / there.counted, wanted.source_overlap, 1e-2F);
    EXPECT_NEAR(back.overlap / back.counted, wanted.target_overlap, 1e-2F);
    EXPECT_NEAR(
        std::sqrt((there.square + back.square) / std::max(1.0F, there.overlap + back.overlap)),
        wanted.residual, 0.02F * inlier);
  }
}

TEST(CudaKernelsTest, QuickScoresCountWhatIsNearTheOtherSurface) {
  const JudgedPoses judged;
  const auto& [source, target] = std::tie(*judged.pair.source, *judged.pair.target);
  const Cloud from = source.points.topRows(16), to = target.points.topRows(16);
  const float inlier = 0.15F * judged.pair.problem.radius;
  Floats scores(judged.poses.size(), kNan);
  run_numbers<QuickScore>({device_surface(source), device_surface(target), from.data(), to.data(),
                           16, 16, judged.flat.data(), static_cast<std::int64_t>(scores.size()),
                           inlier, scores.data()});
  for (std::size_t i = 0; i < scores.size(); ++i) {
    float wanted = 0.0F;
    for (const bool back : {false, true}) {
      const PreparedCloudData& surface = back ? source : target;
      const RigidTransform pose = back ? judged.poses[i].inverse() : judged.poses[i];
      for (Eigen::Index p = 0; p < 16; ++p) {
        const Eigen::Vector3f place = pose * Eigen::Vector3f((back ? to : from).row(p).transpose());
        const int j = surface.field.nearest(place);
        if (j < 0) continue;
        const float square = (place - surface.points.row(j).transpose()).squaredNorm();
        wanted += std::max(0.0F, 1.0F - square / (inlier * inlier));
      }
    }
    EXPECT_NEAR(scores[i], wanted, 0.5F) << i;  // one point in 32 may be rounded to another cell
  }
}

TEST(CudaKernelsTest, AnEmptyBatchIsNoWork) {
  run_blocks<FarthestPoints>({nullptr, 5, nullptr, 2, nullptr, nullptr}, 0);
  run_numbers<Harmonics>({nullptr, 9, 0, nullptr});
}

}  // namespace
}  // namespace pointpng::cuda
