#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "eval/embeddings.h"
#include "eval/trajectory.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "report/command_line.h"
#include "report/format.h"
#include "report/page.h"
#include "report/way_picture.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TrajectoryOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::string model, data;
  LoadOptions load;
  PosedShapesConfig shapes{.shapes = 3};
  TrajectoryConfig turn;
  std::vector<double> axis = {0.0, 0.0, 1.0};
  fs::path out;
};

/// The way of one shape, and how it looks from the front.
struct ShapeTurn {
  std::string name, class_name;
  Trajectory way;
  PrincipalComponents plane;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double lowest_of(const std::vector<double>& values) { return *std::ranges::min_element(values); }

std::string title_of(const ShapeTurn& turn) {
  return turn.class_name.empty() ? turn.name : turn.class_name + " · " + turn.name;
}

std::vector<ShapeTurn> turn_all(const TrajectoryOptions& options, Model& model,
                                const ShapeSet& set) {
  std::vector<ShapeTurn> turns;
  for (const std::size_t i : chosen_shapes(set, options.shapes)) {
    const Shape& shape = set.shapes[i];
    ShapeTurn turn{shape.name, "", turn_around(model, shape.points, options.turn, shape.name), {}};
    if (shape.label >= 0 && static_cast<std::size_t>(shape.label) < set.class_names.size())
      turn.class_name = set.class_names[static_cast<std::size_t>(shape.label)];
    turn.plane = principal_components(turn.way.embedding, 2);
    turns.push_back(std::move(turn));
  }
  return turns;
}

std::vector<PicturePoint> places(const Rows& coordinates) {
  std::vector<PicturePoint> points;
  for (Eigen::Index i = 0; i < coordinates.rows(); ++i)
    points.push_back({coordinates(i, 0), coordinates(i, 1)});
  return points;
}

Picture picture_of(const std::vector<ShapeTurn>& turns) {
  std::vector<Way> ways;
  for (const ShapeTurn& turn : turns)
    ways.push_back({title_of(turn),
                    fmt::format("{} of the way's variance is on this plane",
                                format_percent(turn.plane.explained.sum())),
                    turn.way.angle_deg, places(turn.plane.coordinates),
                    places(turn.plane.project(turn.way.predicted))});
  return way_picture(ways, fmt::format("The embeddings of {} shapes while each makes a full turn, "
                                       "on the plane of their first two principal components.",
                                       turns.size()));
}

/// One curve a shape of a figure along its turn.
LineChart chart_of(const std::vector<ShapeTurn>& turns, std::string title, std::string explanation,
                   std::vector<double> Trajectory::*figure) {
  constexpr std::size_t kMostCurves = 6;  // as many as there are colours
  LineChart chart;
  chart.title = std::move(title);
  chart.explanation = std::move(explanation);
  chart.x_name = "angle (°)";
  for (std::size_t k = 0; k < std::min(kMostCurves, turns.size()); ++k) {
    ChartLine line{title_of(turns[k]), {}};
    for (std::size_t i = 0; i < turns[k].way.angle_deg.size(); ++i)
      line.points.push_back({turns[k].way.angle_deg[i], (turns[k].way.*figure)[i]});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

std::string command_of(const TrajectoryOptions& options) {
  CommandLine line("eval trajectory");
  line.option("data", options.data);
  if (!options.model.empty()) line.option("model", options.model);
  line.option("shapes", options.shapes.shapes);
  for (const std::string& name : options.shapes.classes) line.option("class", name);
  const std::string axis = fmt::format(" --axis {}", fmt::join(options.axis, " "));
  const std::string rest = CommandLine("")
                               .option("steps", options.turn.steps)
                               .flag("resample", options.turn.resample)
                               .option("seed", options.turn.seed)
                               .option("out", "pictures")
                               .text();
  return line.text() + axis + rest.substr(std::string("pointpng ").size());
}

std::string page_of(const TrajectoryOptions& options, const std::vector<ShapeTurn>& turns,
                    const Picture& picture) {
  Page page(fmt::format("A full turn of {}", fs::path(options.data).filename().string()),
            "Point-PNG embeddings",
            "An embedding that knows the pose moves when its object turns, and comes back; the "
            "predictor says where it will be.");
  std::vector<double> accuracy, sensitivity;
  for (const ShapeTurn& turn : turns) {
    accuracy.push_back(mean_of(turn.way.to_predicted));
    sensitivity.push_back(mean_of(turn.way.to_predicted) - mean_of(turn.way.to_start));
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
      .facts({{"Data", options.data},
              {"Model", find_model(options.model).filename().string()},
              {"Axis", fmt::format("{:g}", fmt::join(options.axis, " "))},
              {"Seed", std::to_string(options.turn.seed)}})
      .code(command_of(options));
  page.set_footer("Written by pointpng eval trajectory. This file needs no network.");
  return page.html();
}

json to_json(const TrajectoryOptions& options, const std::vector<ShapeTurn>& turns) {
  json result{{"data", options.data},
              {"model", find_model(options.model).string()},
              {"axis", options.axis},
              {"steps", options.turn.steps},
              {"resample", options.turn.resample},
              {"seed", options.turn.seed},
              {"shapes", json::array()}};
  for (const ShapeTurn& turn : turns) {
    json places = json::array();
    for (Eigen::Index i = 0; i < turn.plane.coordinates.rows(); ++i)
      places.push_back({turn.plane.coordinates(i, 0), turn.plane.coordinates(i, 1)});
    result["shapes"].push_back({{"name", turn.name},
                                {"class", turn.class_name},
                                {"pa", mean_of(turn.way.to_predicted)},
                                {"ae", mean_of(turn.way.to_predicted) - mean_of(turn.way.to_start)},
                                {"explained", {turn.plane.explained[0], turn.plane.explained[1]}},
                                {"angle_deg", turn.way.angle_deg},
                                {"similarity_to_start", turn.way.to_start},
                                {"similarity_to_prediction", turn.way.to_predicted},
                                {"places", std::move(places)}});
  }
  return result;
}

std::string to_text(const std::vector<ShapeTurn>& turns) {
  std::string text =
      "a full turn                            PA, mean  PA, lowest  sim to start, lowest  on "
      "plane\n";
  for (const ShapeTurn& turn : turns)
    text += fmt::format("{:<38.38} {:>8.3f} {:>11.3f} {:>21.3f} {:>7.0f} %\n", title_of(turn),
                        mean_of(turn.way.to_predicted), lowest_of(turn.way.to_predicted),
                        lowest_of(turn.way.to_start), 100.0 * turn.plane.explained.sum());
  return text;
}

Outcome evaluate(TrajectoryOptions& options) {
  apply(options.output);
  const torch::Device device = apply(options.compute);
  require_place(options.out);
  options.turn.axis = {options.axis[0], options.axis[1], options.axis[2]};
  options.turn.seed = options.shapes.seed;
  const LoadedModel loaded = load_model(find_model(options.model), device);
  loaded.model->eval();
  std::vector<std::string> notes;
  const ShapeSet set = load_shapes(options.data, options.load, &notes);
  warn(notes);
  const std::vector<ShapeTurn> turns = turn_all(options, *loaded.model, set);
  const json result = to_json(options, turns);
  std::vector<fs::path> written;
  if (!options.out.empty()) {
    const Picture picture = picture_of(turns);
    written = write_drawings(options.out, {page_of(options, turns, picture),
                                           {{"trajectory", picture}},
                                           {{"trajectory.json", result.dump(1) + "\n"}}});
  }
  return print_drawn(options.output, to_text(turns), result, written);
}

}  // namespace

void add_eval_trajectory(Command parent) {
  const auto options = std::make_shared<TrajectoryOptions>();
  Command command = add_command(
      command_group(parent, "eval", "Measure a model"), "trajectory",
      "The way of an embedding while its object makes a full turn, and as the predictor has it.",
      {{"eval trajectory --data test.h5 --class chair --out turn.html", "a page to look at"},
       {"eval trajectory --data part.ply --axis 1 0 0 --resample --out pictures",
        "your own object about x, with other points at every step"},
       {"eval trajectory --data test.h5 --shapes 6 --json", "for scripts"}});
  command.add_option("--data", options->data, "Shapes: as for 'pretrain'").required();
  command.add_option("--model", options->model,
                     "A model.safetensors or the name of a shipped model [object]");
  command.add_option("--topic", options->load.topic, "PointCloud2 topic of a bag that has several");
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
  add_seed_option(command, options->shapes.seed);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
