#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/io.h"
#include "pointpng/model.h"
#include "pointpng/runtime.h"

namespace pointpng {

// Settings
// -------------------------------------------------------------------------------------------

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
/// the last term out, as the paper does. The last numbers belong to the methods it is compared
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
  /// Weight of classes of different size: 0 every shape counts alike, 1 every class.
  double balance = 0.0;
  std::vector<std::int64_t> hidden = {256, 256};  ///< layers of the head; none: a linear one
  double dropout = 0.5;                           ///< after each of them
  double feature_dropout = 0.2;                   ///< before the first
};

struct TrainConfig {
  /// pointpng | mae | point2vec | classify, and what it is compared with: simclr | equimod | sen |
  /// sie
  std::string objective = "pointpng";
  std::int64_t batch = 64;  ///< shapes per step; each has two views
  double epochs = 100.0;    ///< passes over the data; not used where `minutes` is set
  double minutes = 0.0;     ///< train for this long instead
  std::int64_t steps = 0;   ///< or for this number of steps
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

// Runs
// -------------------------------------------------------------------------------------------

/// Everything that determines a run; what config.json holds.
struct RunPlan {
  std::string command = "pretrain";  ///< pretrain | mae | finetune pose | finetune classify | demo
  std::string preset;
  ModelConfig model;
  TrainConfig train;
  std::vector<std::string> data;  ///< see `load_shapes`
  LoadOptions load;
  double held_out = 0.05;           ///< share of the shapes that is held out to evaluate on
  std::int64_t left_out = 0;        ///< every n-th shape takes no part at all; 0: none
  std::filesystem::path init;       ///< encoder to start from; empty: none
  std::filesystem::path finetuned;  ///< model to start from with all its weights; empty: none
};

/// The plan of `pretrain` or `mae` with a preset's settings. Data are for the caller to add.
RunPlan pretraining_plan(const std::string& command, const std::string& preset);

/// The plan of `finetune pose` or `finetune classify` for a model (see `find_model`). Throws
/// `InputError` where it can't be loaded.
RunPlan finetuning_plan(const std::string& command, const std::string& model);

/// Sets a member by its dotted name ("model.width=96", "train.loss.beta=0"); throws `InputError`
/// for unknown names and values of another type.
void override_setting(RunPlan& plan, const std::string& assignment);

/// How a run stands.
struct TrainStatus {
  std::int64_t step = 0;
  double progress = 0.0;  ///< from 0 to 1
  double epoch = 0.0;
  double elapsed_s = 0.0;
  double left_s = 0.0;
  double clouds_per_s = 0.0;
  double learning_rate = 0.0;
  std::map<std::string, double> means;  ///< of the loss and what is watched, since the last report
};

/// Something that a person should know: invariant collapse, numbers that are not finite.
struct TrainEvent {
  std::string kind;
  std::string message;
};

enum class TrainEnd { kFinished, kStopped };

/// How a run ended.
struct RunResult {
  TrainEnd end = TrainEnd::kFinished;
  std::int64_t steps = 0;
  double elapsed_s = 0.0;
  std::filesystem::path result;  ///< the weights
  nlohmann::json metrics = nlohmann::json::object();
};

enum class Severity { kRemark, kWarning };

/// What is said to the user on the way: points dropped, weights taken from a file.
using OnMessage = std::function<void(Severity, const std::string&)>;

/// Called with what is being done and the share that is done, from 0 to 1.
using OnProgress = std::function<void(std::string_view what, double share)>;

/// How a caller watches a run and stops it. Every member may be empty.
struct RunHooks {
  OnMessage on_message;
  OnProgress on_preparation;       ///< of a classifier's head, before the first step
  std::function<void()> on_start;  ///< the first step comes next
  std::function<void(const TrainStatus&)> on_status;
  std::function<void(const TrainEvent&)> on_event;
  std::function<void(const RunResult&)> on_end;
  const std::atomic<bool>* stop = nullptr;  ///< set: finish the step, save and return
};

/// Where this process stands among those that train together, each on its share of every batch; by
/// default it trains alone. All of them make the same call; only the first writes and reports.
struct ProcessPlace {
  int rank = 0;  ///< 0: the first
  int size = 1;
  int local_rank = 0;                 ///< among those of this machine: the GPU that it uses
  int local_size = 1;                 ///< number of those, which share the cores
  std::string address = "127.0.0.1";  ///< where the first process listens
  int port = 0;                       ///< 0: any free port, see `on_listening`
  std::string agent;  ///< not empty: a launcher listens there instead; keys begin with this
  std::function<void(int port)> on_listening;  ///< in the first: time to start the others
  /// Where another process is gone and this one has not noticed by itself. Should end the process;
  /// called on another thread.
  std::function<void(const std::string& sentence)> on_lost;
};

/// The place that torchrun's variables give: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE,
/// MASTER_ADDR, MASTER_PORT. Alone where RANK and WORLD_SIZE are not set. Throws `InputError`.
ProcessPlace place_from_environment();

/// Starts a run in a new folder. Throws `InputError` for a plan that can't be run, before anything
/// is written.
RunResult start_run(const RunPlan& plan, const std::filesystem::path& folder,
                    const ComputeOptions& compute = {}, const RunHooks& hooks = {},
                    const ProcessPlace& place = {});

/// Resumes the run in a folder exactly as it was started. Throws `InputError` where it is a run of
/// another command or its data have changed.
RunResult resume_run(const std::string& command, const std::filesystem::path& folder,
                     const ComputeOptions& compute = {}, const RunHooks& hooks = {},
                     const ProcessPlace& place = {});

// The record of a run. Needs no LibTorch.
// -------------------------------------------------------------------------------------------

struct SeriesPoint {
  double x = 0.0;
  double y = 0.0;  ///< not finite: something was measured there, and it was not a number
};

/// A measured curve, x rising.
using Series = std::vector<SeriesPoint>;

/// Something that happened in a run: "resume", "stop", "collapse", "nan", "checkpoint", "done".
struct RunEvent {
  std::int64_t step = 0;
  std::string kind;
  std::string message;
};

/// What a run wrote into its log.jsonl, over the step. Where a resumed run went back a little, the
/// later lines stand. Nested numbers are named with underscores: {"success": {"15deg": 1}} is
/// "success_15deg".
struct RunLog {
  std::map<std::string, Series> metrics;      ///< measured on training batches
  std::map<std::string, Series> evaluations;  ///< measured on held-out shapes
  std::vector<RunEvent> events;               ///< in the order of the file
  std::int64_t last_step = 0;
  double training_seconds = 0.0;     ///< over all parts of a resumed run
  std::size_t steps_back = 0;        ///< how often the log went back to an earlier step
  std::size_t unreadable_lines = 0;  ///< not counting a last line that was cut
  bool last_line_cut = false;        ///< the process died, or is writing just now
};

/// Throws `InputError` where there is no file or not one line of it can be read. An empty file is a
/// run that has only just started.
RunLog read_run_log(const std::filesystem::path& path);

/// A run as its folder shows it, finished or not.
struct RunRecord {
  std::filesystem::path folder;
  nlohmann::ordered_json config;  ///< config.json, in the order in which it was written
  RunLog log;
  std::filesystem::path result;  ///< the weights; empty where none are written yet
};

/// Throws `InputError` for a folder that holds no run.
RunRecord read_run(const std::filesystem::path& folder);

}  // namespace pointpng
