#include "model/search.h"

#include <numbers>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "model/rotation.h"
#include "model/tensor_checks.h"
#include "model/unit.h"
#include "pointpng/runtime.h"

namespace pointpng {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

/// Exactly rotated pairs of random embeddings, as an exact backbone gives for the same points.
class SearchTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kPairs = 40;
  SearchTest() {
    at::manual_seed(1);
    source_ = unit(torch::randn({kPairs, embedding_length(config_)}));
    truth_ = rotation::uniform({kPairs});
    target_ = predictor_->apply(truth_, source_);
  }
  Hypotheses correlated(const RotationSearchConfig& search = {}) {
    Model model(config_);
    return pointpng::search(model, source_, target_, search);
  }
  Hypotheses in_reverse() {
    Model model(config_);
    return pointpng::search(model, target_, source_, {});
  }
  /// Of the best hypothesis, in degrees.
  Tensor errors(const Hypotheses& found) {
    return kDegrees * rotation::angle(found.rotations.select(1, 0), truth_);
  }

  ModelConfig config_;  // the default: equivariant and wigner, degrees 0 … 4
  std::shared_ptr<Predictor> predictor_ = make_predictor(config_);
  Tensor source_, truth_, target_;
};

TEST_F(SearchTest, RecoversEveryRotationOfExactEmbeddings) {
  const Hypotheses found = correlated();
  EXPECT_LT(errors(found).max().item<double>(), 0.05);
  EXPECT_LT(found.losses.select(1, 0).abs().max().item<double>(), 1e-5);
}

TEST_F(SearchTest, TheRotationIsTargetFromSource) {
  const Hypotheses back = in_reverse();
  const Tensor error = rotation::angle(back.rotations.select(1, 0), rotation::inverse(truth_));
  EXPECT_LT(kDegrees * error.max().item<double>(), 0.05);
}

// The highest peak is wide: the best rotations of the grid all lie on it, and other modes must be
// found in spite of them.
TEST_F(SearchTest, HypothesesAreDistinctAndTheBestComesFirst) {
  const Hypotheses found = correlated();
  ASSERT_EQ(found.rotations.sizes(), (torch::IntArrayRef{kPairs, 4, 4}));
  const Tensor rise = found.losses.narrow(1, 1, 3) - found.losses.narrow(1, 0, 3);
  EXPECT_GE(rise.min().item<double>(), 0.0);
  const Tensor apart =
      kDegrees * rotation::angle(found.rotations.unsqueeze(1), found.rotations.unsqueeze(2));
  EXPECT_GT((apart + 1000.0 * torch::eye(4)).min().item<double>(), 14.99);
}

TEST_F(SearchTest, WhereFewerAreDistinctTheLastRepeats) {
  RotationSearchConfig search;
  search.num_hypotheses = 6;
  search.distinct_deg = 170.0;
  const Hypotheses found = correlated(search);
  EXPECT_TRUE(found.rotations.select(1, 5).equal(found.rotations.select(1, 4)));
  EXPECT_TRUE(found.losses.isfinite().all().item<bool>());
}

TEST_F(SearchTest, HypothesesAreUnitQuaternionsWithTheLossTheyClaim) {
  const Hypotheses found = correlated();
  EXPECT_LT((found.rotations.norm(2, -1) - 1.0).abs().max().item<double>(), 1e-5);
  const Tensor there = predictor_->apply(found.rotations, source_.unsqueeze(1));
  const Tensor back = predictor_->apply(rotation::inverse(found.rotations), target_.unsqueeze(1));
  const Tensor loss = (target_.unsqueeze(1) - there).square().sum(-1) +
                      (source_.unsqueeze(1) - back).square().sum(-1);
  EXPECT_LT(difference(found.losses, loss), 1e-5);
}

TEST_F(SearchTest, AHalfTurnSymmetryGivesTwoEquallyGoodAnswers) {
  const Tensor half_turn = torch::tensor({0.0F, 0.6F, 0.0F, 0.8F});
  source_ = unit(source_ + predictor_->apply(half_turn, source_));
  target_ = predictor_->apply(truth_, source_);
  const Hypotheses found = correlated();
  const Tensor other = rotation::multiply(truth_, half_turn);
  EXPECT_LT(found.losses.narrow(1, 0, 2).abs().max().item<double>(), 1e-5);
  EXPECT_GT(found.losses.select(1, 2).min().item<double>(), 0.1);
  const auto error_to = [&](std::int64_t k, const Tensor& truth) {
    return kDegrees * rotation::angle(found.rotations.select(1, k), truth);
  };
  const Tensor straight = torch::maximum(error_to(0, truth_), error_to(1, other));
  const Tensor crossed = torch::maximum(error_to(1, truth_), error_to(0, other));
  EXPECT_LT(torch::minimum(straight, crossed).max().item<double>(), 0.1);
}

TEST_F(SearchTest, NoiseShiftsTheAnswerButNoBetterOneIsMissed) {
  target_ = unit(target_ + 0.3 * unit(torch::randn_like(target_)));
  const Hypotheses found = correlated();
  const Tensor at_truth = 4.0 - 4.0 * (predictor_->apply(truth_, source_) * target_).sum(-1);
  EXPECT_LE((found.losses.select(1, 0) - at_truth).max().item<double>(), 1e-5);
  EXPECT_LT(errors(found).max().item<double>(), 10.0);
}

TEST_F(SearchTest, IsTheSameAtEveryCallAndWithAnyNumberOfThreads) {
  const auto with_threads = [&](int count) {
    set_num_threads(count);
    const Hypotheses found = correlated();
    set_num_threads(0);
    return found;
  };
  const Hypotheses one = with_threads(1), two = with_threads(2);
  EXPECT_TRUE(one.rotations.equal(two.rotations));
  EXPECT_TRUE(one.losses.equal(two.losses));
}

TEST_F(SearchTest, APairsAnswerDoesNotDependOnTheOthers) {
  const Hypotheses all = correlated();
  source_ = source_.narrow(0, 3, 1);
  target_ = target_.narrow(0, 3, 1);
  const Hypotheses alone = correlated();
  EXPECT_LT(kDegrees * rotation::angle(all.rotations[3][0], alone.rotations[0][0]).item<double>(),
            0.01);
}

TEST_F(SearchTest, WorksWithDegreesThatHaveNoChannels) {
  config_.channels = {0, 6, 0, 4};
  predictor_ = make_predictor(config_);
  source_ = unit(torch::randn({kPairs, embedding_length(config_)}));
  target_ = predictor_->apply(truth_, source_);
  EXPECT_LT(errors(correlated()).max().item<double>(), 0.1);
}

TEST_F(SearchTest, GradientStepsFindTheSameOptimumOnMostPairs) {
  source_ = source_.narrow(0, 0, 16);
  target_ = target_.narrow(0, 0, 16);
  truth_ = truth_.narrow(0, 0, 16);
  RotationSearchConfig search;
  const Tensor error = errors(search_by_gradient(*predictor_, source_, target_, search));
  EXPECT_GE((error < 5.0).to(torch::kFloat32).mean().item<double>(), 0.75);
}

TEST_F(SearchTest, GradientStepsAreTheSameAtEveryCallAndFollowTheirSeed) {
  RotationSearchConfig search;
  search.starts = 4;
  search.steps = 5;
  const auto run = [&] { return search_by_gradient(*predictor_, source_, target_, search).losses; };
  const Tensor first = run();
  at::manual_seed(77);  // the state of LibTorch's generator must not matter
  EXPECT_TRUE(first.equal(run()));
  search.seed = 1;
  EXPECT_FALSE(first.equal(run()));
}

TEST_F(SearchTest, GradientStepsNeverReturnWorseThanTheirStarts) {
  ModelConfig cope;
  cope.predictor = "cope";
  const auto predictor = make_predictor(cope);
  const Tensor source = unit(torch::randn({3, embedding_length(cope)}));
  const Tensor target = unit(torch::randn({3, embedding_length(cope)}));
  RotationSearchConfig search;
  search.steps = 0;
  const Tensor before = search_by_gradient(*predictor, source, target, search).losses.select(1, 0);
  search.steps = 10;
  const Tensor after = search_by_gradient(*predictor, source, target, search).losses.select(1, 0);
  EXPECT_LE((after - before).max().item<double>(), 0.0);
}

TEST_F(SearchTest, LeavesNoGradientBehind) {
  const Hypotheses found = search_by_gradient(*predictor_, source_.narrow(0, 0, 2),
                                              target_.narrow(0, 0, 2), {.starts = 2, .steps = 2});
  EXPECT_FALSE(found.rotations.requires_grad());
  EXPECT_FALSE(found.losses.requires_grad());
}

TEST_F(SearchTest, ModelsAreSearchedByTheWayThatFitsThem) {
  ModelConfig cope;
  cope.predictor = "cope";
  Model model(cope);
  const Tensor source = unit(torch::randn({2, embedding_length(cope)}));
  const RotationSearchConfig few{.starts = 2, .steps = 2};
  EXPECT_TRUE(pointpng::search(model, source, source, few)
                  .losses.equal(search_by_gradient(model.predictor(), source, source, few).losses));
}

}  // namespace
}  // namespace pointpng
