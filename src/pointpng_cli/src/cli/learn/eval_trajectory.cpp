#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/pictures.h"
#include "cli/learn/terminal.h"
#include "report/command_line.h"
#include "report/embedding_pages.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TrajectoryOptions : EvalOptions {
  PosedShapesConfig shapes{.shapes = 3};
  TrajectoryConfig turn;
  std::vector<double> axis = {0.0, 0.0, 1.0};
  fs::path out;
};

double explained(const ShapeTrajectory& turn) { return turn.explained[0] + turn.explained[1]; }

double lowest_of(const std::vector<double>& values) { return *std::ranges::min_element(values); }

std::string command_of(const TrajectoryOptions& options) {
  CommandLine line("eval trajectory");
  for (const std::string& source : options.input.data) line.option("data", source);
  if (!options.input.model.empty()) line.option("model", options.input.model);
  line.option("shapes", options.shapes.shapes);
  for (const std::string& name : options.shapes.classes) line.option("class", name);
  return line.numbers("axis", options.axis)
      .option("steps", options.turn.steps)
      .flag("resample", options.turn.resample)
      .option("seed", options.input.seed)
      .option("out", "pictures")
      .text();
}

PageOrigin origin_of(const TrajectoryOptions& options) {
  return {{{"Data", data_text(options.input)},
           {"Model", find_model(options.input.model).filename().string()},
           {"Axis", fmt::format("{:g}", fmt::join(options.axis, " "))},
           {"Seed", std::to_string(options.input.seed)}},
          command_of(options)};
}

json to_json(const TrajectoryOptions& options, const std::vector<ShapeTrajectory>& turns) {
  json result{{"data", data_json(options.input)},
              {"model", find_model(options.input.model).string()},
              {"axis", options.axis},
              {"steps", options.turn.steps},
              {"resample", options.turn.resample},
              {"seed", options.input.seed},
              {"shapes", json::array()}};
  for (const ShapeTrajectory& turn : turns) {
    json places = json::array();
    for (Eigen::Index i = 0; i < turn.places.rows(); ++i)
      places.push_back({turn.places(i, 0), turn.places(i, 1)});
    result["shapes"].push_back({{"name", turn.name},
                                {"class", turn.class_name},
                                {"pa", turn.pa},
                                {"ae", turn.ae},
                                {"explained", turn.explained},
                                {"angle_deg", turn.trajectory.angle_deg},
                                {"similarity_to_start", turn.trajectory.to_start},
                                {"similarity_to_prediction", turn.trajectory.to_predicted},
                                {"places", std::move(places)}});
  }
  return result;
}

std::string to_text(const std::vector<ShapeTrajectory>& turns) {
  std::string text =
      "a full turn                            PA, mean  PA, lowest  sim to start, lowest  on "
      "plane\n";
  for (const ShapeTrajectory& turn : turns)
    text += fmt::format("{:<38.38} {:>8.3f} {:>11.3f} {:>21.3f} {:>7.0f} %\n", shape_title(turn),
                        turn.pa, lowest_of(turn.trajectory.to_predicted),
                        lowest_of(turn.trajectory.to_start), 100.0 * explained(turn));
  return text;
}

Outcome evaluate(TrajectoryOptions& options) {
  apply(options.output);
  require_place(options.out);
  options.turn.axis = {options.axis[0], options.axis[1], options.axis[2]};
  options.turn.seed = options.shapes.seed = options.input.seed;
  const std::vector<ShapeTrajectory> turns = embedding_trajectories(
      options.input, options.shapes, options.turn, Terminal(options.output).evaluation_hooks());
  const json result = to_json(options, turns);
  return finish_drawn(options.output, options.out, to_text(turns), result, [&]() -> Drawings {
    const Picture picture = trajectory_picture(turns);
    return {
        trajectory_page(turns, options.turn, data_name(options.input), picture, origin_of(options)),
        {{"trajectory", picture}},
        {{"trajectory.json", result.dump(1) + "\n"}}};
  });
}

}  // namespace

void add_eval_trajectory(Command parent) {
  const auto options = std::make_shared<TrajectoryOptions>();
  Command command = add_eval_command(
      parent, "trajectory",
      "The trajectory of an embedding while its object makes a full turn, and the predicted one.",
      {{"eval trajectory --data test.h5 --class chair --out turn.html", "a page to look at"},
       {"eval trajectory --data part.ply --axis 1 0 0 --resample --out pictures",
        "your own object about x, with other points at every step"},
       {"eval trajectory --data test.h5 --shapes 6 --json", "for scripts"}});
  command.add_option("--shapes", options->shapes.shapes, "How many shapes, of all classes in turn")
      .range(1, 12)
      .show_default();
  command.add_option("--class", options->shapes.classes,
                     "Only shapes of this class; may be repeated");
  command.add_option("--axis", options->axis, "The axis of the turn: three numbers")
      .numbers(3)
      .show_default();
  command.add_option("--steps", options->turn.steps, "Of the turn").range(4, 3600).show_default();
  command.add_flag("--resample", options->turn.resample,
                   "Another random half of the points at every step, as a sensor would see");
  command.add_option("--out", options->out, kDrawingsHelp);
  add_eval_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
