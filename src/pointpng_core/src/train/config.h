#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "embed/model_config.h"

namespace pointpng {

/// How the two views of a shape are made. Lengths are shares of the shape's radius.
struct ViewConfig {
  bool same_points = false;       ///< both views have the same points (the paper's) or each its own
  double jitter = 0.0;            ///< largest σ of noise; drawn from 0 to it for half of the views
  double crop_probability = 0.0;  ///< how many views lose a side to a random plane
  double crop_largest = 0.3;      ///< at most this share of the points
  double view_probability = 0.0;  ///< how many are seen from one side only
  double outlier_probability = 0.0;  ///< how many get stray points
  double outlier_largest = 0.05;     ///< at most this share of the points
};

/// The Point-PNG objective: L = L_align* + β L_cope + (1 - β) L_unif. Fine-tuning for pose leaves
/// the last term out, as the paper does. The last numbers are those of the methods it is compared
/// with.
struct LossConfig {
  bool uniformity = true;              ///< whether L_unif takes part
  double temperature = 0.5;            ///< τ
  double beta = 0.3;                   ///< β
  std::int64_t pseudo_negatives = 32;  ///< M, uniform over SO(3)
  std::int64_t near_negatives = 8;     ///< besides those, some near the true rotation …
  double near_smallest_deg = 5.0;      ///< … from this far
  double near_largest_deg = 60.0;      ///< … to this far
  double equimod_equivariance = 1.0;   ///< λ of EquiMod: equivariant beside invariant term
  double sie_invariance = 10.0;        ///< λ_inv of SIE, as its authors have them
  double sie_equivariance = 4.5;       ///< λ_eq
  double sie_variance = 10.0;          ///< λ_V
  double sie_covariance = 1.0;         ///< λ_C
};

/// How labelled clouds are shown to a classifier, and its head.
struct ClassifyConfig {
  std::string rotations = "so3";  ///< none | z (about `up`) | so3: how clouds are turned
  std::string up = "z";           ///< x | y | z: what points up in the data
  double fewest_points = 0.6;     ///< a view keeps from this share of the points to all of them
  double stretch = 0.15;  ///< … and is made this much longer or shorter along each axis, at most
  double label_smoothing = 0.2;
  double balance =
      0.0;  ///< of classes of different size: 0 every shape counts alike, 1 every class
  std::vector<std::int64_t> hidden = {256, 256};  ///< layers of the head; none: a linear one
  double dropout = 0.5;                           ///< after each of them
  double feature_dropout = 0.2;                   ///< before the first
};

struct TrainConfig {
  /// pointpng | mae | point2vec | classify, and what it is compared with: simclr | equimod | sen |
  /// sie
  std::string objective = "pointpng";
  std::int64_t batch = 64;  ///< shapes a step; each has two views
  double epochs = 100.0;    ///< passes over the data; not used where `minutes` is set
  double minutes = 0.0;     ///< train for this long instead
  std::int64_t steps = 0;   ///< or for so many steps
  double learning_rate = 1e-3;
  double weight_decay = 0.05;
  double warmup = 0.05;             ///< share of the run over which the learning rate rises
  double final_rate = 0.02;         ///< share of the learning rate that is left at the end
  double clip = 1.0;                ///< largest norm of the gradient
  double average = 0.0;             ///< decay of the moving average of the weights; 0: none
  double mask_ratio = 0.0;          ///< share of the patches that are masked
  double teacher_momentum = 0.999;  ///< of point2vec's teacher, rising to 1
  std::uint64_t seed = 0;
  std::int64_t workers = 1;  ///< threads that make batches
  double checkpoint_minutes = 5.0;
  double evaluate_every = 0.1;  ///< share of the run between evaluations
  LossConfig loss;
  ViewConfig views;
  ClassifyConfig classify;
};

/// A named starting point for both configurations.
struct Preset {
  ModelConfig model;
  TrainConfig train;
};

/// tiny (tests and demos), small (two cores), paper (the paper's sizes and hyperparameters).
Preset preset(const std::string& name);
std::vector<std::string> preset_names();

/// Throws `InputError` with a sentence for numbers that make no sense.
void validate(const TrainConfig& config);
void validate(const ClassifyConfig& config);

/// Whether an objective trains a model (or, as masked autoencoding does, an encoder alone).
bool trains_model(const std::string& objective);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ViewConfig, same_points, jitter, crop_probability,
                                                crop_largest, view_probability, outlier_probability,
                                                outlier_largest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LossConfig, uniformity, temperature, beta,
                                                pseudo_negatives, near_negatives, near_smallest_deg,
                                                near_largest_deg, equimod_equivariance,
                                                sie_invariance, sie_equivariance, sie_variance,
                                                sie_covariance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ClassifyConfig, rotations, up, fewest_points,
                                                stretch, label_smoothing, balance, hidden, dropout,
                                                feature_dropout)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TrainConfig, objective, batch, epochs, minutes,
                                                steps, learning_rate, weight_decay, warmup,
                                                final_rate, clip, average, mask_ratio,
                                                teacher_momentum, seed, workers, checkpoint_minutes,
                                                evaluate_every, loss, views, classify)

}  // namespace pointpng
