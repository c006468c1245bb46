#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "pointpng/alignment.h"
#include "pointpng/io.h"
#include "pointpng/registration.h"
#include "pointpng/runtime.h"
#include "pointpng/training.h"

namespace pointpng {

/// What every evaluation takes.
struct EvaluationInput {
  std::string model;              ///< see `find_model`
  std::vector<std::string> data;  ///< what is measured on; see `load_shapes`
  LoadOptions load;
  std::uint64_t seed = 0;  ///< the same seed gives the same result
  ComputeOptions compute;
};

/// How a caller watches an evaluation. Every member may be empty.
struct EvaluationHooks {
  OnMessage on_message;
  OnProgress on_progress;
};

// Sensitivity to rotation
// -------------------------------------------------------------------------------------------

/// Statistics of isotropic rotation errors over pairs.
struct RotationErrors {
  double mean_deg = 0.0, median_deg = 0.0, max_deg = 0.0;
  double within_5deg = 0.0, within_15deg = 0.0;  ///< shares of the pairs
};

/// {"rotation_deg": {"mean", "median", "max"}, "success": {"5deg", "15deg"}}
void to_json(nlohmann::json& json, const RotationErrors& errors);

/// Does the embedding know the pose? PA and AE as in the paper, and, because they alone do not
/// certify it, the error of the search.
struct Equivariance {
  std::int64_t pairs = 0;
  double pa = 0.0;        ///< predictor accuracy: sim(u_g(z), z⁺)
  double ae = 0.0;        ///< absolute equivariance: PA - sim(z, z⁺)
  RotationErrors search;  ///< of the best hypothesis, without refinement
};

void to_json(nlohmann::json& json, const Equivariance& result);

/// Does the predictor find the right pose? As the paper takes it over from SIE: the predictor is
/// given z of one view of a shape and the rotation to another one; all views of that shape are
/// ranked by their similarity to what it predicts.
struct Retrieval {
  std::int64_t shapes = 0, views = 0, queries = 0;
  double mrr = 0.0;    ///< mean of 1 / rank of the right view
  double hit_1 = 0.0;  ///< H@1: share of the queries whose right view comes first
  double hit_5 = 0.0;  ///< H@5: … is among the first five
};

/// {"shapes", "views", "queries", "mrr", "h1", "h5"}
void to_json(nlohmann::json& json, const Retrieval& result);

/// The MRR of a predictor that guesses: the mean of 1 / rank over all ranks.
double chance_of_mrr(std::int64_t views);

/// How the regressor of R² is trained; sizes and rates are those of SIE's evaluation.
struct RotationProbeConfig {
  std::int64_t shapes = 2000;  ///< at most, of those that it is trained on
  std::int64_t views = 20;     ///< of each: 380 pairs per shape
  std::int64_t hidden = 1024;
  std::int64_t batch = 256;
  std::int64_t steps = 6000;
  double learning_rate = 1e-3;
};

/// Can the rotation between two views be read from their embeddings?
struct RotationProbe {
  std::int64_t train_shapes = 0, test_shapes = 0, test_pairs = 0;
  /// 1 - Σ (q - q̂)² / Σ (q - q̄)² over pairs of shapes that it was not trained on: 1 is perfect, 0
  /// is what the mean rotation gives.
  double r2 = 0.0;
  /// The same as SIE's code has it, with one mean of all four numbers of all quaternions for q̄:
  /// larger, and above 0 for an embedding that knows nothing. For comparison with its tables.
  double sie_r2 = 0.0;
  double train_r2 = 0.0;  ///< as r2, on pairs of shapes that it was trained on
};

/// {"r2", "sie_r2", "train_r2", "train_shapes", "test_shapes", "test_pairs"}
void to_json(nlohmann::json& json, const RotationProbe& result);

/// How much is measured.
struct SensitivityConfig {
  std::int64_t pairs = 200;   ///< for PA, AE and the rotation error
  std::int64_t shapes = 100;  ///< at most, for retrieval and R²
  std::int64_t views = 50;    ///< of each, as in SIE's evaluation
  RotationProbeConfig probe;
  std::int64_t search_starts = 32;  ///< N_out of Algorithm 1
  std::int64_t search_steps = 100;  ///< N_in
};

/// All that the paper measures of a model's sensitivity to rotation, on shapes that it was not
/// trained on.
struct Sensitivity {
  Equivariance equivariance;
  Retrieval retrieval;
  std::optional<RotationProbe> probe;  ///< where there are shapes to train the regressor on
};

/// The members of all parts side by side; "retrieval" and "r2" among them.
void to_json(nlohmann::json& json, const Sensitivity& result);

/// `train`: other shapes, to train the regressor of R² on; empty leaves it out.
Sensitivity measure_sensitivity(const EvaluationInput& input, const std::vector<std::string>& train,
                                const SensitivityConfig& config = {},
                                const EvaluationHooks& hooks = {});

/// Retrieval alone, with `config.shapes` and `config.views`.
Retrieval measure_retrieval(const EvaluationInput& input, const SensitivityConfig& config = {},
                            const EvaluationHooks& hooks = {});

/// A pair of samples of a shape, and how well the search recovers the rotation between them.
struct RecoveredRotation {
  std::string name;
  double true_deg = 0.0, estimated_deg = 0.0;  ///< angles of the rotations
  double error_deg = 0.0;
};

/// One pair per shape, with a model file.
std::vector<RecoveredRotation> recover_rotations(const std::filesystem::path& model,
                                                 const ShapeSet& shapes, std::uint64_t seed,
                                                 const ComputeOptions& compute = {});

/// The same with an untrained model, whose weights follow from a seed of their own.
std::vector<RecoveredRotation> recover_rotations(const ModelConfig& untrained,
                                                 std::uint64_t weights_seed, const ShapeSet& shapes,
                                                 std::uint64_t seed,
                                                 const ComputeOptions& compute = {});

// Classification
// -------------------------------------------------------------------------------------------

/// Which classes were taken for which.
struct Confusion {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> counts;  ///< [true class][class that was named]

  Confusion() = default;
  explicit Confusion(std::vector<std::string> names);
  void add(std::int64_t true_class, std::int64_t named);

  std::int64_t total() const;
  std::int64_t size_of(std::size_t class_number) const;
  double accuracy() const;  ///< share of the shapes that were named right
  double accuracy_of(std::size_t class_number) const;  ///< of one class; 0 where it has no shapes
  double mean_class_accuracy() const;                  ///< over the classes that have shapes
};

/// {"accuracy", "mean_class_accuracy", "per_class", "shapes", "confusion": {"classes", "counts"}}
void to_json(nlohmann::json& json, const Confusion& confusion);

/// Accuracies and the commonest mistakes, for people.
std::string to_text(const Confusion& confusion);

/// Few-shot classification: in each episode some classes, few shapes of each to learn from and
/// others to be tested on.
struct FewShotConfig {
  std::int64_t ways = 5;      ///< classes of an episode
  std::int64_t shots = 10;    ///< shapes of each to learn from
  std::int64_t queries = 20;  ///< shapes of each to be tested on, fewer where there are no more
  std::int64_t episodes = 10;
};

struct FewShotResult {
  std::vector<double> accuracies;  ///< one per episode
  Confusion confusion;             ///< of all of them together
  double mean() const;
  double deviation() const;  ///< of a single episode, n - 1 in its denominator
};

/// {"mean", "deviation", "accuracies"}
void to_json(nlohmann::json& json, const FewShotResult& result);

/// The protocols of the paper, "train/test": how clouds are rotated. z/z, z/so3 and so3/so3.
std::vector<std::string> classify_protocols();

/// How a classifier is trained and tested. Members without a value have the defaults of the head.
struct ClassificationConfig {
  std::vector<std::string> train;  ///< shapes to train on; empty for a trained classifier
  std::string protocol = "so3/so3";
  std::string up = "z";             ///< x | y | z: what points up in the data
  std::optional<std::string> head;  ///< linear | mlp (both on the frozen encoder) | finetune
  std::optional<double> epochs, minutes, balance;
  std::optional<std::int64_t> batch, views;
  std::int64_t votes = 1;                  ///< views of each test shape that are averaged
  std::optional<FewShotConfig> few_shot;   ///< episodes instead of all classes at once
  bool baseline = false;                   ///< train a PointNet from scratch, too
  std::optional<double> baseline_minutes;  ///< as long as ours where not given
};

/// What training cost.
struct TrainingCost {
  std::int64_t steps = 0;
  double seconds = 0.0;      ///< by the clock
  double cpu_seconds = 0.0;  ///< of all threads, whatever else ran on the machine
};

/// A PointNet trained from scratch, the supervised baseline.
struct ClassificationBaseline {
  Confusion confusion;
  TrainingCost training;
};

struct ClassificationResult {
  std::filesystem::path model;
  std::string head;  ///< "trained" for a classifier that `finetune classify` trained
  Confusion confusion;
  std::optional<FewShotResult> few_shot;
  FewShotConfig episodes;  ///< of few_shot
  std::size_t classes = 0;
  std::optional<std::size_t> train_shapes;
  std::optional<TrainingCost> training;
  std::optional<ClassificationBaseline> baseline;

  double accuracy() const { return few_shot ? few_shot->mean() : confusion.accuracy(); }
};

/// The figures of `pointpng eval classify --json`.
void to_json(nlohmann::json& json, const ClassificationResult& result);

/// Trains a head on the encoder of a model, or all of it, and names the shapes of `input.data`; a
/// trained classifier is only tested. Throws `InputError` for options that exclude each other.
ClassificationResult evaluate_classification(const EvaluationInput& input,
                                             const ClassificationConfig& config,
                                             const EvaluationHooks& hooks = {});

// Maps of embeddings
// -------------------------------------------------------------------------------------------

/// Items as rows of numbers, such as embeddings or places on a map.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// In which poses a shape is embedded.
enum class Poses {
  kAsIs,    ///< only as it is in the data
  kRandom,  ///< as it is, and rotated at random: the paper's picture of all classes
  kSteps,   ///< rotated about z in steps of 30° up to 180°: the paper's picture of one class
};

/// Which shapes are embedded, and in which poses.
struct PosedShapesConfig {
  Poses poses = Poses::kAsIs;
  std::int64_t shapes = 500;              ///< at most, of all classes in turn
  std::vector<std::string> classes = {};  ///< only these; empty: all
  std::uint64_t seed = 0;                 ///< of the choice and of the rotations
};

/// t-SNE (van der Maaten and Hinton 2008; the tree: van der Maaten 2014), with the defaults of
/// scikit-learn.
struct TsneConfig {
  double perplexity = 30.0;  ///< about how many neighbours an item has
  std::int64_t iterations = 1000;
  std::int64_t early_iterations = 250;  ///< of these, the first with exaggerated neighbourhoods
  double early_exaggeration = 12.0;
  double learning_rate = 0.0;       ///< 0: items / (4 · exaggeration), at least 50
  std::string method = "auto";      ///< exact | barnes-hut | auto: exact for small sets
  std::int64_t exact_up_to = 1000;  ///< items, with `auto`
  double theta = 0.5;               ///< Barnes–Hut: how wide a cell may look to count as a point
  std::string start = "pca";        ///< pca | random
  std::uint64_t seed = 0;           ///< of a random start
};

/// Throws `InputError` with a sentence for numbers that make no sense.
void validate(const TsneConfig& config);

enum class MapMethod { kTsne, kPca };

/// One embedded cloud of a map.
struct MappedCloud {
  std::string name, class_name;  ///< class "unlabelled" where there is none
  std::size_t shape = 0;         ///< number of its shape in the data
  std::size_t pose = 0;          ///< number of its pose in `EmbeddingMap::pose_names`
};

/// A map of embeddings in the plane.
struct EmbeddingMap {
  std::vector<MappedCloud> clouds;
  std::vector<std::string> pose_names;
  Rows embeddings;                ///< [clouds, d]
  Rows places;                    ///< [clouds, 2]
  double trustworthiness = 0.0;   ///< Venna and Kaski 2001: 1 where neighbourhoods are kept
  double same_class = 0.0;        ///< share of clouds whose nearest other shape is of their class
  std::vector<double> explained;  ///< PCA: share of the variance along both axes
  double divergence = 0.0;        ///< t-SNE: Kullback–Leibler divergence at the end
  std::int64_t iterations = 0;    ///< t-SNE
  bool exact = true;              ///< t-SNE: every pair was counted
};

/// The map follows from data and configuration alone, whatever the threads.
EmbeddingMap map_embeddings(const EvaluationInput& input, const PosedShapesConfig& shapes,
                            MapMethod method = MapMethod::kTsne, const TsneConfig& tsne = {},
                            const EvaluationHooks& hooks = {});

// Trajectories of embeddings
// -------------------------------------------------------------------------------------------

/// How an object is rotated.
struct TrajectoryConfig {
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  std::int64_t steps = 72;  ///< of one full turn
  bool resample = false;    ///< another random half of the points at every step, as a sensor would
  std::uint64_t seed = 0;   ///< of that choice
};

/// The trajectory of an embedding while its object makes a full turn; the last step is the first
/// pose again.
struct Trajectory {
  std::vector<double> angle_deg;     ///< 0 … 360
  Rows embedding;                    ///< [steps + 1, d]
  Rows predicted;                    ///< the same as the predictor has it: u_g(z at 0°)
  std::vector<double> to_start;      ///< sim(z at 0°, z): 1 throughout is an invariant embedding
  std::vector<double> to_predicted;  ///< sim(u_g(z at 0°), z): the predictor's accuracy
};

/// One shape's trajectory, and its projection to the plane in which it is widest.
struct ShapeTrajectory {
  std::string name, class_name;
  Trajectory trajectory;
  Rows places;                    ///< [steps + 1, 2]: first two principal components
  Rows predicted_places;          ///< of the predictions, on the same plane
  std::vector<double> explained;  ///< share of the variance along both axes
  double pa = 0.0;                ///< mean of `to_predicted`
  double ae = 0.0;                ///< that minus the mean of `to_start`
};

/// Throws `InputError` for an axis without direction.
std::vector<ShapeTrajectory> embedding_trajectories(const EvaluationInput& input,
                                                    const PosedShapesConfig& shapes,
                                                    const TrajectoryConfig& config = {},
                                                    const EvaluationHooks& hooks = {});

// The loss over SO(3)
// -------------------------------------------------------------------------------------------

/// How finely the loss of a pair is sampled.
struct LandscapeConfig {
  std::int64_t latitudes = 36;  ///< of the maps of axes; twice as many longitudes
  std::int64_t angles = 36;     ///< of each axis, up to 180°
  std::int64_t grid = 20000;    ///< rotations spread over all of SO(3)
  double curve_step_deg = 2.0;  ///< of the curves
  std::vector<double> shells_deg = {30, 60, 90, 120, 150, 180};  ///< around the centre
};

/// Values on the sphere, from the south pole up, each row from -180° to 180°; a value stands for
/// the middle of its cell.
struct SphereValues {
  std::int64_t latitudes = 0, longitudes = 0;
  std::vector<float> values;  ///< row by row
};

/// A rotation and its loss.
struct LossAt {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  ///< target_from_source
  double loss = 0.0;
};

/// Loss along a full turn about an axis through the centre.
struct LossCurve {
  std::string axis;  ///< "x", "y", "z"
  std::vector<double> angle_deg, loss;
};

/// Loss at one distance from the centre, over all rotations of the grid that are that far away.
struct LossShell {
  double distance_deg = 0.0;
  double lowest = 0.0, median = 0.0, highest = 0.0;
};

/// The bidirectional loss of a pair of embeddings over SO(3).
struct Landscape {
  SphereValues best_loss;            ///< over axes of rotation: the lowest loss of all angles
  SphereValues best_angle_deg;       ///< and the angle at which it is
  std::vector<SphereValues> shells;  ///< loss at `shells_deg` from the centre, over axes
  std::vector<double> shells_deg;
  std::vector<LossCurve> curves;
  std::vector<LossShell> distances;
  std::optional<LossAt> truth;         ///< where it is known
  std::vector<LossAt> hypotheses;      ///< what the search found, best first
  LossAt centre;                       ///< the truth, or the best hypothesis
  double lowest = 0.0, highest = 0.0;  ///< of all rotations sampled
  double below_truth = 0.0;            ///< share of the grid with a lower loss than the centre
};

/// Which two clouds: a pair made of shapes, or two files.
struct LandscapePair {
  std::string protocol = "resampled";  ///< see `pose_protocols`; with `EvaluationInput::data`
  std::int64_t number = 0;             ///< which pair of that protocol and seed
  std::filesystem::path source, target;
};

struct PairLandscape {
  std::string name;  ///< of the pair
  Landscape landscape;
};

/// Throws `InputError` unless either `input.data` or both files are given.
PairLandscape evaluate_landscape(const EvaluationInput& input, const LandscapePair& pair,
                                 const LandscapeConfig& config = {},
                                 const EvaluationHooks& hooks = {});

// Poses
// -------------------------------------------------------------------------------------------

/// Pairs that are made of shapes.
///
/// same | resampled | noisy | partial | view | plane: shapes in the unit sphere, 1024 points per
/// cloud where there are enough, rotated uniformly over SO(3) and moved by up to 0.5 along each
/// axis; the source is rotated too, so no frame of its own helps.
///   same       the same points, shuffled
///   resampled  two disjoint samples of the surface
///   noisy      resampled, noise of 0.01 (at most 0.05) on both, 5 % of the target are outliers
///   partial    resampled, each cut to 70 % by a half-space of its own
///   view       another sample, only what is seen from one viewpoint 3 radii away
///   plane      such a view of the object resting on a table: half of the points are the table's
///
/// clutter | absent | room | street | corridor: what simulated range sensors measure, with noise,
/// in scenes that are furnished with the shapes. Lengths are metres; viewpoints and up are known.
///   clutter    a shape, and a depth camera's view of a table with it and others: the shape has
///              0.5 to 10 % of the points
///   absent     the same without it: there is no right answer
///   room       a depth camera or a tilting laser at two places in a room; overlap 20 to 80 %
///   street     a vehicle's LiDAR at two places 5 to 20 m apart
///   corridor   a laser at two places in a corridor, bare or with doors, or a pipe from two places:
///              the surfaces leave a direction free, or nearly
///
/// Depth frames have a protocol of their own, `scene`.
std::vector<std::string> pose_protocols();

/// Two clouds with a known pose between them.
struct PosePair {
  Cloud source, target;
  Eigen::Isometry3d target_from_source = Eigen::Isometry3d::Identity();
  /// The whole object in the source's frame, where the source is a part of it: symmetry is the
  /// object's, not the part's. Empty where the source is all that is known.
  Cloud object;
  /// False where the source is not in the target: any answer is wrong.
  bool present = true;
  /// How far the source's centre may be off in a right answer, as a share of its radius.
  double centre_tolerance = 0.05;
  /// Where the sensors stood, each in its cloud's frame, and which way is up there.
  std::optional<Eigen::Vector3d> source_viewpoint, target_viewpoint, source_up, target_up;
  std::string kind;        ///< the protocol, or what the pairs' list says
  std::string class_name;  ///< empty where unknown
  std::string name;        ///< of the shape or the frames
};

/// `count` pairs that visit the classes in turn. Pair i follows from the seed and i, not from the
/// count. What the user should know, such as shapes with few points, is appended to `notes`.
/// Throws `InputError` for an unknown protocol and for shapes that can't be used.
std::vector<PosePair> make_pairs(const ShapeSet& shapes, const std::string& protocol,
                                 std::int64_t count, std::uint64_t seed,
                                 std::vector<std::string>* notes = nullptr);

/// Pairs as files, for others to measure on the same ones: DIR/pairs.json is a list of
///   {"source": FILE, "target": FILE, "target_from_source": [16 numbers, row by row],
///    "kind": NAME, "class": NAME, "name": NAME, "object": FILE, "centre_tolerance": NUMBER,
///    "source_viewpoint", "target_viewpoint", "source_up", "target_up": [x, y, z]}
/// with the files beside it. What is not a cloud may be missing; "target_from_source": null says
/// that the source is not in the target. See `PosePair`.

/// Throws `InputError` with a sentence for what is missing, is no such list, or is no rigid motion.
/// Remarks of the clouds' readers are appended to `notes`.
std::vector<PosePair> load_pairs(const std::filesystem::path& folder,
                                 std::vector<std::string>* notes = nullptr);

/// Writes a new folder, which is whole or not there. Throws `InputError` where it exists already.
void save_pairs(const std::filesystem::path& folder, const std::vector<PosePair>& pairs);

/// Whatever finds a pose: our estimator or a peer.
using Aligner = std::function<Alignment(const PosePair&)>;

/// The best rotation of the search alone, before anything is refined: target_from_source.
using SearchOnly = std::function<Eigen::Quaterniond(const PosePair&)>;

/// Global registration as an aligner.
Aligner aligner_of(const Registration& registration);

/// The result for one pair.
struct PairResult {
  std::string name, class_name, kind;
  std::string reason;  ///< why it was rejected
  bool accepted = false;
  Eigen::Quaterniond estimated = Eigen::Quaterniond::Identity();
  Eigen::Quaterniond truth = Eigen::Quaterniond::Identity();
  std::optional<Eigen::Quaterniond> searched;
  double rotation_deg = 0.0;      ///< isotropic error of the answer, accepted or not
  double translation = 0.0;       ///< |t - t_true|, in the clouds' unit
  double centre_offset = 0.0;     ///< of the source's centre, as a share of its radius
  double diameter = 0.0;          ///< of the source
  double surface_distance = 0.0;  ///< mean, of the moved object to where the truth puts it
  /// Whether that is little more than the spacing of the points: right, or right up to a symmetry
  /// of the object.
  bool surface_ok = false;
  /// Maximum symmetry-aware surface distance, as a share of the radius: how far the answer moves
  /// the object off itself, see `symmetry_distance`. Not measured (NaN) where the pose itself is
  /// right.
  double mssd = std::numeric_limits<double>::quiet_NaN();
  /// Within 5° and with the centre within the pair's tolerance, or as near to a pose that a
  /// symmetry of the object makes the same. Whether it was accepted does not matter.
  bool right = false;
  /// Normalised estimation error squared: 6 in the mean where the covariance is consistent. NaN
  /// where there is no covariance or the pose is not right by itself.
  double nees = std::numeric_limits<double>::quiet_NaN();
  double confidence = 0.0, residual = 0.0;
  Evidence evidence;
  int modes = 1;
  double total_ms = 0.0;  ///< of the aligner, by the clock
  /// The same in processor time of all threads, whatever else runs; of pairs that are aligned in
  /// one call the share by `total_ms`.
  double cpu_ms = 0.0;
  StageTimes stages_ms;  ///< as it says itself
};

/// Figures over pairs in which every pair counts.
struct PoseFigures {
  RotationErrors rotation;
  double surface_ok = 0.0;  ///< share
  double translation_mean = 0.0, translation_median = 0.0;
};

/// How many answers were right, and how many of these the estimator vouched for.
struct Verdicts {
  std::int64_t accepted_right = 0, accepted_wrong = 0;
  std::int64_t right_rejected = 0;  ///< lost: it was right
  std::int64_t wrong_rejected = 0;

  std::int64_t pairs() const {
    return accepted_right + accepted_wrong + right_rejected + wrong_rejected;
  }
};

/// Is the covariance neither too small nor too large? The mean NEES of right answers, and the band
/// in which it lies in 95 % of such measurements if the errors are Gaussian and the covariances
/// true.
struct Consistency {
  std::int64_t pairs = 0;
  double mean_nees = 0.0, low = 0.0, high = 0.0;
};

/// The result of a measurement. A rejected pair is a failure in every figure but those named
/// otherwise: 180° off, one diameter away, not on the surface.
struct PoseEvaluation {
  std::vector<PairResult> rows;
  std::int64_t rejected = 0;
  PoseFigures figures;
  PoseFigures if_all_accepted;  ///< of the answers that were found, rejected or not
  std::optional<RotationErrors> search_only;
  double accepted_right = 1.0;  ///< share of the accepted that are right; 1 where there are none
  Verdicts verdicts;
  std::map<std::string, Verdicts> kinds;
  std::optional<Consistency> consistency;  ///< of the covariances, where there is a right answer
  std::map<std::string, PoseFigures> classes;  ///< where the pairs name any
  std::map<std::string, std::int64_t> class_sizes;
  StageTimes mean_ms;
  double median_ms = 0.0;
  double mean_cpu_ms = 0.0;
};

/// Compares an answer with the truth.
PairResult judge(const PosePair& pair, const Alignment& alignment);

/// Sums up; throws `InputError` where there is nothing to sum up.
PoseEvaluation summarise(std::vector<PairResult> rows);

/// Aligns pair after pair. One alignment before them all is not timed: it warms caches and threads.
/// A pair that the aligner refuses with `InputError` counts as rejected. `on_pair` is called after
/// each, for progress.
PoseEvaluation evaluate_pose(const std::vector<PosePair>& pairs, const Aligner& align,
                             const SearchOnly& search = nullptr,
                             const std::function<void(std::int64_t)>& on_pair = nullptr);

/// The contract of `pointpng eval pose --json`.
void to_json(nlohmann::json& result, const PoseEvaluation& evaluation);

/// One row of `--rows`.
void to_json(nlohmann::json& result, const PairResult& row);

/// One JSON object per line.
std::string rows_as_lines(const std::vector<PairResult>& rows);

/// For people.
std::string to_text(const PoseEvaluation& evaluation);

/// Another way to a pose, to compare with on the same pairs.
struct Peer {
  std::string name;
  Aligner align;
};

/// What PCL offers, set up as well as we know how: lengths follow from the clouds' spacing, and
/// normals point away from the centroid (FPFH with normals of random sign does much worse).
/// They accept everything they find.
///   SAC-IA + ICP       FPFH matches, sample consensus, then ICP
///   prerejective + ICP the same with PCL's newer sample consensus, which rejects early
///   ICP, GICP          from the identity with the centroids brought together
std::vector<Peer> pcl_peers(int threads);

/// Which pairs: made of `EvaluationInput::data`, or read from a folder.
struct PosePairs {
  std::string protocol;  ///< see `pose_protocols`, or `scene` for a folder of depth frames
  std::int64_t pairs = 100;
  std::filesystem::path folder;  ///< with pairs.json, see `load_pairs`
};

/// Throws `InputError` unless either data with a protocol, or a folder is given.
std::vector<PosePair> load_or_make_pairs(const EvaluationInput& input, const PosePairs& wanted,
                                         const OnMessage& on_message);

/// Our poses of the pairs, several in one call (see `Registration::align_many`): times are those of
/// a pair on one thread. `guess_deg`: no global registration, but initial guesses that are off by
/// up to this angle, as tracking has them.
PoseEvaluation evaluate_pose(const EvaluationInput& input, const RegistrationConfig& config,
                             const std::vector<PosePair>& pairs, std::optional<double> guess_deg,
                             const EvaluationHooks& hooks);

/// What `eval pose --json` prints.
nlohmann::json pose_evaluation_json(const PoseEvaluation& evaluation, const EvaluationInput& input,
                                    const PosePairs& wanted, const RegistrationConfig& config,
                                    std::optional<double> guess_deg,
                                    const std::vector<std::string>& notes);

}  // namespace pointpng
