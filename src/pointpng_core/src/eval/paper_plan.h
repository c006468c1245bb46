#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pointpng/study.h"

namespace pointpng {

/// What the plan needs to know about the inputs.
struct PaperInputs {
  PaperConfig config;
  std::vector<std::string> class_names;       ///< of `config.data`
  nlohmann::json training;                    ///< what the model's card says of its training
  std::vector<nlohmann::json> study_results;  ///< of `config.studies`
};

/// One row of ours: measurements, and how their results fill the columns of the paper's table.
struct PlannedRow {
  std::string table, method;
  std::vector<PaperMeasurement> measurements;
  std::string data, budget, seed, remark;
  std::string not_run;  ///< the reason, where it can't be run
  /// Of the results of the measurements, one each.
  std::function<std::vector<std::string>(const std::vector<nlohmann::json>&)> values;
  std::vector<nlohmann::json> results;  ///< where they are known already: nothing is run
  std::string known_command;            ///< that gave those
};

/// Everything that the paper's tables ask for, in their order: what the inputs do not allow is in
/// it with the reason.
std::vector<PlannedRow> plan_paper(const PaperInputs& inputs);

}  // namespace pointpng
