#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "pointpng/error.h"
#include "pointpng/training.h"

namespace pointpng {
namespace {

constexpr std::array<std::string_view, 8> kObjectives = {
    "pointpng", "mae", "point2vec", "classify", "simclr", "equimod", "sen", "sie"};
constexpr double kLongest = 1e9;  // epochs or minutes; with more, the step count could overflow

Preset tiny() {
  Preset p;
  p.model.points = 256;
  p.model.patches = 16;
  p.model.patch_widths = {16, 24, 64};
  p.model.width = 64;
  p.model.depth = 2;
  p.model.embedding = 64;
  p.model.channels = {4, 12, 8, 6, 4};
  p.model.cope_hidden = 64;
  p.model.cope_mlp = 64;
  p.train.batch = 16;
  p.train.epochs = 40;
  return p;
}

Preset small() {
  Preset p;
  p.train.batch = 64;
  return p;
}

/// The paper's Table of hyperparameters; what it does not specify follows Point-MAE.
Preset paper() {
  Preset p;
  p.model.backbone = "transformer";
  p.model.predictor = "cope";
  p.model.points = 1024;
  p.model.patches = 64;
  p.model.patch_points = 32;
  p.model.patch_widths = {128, 256, 512};
  p.model.patch_batch_norm = true;
  p.model.width = 384;
  p.model.depth = 12;
  p.model.heads = 6;
  p.model.mlp_ratio = 4;
  p.model.decoder_depth = 4;
  p.model.embedding = 384;
  p.train.batch = 512;
  p.train.epochs = 1600;
  p.train.warmup = 80.0 / 1600.0;
  p.train.mask_ratio = 0.6;
  p.train.loss.pseudo_negatives = 8;
  p.train.loss.near_negatives = 0;
  p.train.views.same_points = true;
  return p;
}

}  // namespace

std::vector<std::string> preset_names() { return {"tiny", "small", "paper"}; }

Preset preset(const std::string& name) {
  if (name == "tiny") return tiny();
  if (name == "small") return small();
  if (name == "paper") return paper();
  throw InputError(
      fmt::format("there is no preset '{}'; there are: {}", name, fmt::join(preset_names(), ", ")));
}

void validate(const TrainConfig& c) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw InputError(sentence);
  };
  const auto is_share = [](double value) { return value >= 0.0 && value <= 1.0; };
  require(std::find(kObjectives.begin(), kObjectives.end(), c.objective) != kObjectives.end(),
          "the objective is one of pointpng, mae, point2vec, classify, simclr, equimod, sen, sie");
  require(c.batch >= 1 && c.batch <= 1 << 16, "the batch must have from 1 to 65536 shapes");
  require(c.minutes >= 0.0 && c.minutes < kLongest && c.epochs < kLongest &&
              (c.minutes > 0.0 || c.epochs > 0.0 || c.steps > 0),
          "give a positive number of epochs or minutes");
  require(c.steps >= 0 && (c.steps == 0 || c.minutes == 0.0),
          "a run ends after a positive number of steps or of minutes, not both");
  require(c.learning_rate > 0.0 && c.learning_rate < 10.0, "the learning rate must be positive");
  require(c.weight_decay >= 0.0, "the weight decay must not be negative");
  require(c.clip > 0.0, "the gradient's largest norm must be positive");
  require(is_share(c.warmup) && is_share(c.final_rate) && is_share(c.average) && c.average < 1.0,
          "warmup, final_rate and average are shares from 0 to 1 (average below 1)");
  require(c.mask_ratio >= 0.0 && c.mask_ratio < 1.0, "the mask ratio must be in [0, 1)");
  const bool autoencodes = c.objective == "mae" || c.objective == "point2vec";
  require(!autoencodes || c.mask_ratio > 0.0, "masked autoencoding needs a mask ratio above 0");
  require(c.workers >= 1 && c.workers <= 256, "from 1 to 256 workers");
  require(c.loss.temperature > 0.0, "the temperature must be positive");
  require(is_share(c.loss.beta), "beta is a share from 0 to 1");
  require(c.loss.pseudo_negatives >= 0 && c.loss.near_negatives >= 0 &&
              c.loss.pseudo_negatives + c.loss.near_negatives >= 1,
          "at least one pseudo-negative is needed");
  require(c.loss.near_smallest_deg > 0.0 && c.loss.near_smallest_deg <= c.loss.near_largest_deg &&
              c.loss.near_largest_deg <= 180.0,
          "near negatives lie between two angles, 0 < smallest <= largest <= 180 degrees");
  require(c.loss.equimod_equivariance >= 0.0 && c.loss.sie_invariance >= 0.0 &&
              c.loss.sie_equivariance >= 0.0 && c.loss.sie_variance >= 0.0 &&
              c.loss.sie_covariance >= 0.0,
          "the weights of a loss must not be negative");
  const ViewConfig& v = c.views;
  require(v.jitter >= 0.0 && is_share(v.crop_probability) && is_share(v.view_probability) &&
              is_share(v.outlier_probability) && v.crop_largest >= 0.0 && v.crop_largest < 0.95 &&
              v.outlier_largest >= 0.0 && v.outlier_largest < 0.95,
          "probabilities of augmentation are from 0 to 1 and shares of points below 0.95");
  if (c.objective == "classify") validate(c.classify);
}

void validate(const ClassifyConfig& c) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw InputError(sentence);
  };
  require(c.rotations == "none" || c.rotations == "z" || c.rotations == "so3",
          "clouds are turned by one of none, z, so3");
  require(c.up == "x" || c.up == "y" || c.up == "z", "the axis that points up is x, y or z");
  require(c.fewest_points > 0.0 && c.fewest_points <= 1.0,
          "the smallest share of the points that a view keeps must be in (0, 1]");
  require(c.stretch >= 0.0 && c.stretch < 1.0, "the stretch must be in [0, 1)");
  require(c.label_smoothing >= 0.0 && c.label_smoothing < 1.0,
          "the label smoothing must be in [0, 1)");
  require(c.balance >= 0.0 && c.balance <= 1.0, "the balance of classes is a share from 0 to 1");
}

}  // namespace pointpng
