#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/evaluation.h"
#include "pointpng/training.h"

namespace pointpng {

// The result of a study
// -------------------------------------------------------------------------------------------

/// One figure that a study measures: a column of its table.
struct StudyColumn {
  std::string key;    ///< its name in JSON and CSV
  std::string label;  ///< its name for people
  int digits = 3;     ///< behind the point
  std::string meaning;
};

/// One variant measured with one seed.
struct StudyRow {
  std::string variant;
  std::uint64_t seed = 0;
  std::map<std::string, double> figures;
};

/// The same thing measured in several variants, each with several seeds.
struct Study {
  std::string title;
  std::string summary;                   ///< one sentence: what varies and what is measured
  std::string command;                   ///< that gives these numbers again
  std::string varied;                    ///< what the variants are: "method", "beta"
  std::vector<std::string> variants;     ///< in the order of the table
  std::map<std::string, double> places;  ///< of variants on an axis, where they are numbers
  std::vector<StudyColumn> columns;
  std::vector<StudyRow> rows;
  std::vector<std::pair<std::string, std::string>> facts;  ///< data, budget, sizes
  std::vector<std::string> remarks;                        ///< about the result
  nlohmann::json findings = nlohmann::json::object();      ///< more members of the JSON
  bool finished = true;                                    ///< false: stopped on the way
};

/// Of one figure over the seeds of a variant.
struct Spread {
  double mean = 0.0;
  double deviation = 0.0;  ///< standard deviation of a sample; 0 of a single one
  std::int64_t count = 0;
};

/// Nothing where the variant has no such figure.
std::optional<Spread> spread_of(const Study& study, const std::string& variant,
                                const std::string& key);

/// {"title", "command", "varied", "means": [{"variant", FIGURE: {"mean", "deviation", "count"}}],
///  "rows": [{"variant", "seed", FIGURE: …}], "remarks"}; the same study gives the same text.
nlohmann::json study_json(const Study& study);

/// A line for every row: variant, seed and the figures.
std::string study_csv(const Study& study);

// Studies that train and measure several variants
// -------------------------------------------------------------------------------------------

/// Enough to tell variants apart, little enough for many of them on two cores.
SensitivityConfig study_sensitivity();

/// What all studies take.
struct StudyConfig {
  std::filesystem::path out;            ///< folder of runs and results
  std::vector<std::string> data, test;  ///< without `test`, every fifth shape of `data` is held out
  std::vector<std::string> settings;    ///< of all runs, see `override_setting`
  std::string preset = "tiny", topic;
  std::optional<std::string> backbone;
  std::optional<double> minutes;
  std::int64_t steps = 2000;  ///< not used where `minutes` is set
  std::int64_t seeds = 3;
  std::uint64_t seed = 0;  ///< the first of them
  SensitivityConfig measured = study_sensitivity();
  ComputeOptions compute;
  std::string model;    ///< of ablations of the search, see `find_model`
  std::string command;  ///< that gives the study again, for its record
};

/// "pointpng", "sie", …: what `compare_methods` knows.
std::vector<std::string> method_names();

/// Those of the paper's tables.
std::vector<std::string> default_methods();

/// Trains Point-PNG and what the paper compares it with on the same data, steps and seeds, and
/// measures each on shapes that no run was trained on. Runs lie in folders of their own under
/// `out`: what was finished is not done again, and what was interrupted is resumed. Throws
/// `InputError` where the folder holds another study.
Study compare_methods(const StudyConfig& config, const std::vector<std::string>& methods,
                      const RunHooks& hooks = {});

/// "beta", "predictor", "grid", …: what `ablate` knows.
std::vector<std::string> ablation_names();

/// The same training, or the same search, with one thing varied.
Study ablate(const StudyConfig& config, const std::string& name, const RunHooks& hooks = {});

// The paper's tables
// -------------------------------------------------------------------------------------------

/// What there is to measure with, and how much.
struct PaperConfig {
  std::string data;                   ///< labelled shapes to measure on
  std::string train;                  ///< shapes of the same classes to train on; empty: none
  std::string scan_train, scan_test;  ///< ScanObjectNN's; empty: none
  std::string scenes;                 ///< folder of depth frames; empty: none
  std::vector<std::filesystem::path> studies;  ///< folders of finished studies
  std::string model;                           ///< see `find_model`
  std::string budget = "quick";                ///< see `paper_budgets`
  std::uint64_t seed = 0;
  std::filesystem::path study_folder;  ///< where studies that are run here keep their runs
  ComputeOptions compute;
};

/// "full", "quick".
std::vector<std::string> paper_budgets();

/// Measurements that fill cells of the tables.
struct ClassificationMeasurement {
  EvaluationInput input;
  ClassificationConfig config;
};
struct SensitivityMeasurement {
  EvaluationInput input;
  std::vector<std::string> train;  ///< for R²
  SensitivityConfig config;
};
struct PoseMeasurement {
  EvaluationInput input;
  std::string protocol;
  std::int64_t pairs = 0;
  bool plain = false;  ///< embedding and search alone, as in the paper
};
struct StudyMeasurement {
  std::string ablation;  ///< empty: methods are compared
  StudyConfig config;
};
using PaperMeasurement = std::variant<ClassificationMeasurement, SensitivityMeasurement,
                                      PoseMeasurement, StudyMeasurement>;

/// What was measured here for a table of the paper, or why it was not.
struct OurRow {
  std::string table;  ///< id of the paper's
  std::string method;
  std::vector<std::string> values;  ///< one per column of the table; "–" where it has none
  std::string data, budget, seed;
  std::string command;     ///< that gives these figures
  std::string remark;      ///< what is other than in the paper
  std::string not_run;     ///< the reason, where it was not run; no values then
  nlohmann::json figures;  ///< the same as numbers, as the command prints them
};

/// The paper's rows and ours.
struct PaperComparison {
  std::vector<OurRow> rows;
  std::string model, budget, command;
  double seconds = 0.0;               ///< that it took
  std::vector<std::string> verdicts;  ///< sentences to read first
};

/// How a caller watches the comparison.
struct PaperHooks {
  RunHooks run;  ///< of the studies' runs; its messages are those of everything else, too
  /// The command line that gives a measurement again.
  std::function<std::string(const PaperMeasurement&)> command_of;
};

/// Measures everything that the paper's tables ask for and the inputs allow, in their order; what
/// they do not allow is in it with the reason. Throws `Error` where the user stopped it.
PaperComparison compare_with_paper(const PaperConfig& config, const PaperHooks& hooks);

}  // namespace pointpng
