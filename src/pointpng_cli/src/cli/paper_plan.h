#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace pointpng::cli {

/// What there is to measure with, and how much.
struct PaperInputs {
  std::string data;                   ///< shapes to measure on
  std::string train;                  ///< shapes of the same classes to train on; empty: none
  std::string scan_train, scan_test;  ///< ScanObjectNN's; empty: none
  std::string scenes;                 ///< folder of depth frames; empty: none
  std::vector<std::string> studies;   ///< folders that 'eval compare' and 'eval ablate' wrote
  std::string model;                  ///< as the user named it; empty: the default
  std::string budget = "quick";
  std::uint64_t seed = 0;
  std::string study_folder;  ///< where studies that are run here keep their runs

  std::vector<std::string> class_names;       ///< of `data`
  nlohmann::json training;                    ///< what the model's card says of its training
  std::vector<nlohmann::json> study_results;  ///< of `studies`
};

/// One row of ours: commands, and how their JSON fills the columns of the paper's table.
struct PlannedRow {
  std::string table, method;
  std::vector<std::string>
      commands;  ///< "pointpng eval …"; where they can't be run: as they would be
  std::string data, budget, seed, remark;
  std::string not_run;  ///< the reason, where it can't be run
  /// Of the results of the commands, one each.
  std::function<std::vector<std::string>(const std::vector<nlohmann::json>&)> values;
  std::vector<nlohmann::json> results;  ///< where they are known already: nothing is run
};

/// Names of budgets that there are.
std::vector<std::string> paper_budgets();

/// Everything that the paper's tables ask for, in their order: what the inputs do not allow is in
/// it with the reason.
std::vector<PlannedRow> plan_paper(const PaperInputs& inputs);

}  // namespace pointpng::cli
