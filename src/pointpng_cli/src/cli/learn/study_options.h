#pragma once

#include "cli/command.h"
#include "cli/options.h"
#include "pointpng/study.h"

namespace pointpng::cli {

/// What the commands that train and measure several variants take.
struct StudyOptions {
  OutputOptions output;
  StudyConfig config;
};

/// `--data`, `--test`, `--out`, `--seeds`, `--steps`, `--minutes` and the rest.
void add_study_options(Command command, StudyOptions& options);

/// Writes study.json, study.csv and study.html to the folder, and prints the table; says how a
/// study that the user stopped is resumed.
Outcome publish(const Study& study, const StudyOptions& options);

}  // namespace pointpng::cli
