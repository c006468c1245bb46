#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/training.h"
#include "eval/sensitivity.h"
#include "report/study.h"

namespace pointpng::cli {

/// Enough to tell variants apart, little enough for many of them on two cores.
SensitivityConfig study_sensitivity();

/// What the commands that train and measure several variants take.
struct StudyOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::filesystem::path out;
  std::vector<std::string> data, test, settings;
  std::string preset = "tiny", topic;
  std::optional<std::string> backbone;
  std::optional<double> minutes;
  std::int64_t steps = 2000;  ///< not used where `minutes` is set
  std::int64_t seeds = 3;
  std::uint64_t seed = 0;  ///< the first of them
  SensitivityConfig measured = study_sensitivity();
};

/// One variant: what is trained, and the masked autoencoding before it where there is any.
struct StudyVariant {
  std::string name;
  RunPlan plan;
  std::optional<RunPlan> before;
};

/// `--data`, `--test`, `--out`, `--seeds`, `--steps`, `--minutes` and the rest.
void add_study_options(Command command, StudyOptions& options);

/// The plan that all variants start from: the preset's sizes with the paper's backbone, predictor
/// and pseudo-negatives, and the user's settings; every fifth shape is left out to measure with
/// where no `--test` is given.
RunPlan study_plan(const StudyOptions& options);

/// The figures of trained variants: what `study.columns` holds.
std::vector<StudyColumn> sensitivity_columns();

/// Trains every variant with every seed in a folder of its own under `out`, measures it, and adds a
/// row to the study. What was finished is not done again, and what was interrupted goes on. False
/// where the user stopped it. Throws `InputError` where the folder holds another study.
bool train_and_measure(const StudyOptions& options, const std::vector<StudyVariant>& variants,
                       Study& study);

/// Writes study.json, study.csv and study.html to the folder, and prints the table.
/// `more` is added to the JSON.
void publish(const Study& study, const std::filesystem::path& out, const OutputOptions& output,
             const nlohmann::json& more = nlohmann::json::object());

/// Says how a study that the user stopped goes on.
Outcome stopped(const StudyOptions& options, const Study& study);

/// "pointpng eval WHAT --data …": the command line that gives the same study again.
std::string study_command(const std::string& what, const StudyOptions& options);

}  // namespace pointpng::cli
