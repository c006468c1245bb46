#include "train/class_shares.h"

#include <vector>

#include "base/random.h"
#include "cloud/normalise.h"
#include "train/labelled.h"
#include "train/probe.h"

namespace pointpng {
namespace {

constexpr std::uint64_t kTestView = 24;  // id of this random stream
constexpr double kVoteFewest = 0.8;      // least share of the points, from the second vote on

}  // namespace

Tensor class_shares(Classifier& classifier, const ShapeSet& shapes, const ClassifyTest& test,
                    const OnShare& on_share) {
  const torch::NoGradGuard no_grad;
  const ModelConfig& model = classifier.config().model;
  for (const Shape& shape : shapes.shapes)
    require_usable(shape.points, shape.name, model.patch_points);
  classifier.eval();
  ClassifyConfig shown;
  shown.rotations = test.rotations;
  shown.up = test.up;
  shown.stretch = 0.0;
  Tensor sum;
  for (std::int64_t vote = 0; vote < test.votes; ++vote) {
    shown.fewest_points = vote == 0 ? 1.0 : kVoteFewest;
    std::vector<Tensor> clouds;
    for (const Shape& shape : shapes.shapes) {
      Random random({test.seed, kTestView, static_cast<std::uint64_t>(vote), clouds.size()});
      clouds.push_back(random_view(shape, model, shown, random));
    }
    const Tensor features =
        frozen_features(classifier, torch::stack(clouds), [&](std::int64_t done) {
          const double of_vote = static_cast<double>(done) / static_cast<double>(clouds.size());
          if (on_share)
            on_share((static_cast<double>(vote) + of_vote) / static_cast<double>(test.votes));
        });
    const Tensor shares = classifier.head().forward(features).softmax(1);
    sum = sum.defined() ? sum + shares : shares;
  }
  return (sum / static_cast<double>(test.votes)).cpu();
}

Confusion confusion_of(const Tensor& shares, const ShapeSet& shapes) {
  Confusion confusion(shapes.class_names);
  const Tensor named = shares.argmax(1);
  for (std::size_t i = 0; i < shapes.shapes.size(); ++i)
    confusion.add(shapes.shapes[i].label, named[static_cast<std::int64_t>(i)].item<std::int64_t>());
  return confusion;
}

}  // namespace pointpng
