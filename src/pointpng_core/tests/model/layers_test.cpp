#include "model/layers.h"

#include <cmath>
#include <tuple>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/attention.h"
#include "model/gelu.h"
#include "model/max_pool.h"
#include "model/small_config.h"
#include "model/tensor_checks.h"

namespace pointpng {
namespace {

// ---- attention

struct AttentionCase {
  std::int64_t batch, tokens, heads, head_width;
  bool with_bias;
};

void PrintTo(const AttentionCase& c, std::ostream* out) {
  *out << c.batch << " x " << c.tokens << " tokens, " << c.heads << " heads of " << c.head_width
       << (c.with_bias ? ", bias" : "");
}

class AttentionTest : public ::testing::TestWithParam<AttentionCase> {
 protected:
  AttentionTest() {
    at::manual_seed(1);
    const AttentionCase& c = GetParam();
    qkv_ = torch::randn({c.batch, c.tokens, 3 * c.heads * c.head_width});
    if (c.with_bias) bias_ = torch::randn({c.batch, c.heads, c.tokens, c.tokens});
    weights_ = torch::randn({c.batch, c.tokens, c.heads * c.head_width});
  }
  Tensor qkv_, bias_, weights_;
};
INSTANTIATE_TEST_SUITE_P(
    LayersTest, AttentionTest,
    ::testing::Values(AttentionCase{1, 1, 1, 1, false}, AttentionCase{2, 5, 3, 7, false},
                      AttentionCase{2, 5, 3, 7, true}, AttentionCase{3, 32, 4, 32, true},
                      AttentionCase{3, 32, 4, 32, false}, AttentionCase{1, 65, 6, 64, false},
                      AttentionCase{2, 65, 6, 64, true}, AttentionCase{2, 13, 2, 16, true},
                      AttentionCase{5, 33, 1, 20, true}));

/// The definition in double, token by token.
Tensor plain_attention(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  const Tensor wide = qkv.to(torch::kFloat64);
  const std::int64_t width = qkv.size(2) / 3, d = width / heads;
  Tensor out = torch::zeros({qkv.size(0), qkv.size(1), width}, torch::kFloat64);
  for (std::int64_t b = 0; b < qkv.size(0); ++b)
    for (std::int64_t h = 0; h < heads; ++h) {
      const Tensor q = wide[b].narrow(1, h * d, d), k = wide[b].narrow(1, width + h * d, d),
                   v = wide[b].narrow(1, 2 * width + h * d, d);
      Tensor logits = q.mm(k.t()) / std::sqrt(static_cast<double>(d));
      if (bias.defined()) logits = logits + bias[b][h].to(torch::kFloat64);
      out[b].narrow(1, h * d, d).copy_(logits.softmax(1).mm(v));
    }
  return out;
}

TEST_P(AttentionTest, IsThatOfTheDefinition) {
  const Tensor expected = plain_attention(qkv_, bias_, GetParam().heads);
  EXPECT_LT(difference(attention(qkv_, bias_, GetParam().heads), expected), 5e-6);
  EXPECT_LT(difference(attention_by_tensors(qkv_, bias_, GetParam().heads), expected), 5e-6);
}

TEST_P(AttentionTest, HasTheGradientsOfTensorOperations) {
  using Operation = Tensor (*)(const Tensor&, const Tensor&, std::int64_t);
  const auto gradients = [&](Operation operation) {
    const Tensor qkv = qkv_.clone().requires_grad_(true);
    const Tensor bias = bias_.defined() ? bias_.clone().requires_grad_(true) : Tensor();
    (operation(qkv, bias, GetParam().heads) * weights_).sum().backward();
    return std::pair{qkv.grad(), bias.defined() ? bias.grad() : torch::zeros({1})};
  };
  const auto own = gradients(attention), theirs = gradients(attention_by_tensors);
  EXPECT_LT(difference(own.first, theirs.first), 2e-5);
  EXPECT_LT(difference(own.second, theirs.second), 2e-5);
}

// The backbone hands over slices: a copy must not swallow their gradient.
TEST(AttentionTest, ASliceOfABiasGetsItsGradient) {
  at::manual_seed(8);
  const Tensor qkv = torch::randn({3, 5, 24}), weights = torch::randn({3, 5, 8});
  const auto weighted = [&](auto&& operation) {
    return [&, operation](const Tensor& all) {
      return (operation(qkv, all.narrow(1, 2, 2), 2) * weights).sum();
    };
  };
  const Tensor all = torch::randn({3, 6, 5, 5});
  EXPECT_LT(difference(exact_gradient(weighted(attention), all),
                       exact_gradient(weighted(attention_by_tensors), all)),
            1e-5);
}

TEST_P(AttentionTest, HasTheGradientOfFiniteDifferencesInDouble) {
  if (qkv_.numel() > 1000) return;  // two evaluations per element
  const Tensor bias = bias_.defined() ? bias_.to(torch::kFloat64) : bias_;
  const auto weighted = [&](const Tensor& qkv) {
    return (attention(qkv, bias, GetParam().heads) * weights_).sum();
  };
  const Tensor qkv = qkv_.to(torch::kFloat64);
  EXPECT_LT(difference(exact_gradient(weighted, qkv), numeric_gradient(weighted, qkv)), 1e-7);
}

TEST_P(AttentionTest, TheNumberOfThreadsDoesNotMatter) {
  const auto with_threads = [&](int count) {
    const int before = at::get_num_threads();
    at::set_num_threads(count);
    const Tensor result = attention(qkv_, bias_, GetParam().heads);
    at::set_num_threads(before);
    return result;
  };
  EXPECT_LT(difference(with_threads(1), with_threads(2)), 1e-6);
}

TEST(AttentionTest, LargeLogitsDoNotOverflow) {
  at::manual_seed(2);
  const Tensor qkv = 100.0 * torch::randn({1, 8, 3 * 16});
  const Tensor out = attention(qkv, {}, 2);
  EXPECT_TRUE(out.isfinite().all().item<bool>());
  EXPECT_LT(difference(out, plain_attention(qkv, {}, 2)), 1e-2);  // softmax of logits around 1e4
}

TEST(AttentionTest, ABiasOfMinusInfinityHidesAToken) {
  at::manual_seed(3);
  Tensor qkv = torch::randn({1, 6, 3 * 8});
  Tensor bias = torch::zeros({1, 2, 6, 6});
  bias.select(3, 4).fill_(-std::numeric_limits<float>::infinity());
  const Tensor before = attention(qkv, bias, 2).clone();
  qkv[0][4].narrow(0, 8, 16) += 5.0;  // its key and value
  EXPECT_LT(difference(attention(qkv, bias, 2), before), 1e-6);
}

TEST(AttentionTest, TheMemoryLayoutOfTheInputDoesNotMatter) {
  at::manual_seed(4);
  const Tensor wide = torch::randn({2, 6, 3 * 8 + 5});
  const Tensor strided = wide.narrow(2, 0, 24),
               bias = torch::randn({2, 6, 6, 2}).permute({0, 3, 1, 2});
  EXPECT_LT(difference(attention(strided, bias, 2),
                       attention_by_tensors(strided.contiguous(), bias.contiguous(), 2)),
            1e-6);
}

// ---- the maximum over points

class MaxTest : public ::testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(LayersTest, MaxTest,
                         ::testing::Values(std::tuple{1, 1, 1}, std::tuple{3, 5, 7},
                                           std::tuple{130, 16, 48}, std::tuple{65, 31, 129}));

TEST_P(MaxTest, IsTheTensorsMaximumForwardAndBackward) {
  at::manual_seed(5);
  const auto [patches, k, c] = GetParam();
  const Tensor x = torch::randn({patches, k, c}), weights = torch::randn({patches, c});
  const auto own = [&](const Tensor& input) { return (max_over_points(input) * weights).sum(); };
  const auto theirs = [&](const Tensor& input) {
    return (std::get<0>(input.max(1)) * weights).sum();
  };
  EXPECT_TRUE(max_over_points(x).equal(std::get<0>(x.max(1))));
  EXPECT_TRUE(exact_gradient(own, x).equal(exact_gradient(theirs, x)));
}

TEST(MaxTest, TheFirstOfEqualPointsGetsTheGradient) {
  const Tensor gradient = exact_gradient([](const Tensor& x) { return max_over_points(x).sum(); },
                                         torch::ones({2, 4, 3}));
  EXPECT_TRUE(gradient.select(1, 0).equal(torch::ones({2, 3})));
  EXPECT_EQ(gradient.sum().item<double>(), 6.0);
}

TEST(MaxTest, TheMemoryLayoutAndTheTypeDoNotMatter) {
  at::manual_seed(6);
  const Tensor x = torch::randn({9, 4, 6});
  const Tensor strided = x.permute({2, 1, 0}).contiguous().permute({2, 1, 0});
  EXPECT_TRUE(max_over_points(strided).equal(max_over_points(x)));
  EXPECT_TRUE(max_over_points(x.to(torch::kFloat64)).equal(max_over_points(x).to(torch::kFloat64)));
}

TEST_P(MaxTest, OfPointsAndProductsAreThoseOfTensorsForwardAndBackward) {
  at::manual_seed(8);
  const auto [patches, k, c] = GetParam();
  const Tensor x = torch::randn({patches, k, 24}), weight = torch::randn({c, 24});
  const Tensor factors = torch::randn({patches, 24});
  const Tensor product_factors = torch::relu(torch::randn({patches, c}));  // some are zero
  const auto own = [](const Tensor& points, const Tensor& w) { return patch_maxima(points, w); };
  const auto theirs = [](const Tensor& points, const Tensor& w) {
    return PatchMaxima{max_over_points(points), max_over_points(points.matmul(w.t()))};
  };
  EXPECT_TRUE(own(x, weight).of_points.equal(theirs(x, weight).of_points));
  EXPECT_LT(difference(own(x, weight).of_products, theirs(x, weight).of_products), 1e-5);
  for (const bool of_weight : {false, true}) {
    const auto gradient = [&](const auto& function) {
      return exact_gradient(
          [&](const Tensor& v) {
            const PatchMaxima found = function(of_weight ? x : v, of_weight ? v : weight);
            return (found.of_points * factors).sum() + (found.of_products * product_factors).sum();
          },
          of_weight ? weight : x);
    };
    EXPECT_LT(difference(gradient(own), gradient(theirs)), 1e-4);
  }
}

TEST(MaxTest, TheNumberOfThreadsDoesNotChangeTheGradientOfProducts) {
  at::manual_seed(9);
  const Tensor x = torch::randn({100, 6, 16}), weight = torch::randn({20, 16});
  const auto gradient = [&](int threads) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    const Tensor found = exact_gradient(
        [&](const Tensor& w) { return patch_maxima(x, w).of_products.square().sum(); }, weight);
    at::set_num_threads(before);
    return found;
  };
  EXPECT_TRUE(gradient(1).equal(gradient(3)));
}

// ---- GELU

TEST(GeluTest, IsThatOfTheDefinitionForwardAndBackward) {
  const Tensor x = torch::linspace(-12.0, 12.0, 4001);
  const auto theirs = [](const Tensor& input) { return torch::gelu(input.to(torch::kFloat64)); };
  EXPECT_LT(difference(gelu_activation(x), theirs(x)), 1e-6);
  const auto gradient = [&](const auto& function) {
    return exact_gradient([&](const Tensor& input) { return function(input).sum(); }, x);
  };
  EXPECT_LT(difference(gradient(gelu_activation), gradient(theirs)), 1e-6);
}

TEST(GeluTest, AGradientInAnotherLayoutIsReadAsWhatItIs) {
  at::manual_seed(10);
  const Tensor x = torch::randn({33, 65}), factors = torch::randn({65, 33});
  const auto gradient = [&](const Tensor& at) {
    return exact_gradient(
        [&](const Tensor& v) { return (gelu_activation(v).t() * factors.to(v.dtype())).sum(); },
        at);
  };
  EXPECT_LT(difference(gradient(x), gradient(x.to(torch::kFloat64))), 1e-5);
}

TEST(GeluTest, NumbersThatAreNotFiniteAreNotHidden) {
  const Tensor found = gelu_activation(torch::tensor({NAN, INFINITY, -1e30F}));
  EXPECT_TRUE(found[0].isnan().item<bool>());
  EXPECT_EQ(found[1].item<float>(), INFINITY);
  EXPECT_EQ(found[2].item<float>(), 0.0F);
}

// ---- the mini-PointNet

/// As Point-MAE writes it: layers, maximum, concatenation, layers, maximum.
Tensor plain_patch_encoder(PatchEncoder& encoder, const Tensor& points, bool batch_norm) {
  const auto parameters = encoder->named_parameters();
  const auto linear = [&](const std::string& name, const Tensor& x) {
    return torch::matmul(x, parameters[name + ".weight"].t()) + parameters[name + ".bias"];
  };
  const auto normalise = [&](const std::string& name, const Tensor& x) {
    if (!batch_norm) return x;
    const Tensor flat = x.flatten(0, 2);
    const Tensor mean = flat.mean(0), variance = flat.var(0, /*unbiased=*/false);
    return (x - mean) / (variance + 1e-5).sqrt() * parameters[name + ".weight"] +
           parameters[name + ".bias"];
  };
  const Tensor local =
      linear("second", torch::relu(normalise("first_norm", linear("first", points))));
  const Tensor global = std::get<0>(local.max(2, true)).expand_as(local);
  const Tensor third = normalise("third_norm", linear("third", torch::cat({local, global}, -1)));
  return batch_norm ? std::get<0>(linear("last", torch::relu(third)).max(2))
                    : linear("last", std::get<0>(torch::relu(third).max(2)));
}

class PatchEncoderTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(LayersTest, PatchEncoderTest, ::testing::Bool());

TEST_P(PatchEncoderTest, IsTheMiniPointNetWithItsConcatenation) {
  at::manual_seed(7);
  ModelConfig config = small_config();
  config.patch_batch_norm = GetParam();
  PatchEncoder encoder(config);
  const Tensor points = torch::randn({3, 5, 8, 3});
  const Tensor weights = torch::randn({3, 5, config.width});
  const Tensor own = encoder(points), plain = plain_patch_encoder(encoder, points, GetParam());
  EXPECT_LT(difference(own, plain), 5e-6);
  // … and so are its gradients.
  (own * weights).sum().backward();
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : encoder->parameters())
    gradients.push_back(parameter.grad().clone());
  encoder->zero_grad();
  (plain * weights).sum().backward();
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Tensor expected = encoder->parameters()[i].grad();
    EXPECT_LT(difference(gradients[i], expected),
              1e-4 * (1.0 + expected.abs().max().item<double>()))
        << encoder->named_parameters().pairs()[i].first;
  }
}

TEST(BlockTest, WithoutAttentionAndMlpIsTheIdentity) {
  Block block(16, 2, 2);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : block->named_parameters())
    if (parameter.key().rfind("out.", 0) == 0 || parameter.key().rfind("mlp.contract", 0) == 0)
      parameter.value().zero_();
  const Tensor x = torch::randn({2, 5, 16});
  EXPECT_TRUE(block(x).equal(x));
}

}  // namespace
}  // namespace pointpng
