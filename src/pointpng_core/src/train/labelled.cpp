#include "train/labelled.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <torch/types.h>

#include "base/rows.h"
#include "cloud/normalise.h"
#include "model/rotation.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr std::uint64_t kLabelledItem = 21;  // id of this random stream

const std::string& class_of(const Shape& shape, const ShapeSet& set, const std::string& name) {
  if (shape.label < 0 || std::cmp_greater_equal(shape.label, set.class_names.size()))
    throw InputError(fmt::format("{}: '{}' has no label, and without it nothing can be classified",
                                 name, shape.name));
  return set.class_names[static_cast<std::size_t>(shape.label)];
}

class ClassifierObjective : public Objective {
 public:
  ClassifierObjective(std::shared_ptr<Classifier> classifier, Tensor weights,
                      double label_smoothing)
      : classifier_(std::move(classifier)),
        weights_(std::move(weights)),
        label_smoothing_(label_smoothing) {}

  StepLoss loss(const PairBatch& batch, torch::Generator generator) override {
    // The head, with its dropout and batch normalisation, sees the whole batch in every process.
    const Tensor features = group().gather(classifier_->features(batch.clouds));
    const Tensor labels = group().gather(batch.labels);
    const Tensor scores = classifier_->head().forward(features, generator);
    const Tensor right = scores.argmax(1).eq(labels).to(torch::kFloat32).mean();
    return {classification_loss(scores, labels, weights_, label_smoothing_), {{"accuracy", right}}};
  }
  torch::nn::Module& module() override { return *classifier_; }
  void save(const std::filesystem::path& path, const ModelCard& card) override {
    save_classifier(path, *classifier_, card);
  }

 private:
  std::shared_ptr<Classifier> classifier_;
  Tensor weights_;
  double label_smoothing_;
};

}  // namespace

ShapeSet with_used_classes(const ShapeSet& shapes, const std::string& name) {
  std::vector<bool> used(shapes.class_names.size(), false);
  for (const Shape& shape : shapes.shapes) {
    class_of(shape, shapes, name);
    used[static_cast<std::size_t>(shape.label)] = true;
  }
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) classes.push_back(shapes.class_names[i]);
  if (classes.size() < 2)
    throw InputError(
        fmt::format("{}: holds {}; at least two classes are needed", name,
                    classes.empty() ? "no shapes" : fmt::format("only '{}'", classes[0])));
  return with_classes(shapes, classes, name);
}

ShapeSet with_classes(const ShapeSet& shapes, const std::vector<std::string>& classes,
                      const std::string& name) {
  std::map<std::string, int> numbers;
  for (std::size_t i = 0; i < classes.size(); ++i) numbers[classes[i]] = static_cast<int>(i);
  ShapeSet renamed{shapes.shapes, classes};
  for (Shape& shape : renamed.shapes) {
    const std::string& class_name = class_of(shape, shapes, name);
    const auto found = numbers.find(class_name);
    if (found == numbers.end())
      throw InputError(fmt::format(
          "{}: has shapes of class '{}', which the training data do not have", name, class_name));
    shape.label = found->second;
  }
  return renamed;
}

ClassifierConfig classifier_config(const ModelConfig& model, std::vector<std::string> classes,
                                   const ClassifyConfig& config) {
  ClassifierConfig made;
  made.model = model;
  made.classes = std::move(classes);
  made.hidden = config.hidden;
  made.dropout = config.dropout;
  made.feature_dropout = config.feature_dropout;
  return made;
}

Tensor labels_of(const ShapeSet& shapes) {
  std::vector<std::int64_t> labels;
  for (const Shape& shape : shapes.shapes) labels.push_back(shape.label);
  return torch::tensor(labels);
}

Tensor random_turn(const ClassifyConfig& config, Random& random) {
  if (config.rotations == "none") return torch::tensor({1.0F, 0.0F, 0.0F, 0.0F});
  if (config.rotations == "so3") {
    const Eigen::Vector4f q = random.quaternion();
    return torch::tensor({q[0], q[1], q[2], q[3]});
  }
  Tensor axis_angle = torch::zeros({3});
  const std::int64_t axis = config.up == "x" ? 0 : config.up == "y" ? 1 : 2;
  axis_angle[axis] = random.uniform(-1.0F, 1.0F) * std::numbers::pi_v<float>;
  return rotation::exp(axis_angle);
}

Tensor random_view(const Shape& shape, const ModelConfig& model, const ClassifyConfig& config,
                   Random& random) {
  const auto share =
      static_cast<double>(random.uniform(static_cast<float>(config.fewest_points), 1.0F));
  const auto kept = std::max<Eigen::Index>(
      model.patch_points,
      static_cast<Eigen::Index>(share * static_cast<double>(shape.points.rows())));
  Cloud view = random_subset(shape.points, kept, random);
  const auto stretch = static_cast<float>(config.stretch);
  for (Eigen::Index axis = 0; axis < 3; ++axis)
    view.col(axis) *= 1.0F + random.uniform(-stretch, stretch);
  return rotation::rotate(random_turn(config, random), prepare(view, model, shape.name));
}

LabelledSource::LabelledSource(ShapeSet shapes, ModelConfig model, TrainConfig train,
                               BatchShare share)
    : set_(std::move(shapes)), model_(std::move(model)), train_(std::move(train)), share_(share) {
  for (const Shape& shape : set_.shapes)
    require_usable(shape.points, shape.name, model_.patch_points);
  // Batch normalisation needs two clouds in every batch.
  train_.batch = std::max<std::int64_t>(2, train_.batch);
}

double LabelledSource::steps_per_epoch() const {
  return static_cast<double>(set_.shapes.size()) / static_cast<double>(train_.batch);
}

PairBatch LabelledSource::make(std::int64_t step) const {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> clouds;
  std::vector<std::int64_t> labels;
  const auto count = static_cast<std::int64_t>(set_.shapes.size());
  const auto chosen = items_of_step(step, train_.batch, count, train_.seed);
  const auto own = static_cast<std::size_t>(train_.batch / share_.size);
  const std::size_t first = static_cast<std::size_t>(share_.rank) * own;
  for (std::size_t item = first; item < first + own; ++item) {
    const Shape& shape = set_.shapes[static_cast<std::size_t>(chosen[item])];
    Random random({train_.seed, kLabelledItem, static_cast<std::uint64_t>(step), item});
    clouds.push_back(random_view(shape, model_, train_.classify, random));
    labels.push_back(shape.label);
  }
  PairBatch batch;
  batch.clouds = torch::stack(clouds);
  batch.labels = torch::tensor(labels);
  return batch;
}

Tensor class_weights(const ShapeSet& shapes, double balance) {
  const Tensor sizes =
      torch::bincount(labels_of(shapes), {}, static_cast<std::int64_t>(shapes.class_names.size()))
          .to(torch::kFloat32);
  const Tensor weights = sizes.clamp_min(1.0).pow(-balance);
  return weights * sizes.sum() / (weights * sizes).sum();
}

Tensor classification_loss(const Tensor& scores, const Tensor& labels, const Tensor& weights,
                           double smoothing) {
  const Tensor log_shares = scores.log_softmax(1);
  const Tensor right = log_shares.gather(1, labels.unsqueeze(1)).squeeze(1);
  const Tensor loss = -((1.0 - smoothing) * right + smoothing * log_shares.mean(1));
  return (weights.to(scores.device()).index_select(0, labels) * loss).mean();
}

std::unique_ptr<Objective> classifier_objective(std::shared_ptr<Classifier> classifier,
                                                Tensor weights, double label_smoothing) {
  return std::make_unique<ClassifierObjective>(std::move(classifier), std::move(weights),
                                               label_smoothing);
}

}  // namespace pointpng
