#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
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
#include "report/format.h"
#include "report/page.h"
#include "report/way_picture.h"

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

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double explained(const ShapeTrajectory& turn) { return turn.explained[0] + turn.explained[1]; }

double lowest_of(const std::vector<double>& values) { return *std::ranges::min_element(values); }

std::string title_of(const ShapeTrajectory& turn) {
  return turn.class_name.empty() ? turn.name : turn.class_name + " · " + turn.name;
}

std::vector<PicturePoint> places(const Rows& coordinates) {
  std::vector<PicturePoint> points;
  for (Eigen::Index i = 0; i < coordinates.rows(); ++i)
    points.push_back({coordinates(i, 0), coordinates(i, 1)});
  return points;
}

Picture picture_of(const std::vector<ShapeTrajectory>& turns) {
  std::vector<Way> ways;
  for (const ShapeTrajectory& turn : turns)
    ways.push_back(
        {title_of(turn),
         fmt::format("{} of the way's variance is on this plane", format_percent(explained(turn))),
         turn.trajectory.angle_deg, places(turn.places), places(turn.predicted_places)});
  return way_picture(ways, fmt::format("The embeddings of {} shapes while each makes a full turn, "
                                       "on the plane of their first two principal components.",
                                       turns.size()));
}

/// One curve per shape of a figure along its turn.
LineChart chart_of(const std::vector<ShapeTrajectory>& turns, std::string title,
                   std::string explanation, std::vector<double> Trajectory::*figure) {
  constexpr std::size_t kMostCurves = 6;  // as many as there are colours
  LineChart chart;
  chart.title = std::move(title);
  chart.explanation = std::move(explanation);
  chart.x_name = "angle (°)";
  for (std::size_t k = 0; k < std::min(kMostCurves, turns.size()); ++k) {
    ChartLine line{title_of(turns[k]), {}};
    for (std::size_t i = 0; i < turns[k].trajectory.angle_deg.size(); ++i)
      line.points.push_back({turns[k].trajectory.angle_deg[i], (turns[k].trajectory.*figure)[i]});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

std::string command_of(const TrajectoryOptions& options) {
  CommandLine line("eval trajectory");
  for (const std::string& source : options.input.data) line.option("data", source);
  if (!options.input.model.empty()) line.option("model", options.input.model);
  line.option("shapes", options.shapes.shapes);
  for (const std::string& name : options.shapes.classes) line.option("class", name);
  const std::string axis = fmt::format(" --axis {}", fmt::join(options.axis, " "));
  const std::string rest = CommandLine("")
                               .option("steps", options.turn.steps)
                               .flag("resample", options.turn.resample)
                               .option("seed", options.input.seed)
                               .option("out", "pictures")
                               .text();
  return line.text() + axis + rest.substr(std::string("pointpng ").size());
}

std::string page_of(const TrajectoryOptions& options, const std::vector<ShapeTrajectory>& turns,
                    const Picture& picture) {
  Page page(fmt::format("A full turn of {}", data_name(options.input)), "Point-PNG embeddings",
            "An embedding that knows the pose moves when its object turns, and comes back; the "
            "predictor says where it will be.");
  std::vector<double> accuracy, sensitivity;
  for (const ShapeTrajectory& turn : turns) {
    accuracy.push_back(turn.pa);
    sensitivity.push_back(turn.ae);
  }
  page.add_section("").tiles({{"Predictor accuracy", format_number(mean_of(accuracy), 3), "",
                               "mean of sim(u_g(z at 0°), z) over the turn; 1 is perfect"},
                              {"Absolute equivariance", format_number(mean_of(sensitivity), 3), "",
                               "that minus sim(z at 0°, z); 0 is an embedding that does not move"},
                              {"Steps", format_count(options.turn.steps), "",
                               options.turn.resample ? "each with other points of the surface"
                                                     : "the same points throughout"}});
  page.add_section("The way").raw(picture_figure(
      "Where the embedding goes while its object turns once",
      "Each panel is the plane on which that shape's way is widest. Point at a mark to see its "
      "angle. Objects that look alike after part of a turn run through their way more than once.",
      picture));
  page.add_section("Along the turn")
      .charts(
          {chart_of(turns, "Similarity with the start",
                    "How far the embedding has moved. Peaks between 0° and 360° are turns after "
                    "which the object looks alike.",
                    &Trajectory::to_start),
           chart_of(turns, "Similarity with the prediction",
                    "How well the predictor knows where the embedding is; 1 is perfect.",
                    &Trajectory::to_predicted)});
  page.add_section("How it was made")
      .facts({{"Data", data_text(options.input)},
              {"Model", find_model(options.input.model).filename().string()},
              {"Axis", fmt::format("{:g}", fmt::join(options.axis, " "))},
              {"Seed", std::to_string(options.input.seed)}})
      .code(command_of(options));
  page.set_footer("Written by pointpng eval trajectory. This file needs no network.");
  return page.html();
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
    text += fmt::format("{:<38.38} {:>8.3f} {:>11.3f} {:>21.3f} {:>7.0f} %\n", title_of(turn),
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
    const Picture picture = picture_of(turns);
    return {page_of(options, turns, picture),
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
