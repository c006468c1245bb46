#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/pictures.h"
#include "cli/learn/terminal.h"
#include "report/command_line.h"
#include "report/format.h"
#include "report/page.h"
#include "report/scatter.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TsneOptions : EvalOptions {
  std::string method = "tsne", poses = "none";
  PosedShapesConfig shapes;
  TsneConfig tsne;
  fs::path out;
};

bool is_pca(const TsneOptions& options) { return options.method == "pca"; }

Poses poses_of(const std::string& name) {
  if (name == "random") return Poses::kRandom;
  return name == "steps" ? Poses::kSteps : Poses::kAsIs;
}

std::string_view method_name(const TsneOptions& options, const EmbeddingMap& map) {
  if (is_pca(options)) return "PCA";
  return map.exact ? "t-SNE (exact)" : "t-SNE (Barnes–Hut)";
}

Scatter scatter_of(const TsneOptions& options, const EmbeddingMap& map) {
  Scatter scatter;
  const bool by_pose = options.shapes.poses == Poses::kSteps;
  std::map<std::string, std::size_t> groups;
  for (std::size_t i = 0; i < map.clouds.size(); ++i) {
    const std::string& pose = map.pose_names[map.clouds[i].pose];
    const std::string name = map.clouds[i].class_name;
    const std::string& group = by_pose ? pose : name;
    if (groups.emplace(group, scatter.groups.size()).second) scatter.groups.push_back(group);
    const auto row = static_cast<Eigen::Index>(i);
    ScatterPoint point{map.places(row, 0), map.places(row, 1), groups[group],
                       !by_pose && map.clouds[i].pose > 0, ""};
    point.tip = fmt::format("{} · {}", name, map.clouds[i].name);
    if (map.pose_names.size() > 1) point.tip += " · " + pose;
    scatter.points.push_back(std::move(point));
  }
  scatter.ordered = by_pose;
  if (options.shapes.poses == Poses::kRandom) {
    scatter.dot_name = map.pose_names[0];
    scatter.cross_name = map.pose_names[1];
  }
  if (is_pca(options)) {
    scatter.x_name =
        fmt::format("1st component, {} of the variance", format_percent(map.explained[0]));
    scatter.y_name = fmt::format("2nd component, {}", format_percent(map.explained[1]));
  }
  scatter.description =
      fmt::format("{} of {} embeddings, coloured by {}.", method_name(options, map),
                  scatter.points.size(), by_pose ? "angle" : "class");
  return scatter;
}

std::string command_of(const TsneOptions& options) {
  CommandLine line("eval tsne");
  for (const std::string& source : options.input.data) line.option("data", source);
  if (!options.input.model.empty()) line.option("model", options.input.model);
  line.option("method", options.method);
  if (!is_pca(options))
    line.option("perplexity", options.tsne.perplexity)
        .option("iterations", options.tsne.iterations);
  line.option("poses", options.poses).option("shapes", options.shapes.shapes);
  for (const std::string& name : options.shapes.classes) line.option("class", name);
  return line.option("seed", options.input.seed).option("out", "pictures").text();
}

std::vector<Tile> tiles_of(const TsneOptions& options, const EmbeddingMap& map) {
  std::vector<Tile> tiles = {{"Embeddings", format_count(map.places.rows()), "",
                              fmt::format("of {} numbers each", map.embeddings.cols())},
                             {"Trustworthiness", format_number(map.trustworthiness, 3), "",
                              "1: neighbours on the map are neighbours in truth"},
                             {"Beside their class", format_percent(map.same_class), "",
                              "the nearest cloud of another shape is of the same class"}};
  if (!is_pca(options))
    tiles.push_back({"KL divergence", format_number(map.divergence, 4), "",
                     fmt::format("after {} iterations; lower is better", map.iterations)});
  else
    tiles.push_back({"Variance shown", format_percent(map.explained[0] + map.explained[1]), "",
                     "by two directions of all"});
  return tiles;
}

std::string explanation_of(const TsneOptions& options) {
  const std::string method =
      is_pca(options)
          ? "The two directions in which the embeddings differ most; distances are true along them."
          : "Near embeddings stay near; distances between far groups mean little.";
  const std::string poses =
      options.shapes.poses == Poses::kRandom
          ? " Dots are shapes as they are in the data, crosses the same rotated at random: an "
            "invariant embedding would put each cross onto its dot."
      : options.shapes.poses == Poses::kSteps
          ? " Every shape is rotated about z in steps of 30°; colours are angles."
          : "";
  return method + poses + " Point at a mark to see what it is, at a name to see its marks alone.";
}

std::string page_of(const TsneOptions& options, const EmbeddingMap& map, const Picture& picture) {
  Page page(fmt::format("{} of {}", is_pca(options) ? "PCA" : "t-SNE", data_name(options.input)),
            "Point-PNG embeddings",
            "What the model holds for alike: clouds that lie together have similar embeddings.");
  page.add_section("").tiles(tiles_of(options, map));
  page.add_section("Map").raw(
      picture_figure(std::string(method_name(options, map)) + " of the embeddings",
                     explanation_of(options), picture));
  std::vector<Fact> facts = {{"Data", data_text(options.input)},
                             {"Model", find_model(options.input.model).filename().string()},
                             {"Clouds", format_count(map.places.rows())},
                             {"Seed", std::to_string(options.input.seed)}};
  if (!is_pca(options))
    facts.insert(facts.end(), {{"Perplexity", format_number(options.tsne.perplexity)},
                               {"Iterations", format_count(map.iterations)},
                               {"Start", options.tsne.start}});
  page.add_section("How it was made")
      .facts(facts)
      .text("The same command gives the same map, whatever the number of threads.")
      .code(command_of(options));
  page.set_footer("Written by pointpng eval tsne. This file needs no network.");
  return page.html();
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of(const EmbeddingMap& map) {
  std::string csv = "name,class,pose,x,y\n";
  for (std::size_t i = 0; i < map.clouds.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    csv += fmt::format("{},{},{},{:.6g},{:.6g}\n", csv_field(map.clouds[i].name),
                       csv_field(map.clouds[i].class_name), map.pose_names[map.clouds[i].pose],
                       map.places(row, 0), map.places(row, 1));
  }
  return csv;
}

Drawings draw(const TsneOptions& options, const EmbeddingMap& map) {
  const Picture picture = scatter_picture(scatter_of(options, map));
  std::ostringstream npy;
  write_npy_rows(npy, map.embeddings.cast<float>());
  return {page_of(options, map, picture),
          {{options.method, picture}},
          {{options.method + ".csv", csv_of(map)}, {"embeddings.npy", npy.str()}}};
}

json to_json(const TsneOptions& options, const EmbeddingMap& map) {
  json result{{"method", options.method},
              {"data", data_json(options.input)},
              {"model", find_model(options.input.model).string()},
              {"seed", options.input.seed},
              {"poses", options.poses},
              {"clouds", map.places.rows()},
              {"trustworthiness", map.trustworthiness},
              {"same_class_neighbour", map.same_class}};
  if (!is_pca(options)) {
    result["kl_divergence"] = map.divergence;
    result["exact"] = map.exact;
    result["iterations"] = map.iterations;
    result["perplexity"] = options.tsne.perplexity;
  } else {
    result["explained"] = map.explained;
  }
  for (std::size_t i = 0; i < map.clouds.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    result["items"].push_back({{"name", map.clouds[i].name},
                               {"class", map.clouds[i].class_name},
                               {"pose", map.pose_names[map.clouds[i].pose]},
                               {"x", map.places(row, 0)},
                               {"y", map.places(row, 1)}});
  }
  return result;
}

std::string to_text(const TsneOptions& options, const EmbeddingMap& map) {
  std::string text =
      fmt::format("{} of {} embeddings\n", method_name(options, map), map.places.rows());
  if (!is_pca(options))
    text += fmt::format("  KL divergence     {:7.4f}   after {} iterations\n", map.divergence,
                        map.iterations);
  else
    text += fmt::format("  variance shown    {:7.1f} % along the two directions\n",
                        100.0 * (map.explained[0] + map.explained[1]));
  return text +
         fmt::format(
             "  trustworthiness   {:7.3f}   1: neighbours on the map are neighbours in truth\n"
             "  beside their class {:6.1f} % have a cloud of their class as nearest one\n",
             map.trustworthiness, 100.0 * map.same_class);
}

Outcome evaluate(TsneOptions& options) {
  apply(options.output);
  require_place(options.out);
  options.tsne.seed = options.shapes.seed = options.input.seed;
  options.shapes.poses = poses_of(options.poses);
  const EmbeddingMap map = map_embeddings(
      options.input, options.shapes, is_pca(options) ? MapMethod::kPca : MapMethod::kTsne,
      options.tsne, Terminal(options.output).evaluation_hooks());
  return finish_drawn(options.output, options.out, to_text(options, map), to_json(options, map),
                      [&] { return draw(options, map); });
}

void add_map_options(Command command, TsneOptions& options) {
  command.add_option("--method", options.method, "tsne, or pca: a straight projection")
      .one_of({"tsne", "pca"})
      .show_default();
  command
      .add_option("--perplexity", options.tsne.perplexity, "About how many neighbours a cloud has")
      .show_default();
  command.add_option("--iterations", options.tsne.iterations, "Of t-SNE")
      .range(1, 1000000)
      .show_default();
  command
      .add_option("--solver", options.tsne.method,
                  "exact: every pair counts; barnes-hut: far ones summed up; auto: by the number")
      .one_of({"auto", "exact", "barnes-hut"})
      .show_default();
  command.add_option("--start", options.tsne.start, "Of t-SNE: pca, or random with the seed")
      .one_of({"pca", "random"})
      .show_default();
}

void add_shape_options(Command command, TsneOptions& options) {
  command
      .add_option("--shapes", options.shapes.shapes,
                  "How many shapes at most, of all classes in turn")
      .range(1, 100000)
      .show_default();
  command.add_option("--class", options.shapes.classes,
                     "Only shapes of this class; may be repeated");
  command
      .add_option("--poses", options.poses,
                  "none: as they are; random: and rotated at random; steps: rotated by 0° … 180°")
      .one_of({"none", "random", "steps"})
      .show_default();
}

}  // namespace

void add_eval_tsne(Command parent) {
  const auto options = std::make_shared<TsneOptions>();
  Command command = add_eval_command(
      parent, "tsne", "A map of embeddings by t-SNE or PCA: what does the model hold for alike?",
      {{"eval tsne --data test.h5 --out map.html", "a page to look at"},
       {"eval tsne --data test.h5 --poses random --out pictures",
        "as they are and rotated, as in the paper; page, SVG, PNG and numbers"},
       {"eval tsne --data test.h5 --class chair --poses steps --out chairs.png",
        "one class under a rotation"},
       {"eval tsne --data test.h5 --method pca --json", "for scripts"}});
  add_map_options(command, *options);
  add_shape_options(command, *options);
  command.add_option("--out", options->out, kDrawingsHelp);
  add_eval_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
