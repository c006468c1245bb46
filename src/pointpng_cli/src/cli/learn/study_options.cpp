#include "cli/learn/study_options.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/eval_options.h"
#include "cli/output.h"
#include "pointpng/io.h"
#include "report/study.h"

namespace pointpng::cli {

void add_study_options(Command command, StudyOptions& options) {
  command
      .add_option("--data", options.config.data,
                  "Shapes to train on, as for 'pretrain'; may be given several times")
      .required();
  command.add_option("--test", options.config.test,
                     "Shapes to measure on; where not given, every fifth of --data is held out");
  command.add_option("--topic", options.config.topic, kTopicHelp);
  command
      .add_option("--out", options.config.out,
                  "Folder of runs and results; to go on, give it again")
      .required();
  command.add_option("--seeds", options.config.seeds, "How many seeds each variant is trained with")
      .range(1, 1000)
      .show_default();
  const Option steps = command.add_option("--steps", options.config.steps, "Steps of each run")
                           .range(1, 100000000)
                           .show_default();
  command
      .add_option("--minutes", options.config.minutes,
                  "Train each run for this long instead (then no two tables are quite the same)")
      .positive()
      .excludes(steps);
  command.add_option("--preset", options.config.preset, "tiny, small or paper").show_default();
  command.add_option("--backbone", options.config.backbone,
                     "transformer (the paper's) or equivariant");
  command.add_option(
      "--set", options.config.settings,
      "Any other setting of all runs, as train.batch=32; may be given several times");
  add_sensitivity_options(command, options.config.measured);
  add_seed_option(command, options.config.seed);
  add_compute_options(command, options.config.compute);
  add_output_options(command, options.output);
}

Outcome publish(const Study& study, const StudyOptions& options) {
  const bool json = options.output.json;
  if (!study.finished) {
    json ? print_json(
               {{"finished", false}, {"runs_done", study.rows.size()}, {"command", study.command}})
         : print_text(
               fmt::format("stopped; everything is saved. Go on with:\n  {}\n", study.command));
    return Outcome::kNoResult;
  }
  const std::filesystem::path& out = options.config.out;
  nlohmann::json result = study_json(study);
  write_file_atomically(out / "study.json", result.dump(2) + "\n");
  write_file_atomically(out / "study.csv", study_csv(study));
  write_file_atomically(out / "study.html", study_page(study));
  result["page"] = (out / "study.html").string();
  json ? print_json(result)
       : print_text(study_text(study) + fmt::format("{}\n", (out / "study.html").string()));
  return Outcome::kDone;
}

}  // namespace pointpng::cli
